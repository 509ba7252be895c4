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
    /// The file held this text when somebody looked last.
    Accepted(Arc<DecidedText>),
    /// The file of this path, with or without links.
    Saved(PathBuf),
}

impl Noting {
    /// Has the source keep it. Returns the file without links, if there is something new to be seen of it.
    /// Blocks.
    pub(super) fn keep(self, source: &dyn TurnSource, roots: &[PathBuf]) -> Option<PathBuf> {
        let (file, note) = match self {
            Self::Accepted(text) => {
                // Somebody may have written since: only that very text was accepted.
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
