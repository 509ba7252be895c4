//! The recovery journal: the state that a new process needs to continue as a crashed companion.
//!
//! An agent with an open diff takes no input until it gets the outcome, which only its own session on its own
//! port can send. (Gemini CLI still shows itself as disconnected, until `/ide enable`.) The journal exists
//! exactly as long as the companion, so a journal without a companion means a crash.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use alongside_contract::mcp::Implementation;
use serde::{Deserialize, Serialize};

/// The journal. Its files are private, because they have the token and texts. Each session has a file of its
/// own, so that the cost of a write depends only on the changes of that session.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Journal {
    pub(crate) port: u16,
    /// Every address of the listener, with both loopbacks.
    #[serde(default)]
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) token: String,
    /// The id of the newest review, so that no id is used twice. A session may have a newer id.
    #[serde(default)]
    pub(crate) last_review: u64,
    /// Whether the companion was handed over, and did not crash.
    #[serde(default)]
    pub(crate) handed_over: bool,
    /// Whether a part of the journal could not be read.
    #[serde(skip)]
    pub(crate) is_damaged: bool,
    #[serde(skip)]
    pub(crate) sessions: Vec<KnownSession>,
}

/// A session to continue. `T` is the type of its texts, in memory or
/// [as they are stored](super::session_files::StoredText).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KnownSession<T = Arc<str>> {
    pub(crate) id: String,
    pub(crate) client: Implementation,
    pub(crate) version: String,
    pub(crate) tokenless: bool,
    /// As [`Journal::last_review`], at the time of this record.
    #[serde(default)]
    pub(crate) last_review: u64,
    /// The id of the agent's family, if known.
    pub(crate) family: Option<String>,
    /// The open reviews. The agent learns that they are rejected.
    pub(crate) undecided: Vec<Undecided<T>>,
    /// Decisions without a receipt.
    pub(crate) unsettled: Vec<Unsettled<T>>,
}

impl<T> KnownSession<T> {
    pub(crate) fn texts(&self) -> impl Iterator<Item = &T> {
        let undecided = self.undecided.iter().filter_map(|review| review.text.as_ref());
        undecided.chain(self.unsettled.iter().map(|decision| &decision.text))
    }

    /// Converts the texts of the session with `to`.
    ///
    /// # Errors
    /// The first error of `to`.
    pub(crate) fn map_texts<U>(self, mut to: impl FnMut(T) -> io::Result<U>) -> io::Result<KnownSession<U>> {
        let mut undecided = Vec::with_capacity(self.undecided.len());
        for Undecided { file_path, text, draft } in self.undecided {
            undecided.push(Undecided { file_path, text: text.map(&mut to).transpose()?, draft });
        }
        let mut unsettled = Vec::with_capacity(self.unsettled.len());
        for Unsettled { file_path, is_accepted, text } in self.unsettled {
            unsettled.push(Unsettled { file_path, is_accepted, text: to(text)? });
        }
        let Self { id, client, version, tokenless, last_review, family, .. } = self;
        Ok(KnownSession { id, client, version, tokenless, last_review, family, undecided, unsettled })
    }
}

/// An open review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undecided<T = Arc<str>> {
    pub(crate) file_path: String,
    /// The text as last edited, for the agent's `closeDiff`. `None` before the proposal of a large text is
    /// compared with its file: the text is as proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<T>,
    /// The draft of the person's edits. It may be missing: a full disk may have taken the journal but not the
    /// draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) draft: Option<String>,
}

/// A decision that the agent has not confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unsettled<T = Arc<str>> {
    pub(crate) file_path: String,
    pub(crate) is_accepted: bool,
    /// The last text, which was accepted or not.
    pub(crate) text: T,
}

/// The changes of the journal for one write.
#[derive(Debug, Default)]
pub(crate) struct JournalChanges {
    /// The journal, with the sessions that have changed.
    pub(crate) journal: Journal,
    /// The ids of sessions that have ended.
    pub(crate) ended_ids: Vec<String>,
    /// Whether the journal has all sessions, so that the files of other sessions are removed.
    pub(crate) is_all: bool,
}

/// Returns the name of a journal's file. It contains a valid key unchanged, so that every build of a host
/// finds it.
pub(crate) fn name(key: &str) -> String {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if (1..=100).contains(&key.len()) && key.bytes().all(is_allowed) {
        return format!("own-{key}");
    }
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_journal_is_its_key_and_never_a_path() {
        assert_eq!(name("main-1"), "own-main-1");
        for odd in ["", "../up", "a/b", "a b", &"x".repeat(300)] {
            let name = name(odd);
            assert!(name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        }
    }
}
