//! Keeps texts that a person typed and that no companion took: among the drafts, or in a private directory.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{harmless, messages};
use alongside_platform::private;
use tempfile::TempDir;

/// Keeps a text as a draft: file, agent, reason, text. Returns the draft's path.
type KeepDraft = dyn Fn(&str, &str, &str, &str) -> io::Result<PathBuf> + Send + Sync;

/// Where a desk keeps texts that no companion took.
#[derive(Clone, Default)]
pub struct DraftStore(Option<Arc<KeepDraft>>);

impl DraftStore {
    /// Keeps texts among the drafts: `keep` gets the file, the agent, the reason and the text, and returns
    /// the draft's path. Without it, each text gets a private directory.
    pub fn among_drafts(
        keep: impl Fn(&str, &str, &str, &str) -> io::Result<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(keep)))
    }

    /// Keeps a text and returns the message that says where. If there is no place, the message holds the
    /// text: it must not be lost.
    pub fn keep(&self, (file, agent): (&str, &str), why: &str, text: &str, roots: &[PathBuf]) -> String {
        let place = self.place_for((file, agent), why, text);
        messages::text_kept(&messages::file_name(file, roots), why, place.ok().as_deref(), text)
    }

    fn place_for(&self, (file, agent): (&str, &str), why: &str, text: &str) -> io::Result<String> {
        if let Some(keep) = &self.0 {
            match keep(file, agent, why, text) {
                Ok(path) => return Ok(format!("{} (`alongside drafts`)", harmless::path(&path))),
                Err(error) => tracing::error!(%error, "cannot keep a draft"),
            }
        }
        let path = private_directory()?.keep().join(harmless::file_name(file));
        std::fs::write(&path, text)?;
        Ok(harmless::path(&path))
    }
}

impl std::fmt::Debug for DraftStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "DraftStore(among drafts)" } else { "DraftStore" })
    }
}

/// A directory for one text that only this user can read.
pub(crate) fn private_directory() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("alongside-edit-");
    if let Some(permissions) = private::directory_permissions() {
        builder.permissions(permissions);
    }
    builder.tempdir()
}
