//! Notes for the store of turns about a file: the person accepted a text for it that is written now, or saved
//! it in an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::{AcceptedText, TurnNote, TurnSource};
use crate::real_path;
use crate::reviews::decided_text::DecidedText;

/// See the module.
#[derive(Debug)]
pub(crate) enum Noting {
    /// The person accepted this text, and a look has found it in its file.
    Accepted(Arc<DecidedText>),
    /// The file of this path, with or without links.
    Saved(PathBuf),
}

impl Noting {
    /// Has the source keep the note. Returns the file without links, if desks may show something new of it.
    /// Blocks.
    pub(super) fn keep(self, source: &dyn TurnSource, roots: &[PathBuf]) -> Option<PathBuf> {
        let (file, note) = match self {
            Self::Accepted(text) => {
                // The file may have changed since the look, and only this very text was accepted.
                let (before, after) = text.written()?;
                (text.real.clone(), TurnNote::Accepted(AcceptedText { before, after }))
            }
            Self::Saved(path) => (real_path::resolve(&path), TurnNote::Saved),
        };
        let is_in_project =
            |file: &Path| file.is_absolute() && roots.iter().any(|root| file.starts_with(root));
        (is_in_project(&file) && source.note(&file, &note)).then_some(file)
    }
}
