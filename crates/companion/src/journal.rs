//! Coming back after a crash as if nothing had happened: what a new process must know to be the old companion.
//!
//! An agent with a diff open has a dead prompt until somebody tells it the outcome, and only its own session on its own
//! port can. (Gemini CLI calls itself disconnected all the same, until `/ide enable`.) The journal lives exactly
//! as long as the companion: finding one means a crash.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use alongside_contract::mcp::Implementation;
use serde::{Deserialize, Serialize};

use crate::private::{self, Ground};

/// What is written down. Private: it holds the token and texts.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Journal {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) sessions: Vec<KnownSession>,
    /// What was undecided: the agent is told that it is rejected.
    pub(crate) undecided: Vec<Undecided>,
    /// What was decided and has no receipt.
    pub(crate) unsettled: Vec<Unsettled>,
}

/// A session that shall go on.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownSession {
    pub(crate) id: String,
    pub(crate) client: Implementation,
    pub(crate) version: String,
    pub(crate) tokenless: bool,
    /// The id of its family, if that is known.
    pub(crate) family: Option<String>,
}

/// An open review.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undecided {
    pub(crate) session: String,
    pub(crate) file_path: String,
    /// The text as last edited, for the agent's `closeDiff`.
    pub(crate) text: String,
}

/// A decision that the agent has not confirmed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unsettled {
    pub(crate) session: String,
    pub(crate) file_path: String,
    pub(crate) messages: Vec<String>,
    pub(crate) text: String,
}

/// The right to keep the journal of one key; nobody else has it at the same time.
#[derive(Debug)]
pub(crate) struct Keeper {
    path: PathBuf,
    /// Held until the process ends, however it ends.
    _lock: File,
}

impl Keeper {
    /// Takes the journal of this key. `None` when another living companion has it. Blocks briefly.
    pub(crate) fn take(state: &Path, key: &str) -> io::Result<Option<Self>> {
        private::directory(state, Path::new("journal"), Ground::Own)?;
        let path = state.join("journal").join(format!("{key}.json"));
        let lock =
            File::options().create(true).truncate(false).write(true).open(path.with_extension("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path, _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// The key of a companion that has none of its own.
    pub(crate) fn key(editor: &str, roots: &[PathBuf]) -> String {
        let mut hasher = DefaultHasher::new();
        (editor, roots).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// What a crashed companion left behind.
    pub(crate) fn left_behind(&self) -> Option<Journal> {
        serde_json::from_slice(&fs::read(&self.path).ok()?).ok()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_keeps_the_journal_and_a_crash_leaves_it_behind() {
        let directory = tempfile::tempdir().unwrap();
        let roots = [PathBuf::from("/p")];
        let key = Keeper::key("e", &roots);
        let keeper = Keeper::take(directory.path(), &key).unwrap().unwrap();
        assert!(Keeper::take(directory.path(), &key).unwrap().is_none());
        assert!(Keeper::take(directory.path(), &Keeper::key("e", &[])).unwrap().is_some());
        let journal = Journal { port: 7, token: "t".into(), ..Journal::default() };
        private::write(keeper.path(), &serde_json::to_vec(&journal).unwrap()).unwrap();
        drop(keeper);
        let next = Keeper::take(directory.path(), &key).unwrap().unwrap();
        assert_eq!(next.left_behind(), Some(journal));
    }
}
