//! Coming back after a crash as if nothing had happened: what a new process must know to be the old
//! companion.
//!
//! An agent with a diff open has a dead prompt until somebody tells it the outcome, and only its own session
//! on its own port can. (Gemini CLI calls itself disconnected all the same, until `/ide enable`.) The journal
//! lives exactly as long as the companion: finding one means a crash.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_contract::mcp::Implementation;
use serde::{Deserialize, Serialize};

use crate::config::JournalKey;

/// What is written down. Private: it holds the token and texts. What is known of a session lies in a file of
/// its own, so that writing costs as much as has changed, however many there are and however much one of them
/// has not been told yet.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Journal {
    pub(crate) port: u16,
    /// All that was listened on, the port on both loopbacks among it.
    #[serde(default)]
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) token: String,
    /// The id of the newest review: no id is used twice.
    #[serde(default)]
    pub(crate) last_review: u64,
    /// No crash: a successor was asked for.
    #[serde(default)]
    pub(crate) handed_over: bool,
    /// Not all of it could be read.
    #[serde(skip)]
    pub(crate) is_damaged: bool,
    #[serde(skip)]
    pub(crate) sessions: Vec<KnownSession>,
}

/// A session that shall go on.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KnownSession {
    pub(crate) id: String,
    pub(crate) client: Implementation,
    pub(crate) version: String,
    pub(crate) tokenless: bool,
    /// The id of its family, if that is known.
    pub(crate) family: Option<String>,
    /// What was undecided: the agent is told that it is rejected.
    pub(crate) undecided: Vec<Undecided>,
    /// What was decided and has no receipt.
    pub(crate) unsettled: Vec<Unsettled>,
}

/// An open review.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undecided {
    pub(crate) file_path: String,
    /// The text as last edited, for the agent's `closeDiff`.
    pub(crate) text: Arc<str>,
    /// The draft of what was typed into it, which may not be there: a disk without room takes the one and not
    /// the other.
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

/// What is to be written.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// With the sessions that have changed.
    pub(crate) journal: Journal,
    /// The ids of those that are no more.
    pub(crate) gone: Vec<String>,
    /// These are all sessions there are: whatever else lies there goes.
    pub(crate) is_all: bool,
}

/// The [name] of a key of the caller's own.
pub(crate) fn own_name(key: &str) -> String {
    name(&JournalKey::Own(key.to_owned()), "", &[])
}

/// What a journal's file is called. A key that can be a name is one, and so means the same to every build of
/// a host.
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
