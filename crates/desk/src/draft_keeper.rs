//! Saves texts that a person typed and that the companion has not received.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Saves texts among the drafts of the user. The program that runs a desk knows their directory.
pub trait DraftKeeper: fmt::Debug + Send + Sync {
    /// Saves a text with its file, the agent that proposed the file, and the reason. Returns the draft's
    /// path. Blocks.
    ///
    /// # Errors
    /// When the draft cannot be written.
    fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<PathBuf>;

    /// Removes the draft with this path. Blocks.
    ///
    /// # Errors
    /// When there is no such draft, or it cannot be removed.
    fn discard(&self, path: &Path) -> io::Result<()>;
}
