//! The marked files of a turn review that is being finished.

use std::path::PathBuf;

use alongside_desk::UndoneFile;

/// Every marked file in the order of the list.
#[derive(Debug, Default)]
pub(super) struct MarkedFiles {
    /// The files to undo. A file with a reason for a refusal is not written.
    pub(super) files: Vec<(PathBuf, UndoneFile)>,
    /// The files that the agent is asked to undo.
    pub(super) asked: Vec<(PathBuf, String)>,
}
