//! The notes on files for the store of turns: the person accepted a text that is written now, or saved the
//! file in an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::{AcceptedText, TurnNote, TurnSource};
use crate::real_path;
use crate::reviews::decided_text::DecidedText;

/// A note on a file.
#[derive(Debug)]
pub(crate) enum FileNote {
    /// The person accepted this text, and a look has found it in its file.
    Accepted(Arc<DecidedText>),
    /// The person saved the file of this path, which may contain links.
    Saved(PathBuf),
}

impl FileNote {
    /// Lets the source store the note. Returns the file's path with links resolved, if desks may show
    /// something new of the file. Blocks.
    pub(super) fn keep(self, source: &dyn TurnSource, roots: &[PathBuf]) -> Option<PathBuf> {
        let (file, note) = match self {
            Self::Accepted(text) => {
                // The file may have changed since the look, and only the accepted text counts.
                let (before, after) = text.bytes_before_and_now()?;
                (text.real_path.clone(), TurnNote::Accepted(AcceptedText { before, after }))
            }
            Self::Saved(path) => (real_path::resolve(&path), TurnNote::Saved),
        };
        let is_in_project =
            |file: &Path| file.is_absolute() && roots.iter().any(|root| file.starts_with(root));
        (is_in_project(&file) && source.note(&file, &note)).then_some(file)
    }
}
