//! The recovery journal: the state that a new process needs to continue as a crashed companion.
//!
//! An agent with an open diff has a dead prompt until it hears the outcome, which only its own session on its
//! own port can tell. (Gemini CLI still shows itself as disconnected, until `/ide enable`.) The journal
//! exists exactly as long as the companion: finding one means a crash.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_contract::mcp::Implementation;
use serde::{Deserialize, Serialize};

use crate::config::JournalKey;

/// The journal. Private: it holds the token and texts. Each session has its own file, so that a write costs
/// as much as has changed, however many sessions there are and however much one of them has not received yet.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Journal {
    pub(crate) port: u16,
    /// Every address of the listener, with both loopbacks.
    #[serde(default)]
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) token: String,
    /// The id of the newest review, so that no id is used twice. A session may know a newer one.
    #[serde(default)]
    pub(crate) last_review: u64,
    /// The companion was handed over; it has not crashed.
    #[serde(default)]
    pub(crate) handed_over: bool,
    /// A part could not be read.
    #[serde(skip)]
    pub(crate) is_damaged: bool,
    #[serde(skip)]
    pub(crate) sessions: Vec<KnownSession>,
}

/// A session to continue.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KnownSession {
    pub(crate) id: String,
    pub(crate) client: Implementation,
    pub(crate) version: String,
    pub(crate) tokenless: bool,
    /// As [`Journal::last_review`], when this was written.
    #[serde(default)]
    pub(crate) last_review: u64,
    /// The id of its family, if known.
    pub(crate) family: Option<String>,
    /// Open reviews. The agent is told that they are rejected.
    pub(crate) undecided: Vec<Undecided>,
    /// Decisions without a receipt.
    pub(crate) unsettled: Vec<Unsettled>,
}

impl KnownSession {
    /// The length of its texts in bytes, without the rest.
    pub(crate) fn text_bytes(&self) -> u64 {
        let undecided = self.undecided.iter().map(|review| review.text.len());
        let unsettled = self
            .unsettled
            .iter()
            .map(|decision| decision.messages.iter().map(String::len).sum::<usize>() + decision.text.len());
        undecided.chain(unsettled).sum::<usize>() as u64
    }
}

/// An open review.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undecided {
    pub(crate) file_path: String,
    /// The text as last edited, for the agent's `closeDiff`.
    pub(crate) text: Arc<str>,
    /// The draft of the person's edits. It may not exist: a full disk can hold the journal and not the draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) draft: Option<String>,
}

/// A decision that the agent has not confirmed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unsettled {
    pub(crate) file_path: String,
    pub(crate) messages: Vec<String>,
    pub(crate) text: Arc<str>,
}

/// The changes to write.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// The journal, with the sessions that have changed.
    pub(crate) journal: Journal,
    /// The ids of sessions that have ended.
    pub(crate) gone: Vec<String>,
    /// The journal has all sessions: other files of sessions are removed.
    pub(crate) is_all: bool,
}

/// The [name] of the caller's own key.
pub(crate) fn own_name(key: &str) -> String {
    name(&JournalKey::Own(key.to_owned()), "", &[])
}

/// The name of a journal's file: a valid key itself, so that every build of a host finds it.
pub(crate) fn name(key: &JournalKey, editor: &str, roots: &[PathBuf]) -> String {
    let is_valid_name = |key: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=100).contains(&key.len()) && key.bytes().all(is_allowed)
    };
    let mut hasher = DefaultHasher::new();
    match key {
        JournalKey::Own(key) if is_valid_name(key) => return format!("own-{key}"),
        JournalKey::Own(key) => key.hash(&mut hasher),
        JournalKey::EditorAndRoots => (editor, roots).hash(&mut hasher),
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_journal_key_ignores_roots_and_is_never_a_path() {
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
