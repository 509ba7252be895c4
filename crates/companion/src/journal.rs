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

use crate::builder::JournalKey;
use crate::private::{self, Ground};

/// What is written down. Private: it holds the token and texts.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Journal {
    pub(crate) port: u16,
    pub(crate) token: String,
    /// The id of the newest review: no id is used twice.
    #[serde(default)]
    pub(crate) last_review: u64,
    /// No crash: a successor was asked for.
    #[serde(default)]
    pub(crate) handed_over: bool,
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

/// The right to keep one journal; nobody else has it at the same time.
#[derive(Debug)]
pub(crate) struct Keeper {
    path: PathBuf,
    /// Held until the process ends, however it ends.
    _lock: File,
}

impl Keeper {
    /// Takes the journal of this [name]. `None` when another living companion has it. Blocks briefly.
    pub(crate) fn take(state: &Path, name: &str) -> io::Result<Option<Self>> {
        private::directory(state, Path::new("journal"), Ground::Own)?;
        let path = state.join("journal").join(format!("{name}.json"));
        let lock =
            File::options().create(true).truncate(false).write(true).open(path.with_extension("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path, _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// What a crashed companion left behind.
    pub(crate) fn left_behind(&self) -> Option<Journal> {
        let journal: Journal = serde_json::from_slice(&fs::read(&self.path).ok()?).ok()?;
        // An empty token would let everybody in.
        (!journal.token.is_empty()).then_some(journal)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// What a journal's file is called. A key that can be a name is one, and so means the same to every build of a host.
pub(crate) fn name(key: &JournalKey, editor: &str, roots: &[PathBuf]) -> String {
    let can_be_a_name = |key: &str| {
        let sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=100).contains(&key.len()) && key.bytes().all(sign)
    };
    let mut hasher = DefaultHasher::new();
    match key {
        JournalKey::Own(key) if can_be_a_name(key) => return format!("own-{key}"),
        JournalKey::Own(key) => key.hash(&mut hasher),
        JournalKey::EditorAndRoots => (editor, roots).hash(&mut hasher),
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_keeps_the_journal_and_a_crash_leaves_it_behind() {
        let directory = tempfile::tempdir().unwrap();
        let keeper = Keeper::take(directory.path(), "e").unwrap().unwrap();
        assert!(Keeper::take(directory.path(), "e").unwrap().is_none());
        assert!(Keeper::take(directory.path(), "f").unwrap().is_some());
        let journal = Journal { port: 7, token: "t".into(), ..Journal::default() };
        private::write(keeper.path(), &serde_json::to_vec(&journal).unwrap()).unwrap();
        drop(keeper);
        let next = Keeper::take(directory.path(), "e").unwrap().unwrap();
        assert_eq!(next.left_behind(), Some(journal));
    }

    #[test]
    fn a_journal_without_a_token_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let keeper = Keeper::take(directory.path(), "e").unwrap().unwrap();
        let journal = Journal { port: 7, ..Journal::default() };
        private::write(keeper.path(), &serde_json::to_vec(&journal).unwrap()).unwrap();
        assert_eq!(keeper.left_behind(), None);
    }

    #[test]
    fn a_key_of_ones_own_holds_whatever_the_roots_and_is_never_a_path() {
        let roots = [PathBuf::from("/p")];
        let own = |key: &str, roots: &[PathBuf]| name(&JournalKey::Own(key.into()), "e", roots);
        assert_eq!(own("main-1", &roots), own("main-1", &[]));
        assert_ne!(own("main-1", &roots), own("main-2", &roots));
        let by_roots = |editor: &str, roots: &[PathBuf]| name(&JournalKey::EditorAndRoots, editor, roots);
        assert_ne!(by_roots("e", &roots), by_roots("e", &[]));
        assert_ne!(by_roots("e", &roots), by_roots("f", &roots));
        for odd in ["", "../up", "a/b", "a b", &"x".repeat(300)] {
            let name = own(odd, &roots);
            assert!(name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        }
    }
}
