//! Saves a text that a person typed as a draft if no companion has it, so that `alongside drafts` lists the
//! text.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use alongside_desk::DraftKeeper;

/// Returns the keeper of the drafts of this process's user.
pub(crate) fn draft_keeper() -> Arc<dyn DraftKeeper> {
    Arc::new(UserDrafts)
}

#[derive(Debug)]
struct UserDrafts;

impl DraftKeeper for UserDrafts {
    fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<PathBuf> {
        drafts().keep(file, agent, why, text)
    }

    fn discard(&self, path: &Path) -> io::Result<()> {
        drafts().delete_at(path)
    }
}

fn drafts() -> Drafts {
    Drafts::open(&AppDirs::of_this_process())
}
