//! Scenes that several checks judge. The first of these checks plays the scene, so that the person is asked
//! only once for an action.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::check_ending::Checked;
use crate::http::peer::Peer;
use crate::http::stream_listener::Listener;

/// The result of a scene, and its evidence.
pub(crate) type Played<T> = (Checked<T>, Vec<String>);

/// The scenes that were played.
#[derive(Default)]
pub(crate) struct Scenes {
    pub(crate) rewriting: OnceCell<Played<Rewriting>>,
    pub(crate) listens: OnceCell<Played<(Peer, Arc<Listener>)>>,
    pub(crate) is_gone: OnceCell<Played<Peer>>,
    pub(crate) watching: OnceCell<Played<Watched>>,
    pub(crate) moving: OnceCell<Played<Moving>>,
    pub(crate) accepting: OnceCell<Played<Accepting>>,
    pub(crate) rejecting: OnceCell<Played<(String, Value)>>,
    pub(crate) closing: OnceCell<Played<Closing>>,
    pub(crate) ended: OnceCell<Played<Ended>>,
    pub(crate) claude_ended: OnceCell<Played<ClaudeEnded>>,
}

/// Observations of one file while a project was opened and closed again.
#[derive(Debug, Clone)]
pub(crate) struct Rewriting {
    /// The number of reads.
    pub(crate) reads: usize,
    /// The first content that was not a record, if there was one.
    pub(crate) torn: Option<String>,
    /// Whether the file named the project while that was open, and no longer afterwards.
    pub(crate) added: bool,
    pub(crate) removed: bool,
}

/// The signs of life on an idle stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    /// The number of signs of life.
    pub(crate) signs: usize,
    /// Whether two signs of life followed each other as soon as they should.
    pub(crate) is_often: bool,
    /// The longest silence.
    pub(crate) silence: Duration,
}

/// The updates that came while the cursor moved without a pause.
#[derive(Debug, Clone)]
pub(crate) struct Moving {
    /// The time for which the cursor moved.
    pub(crate) span: Duration,
    /// The times of the updates, from the beginning of that time.
    pub(crate) updates: Vec<Duration>,
}

/// The outcomes that came when a proposal was accepted.
#[derive(Debug, Clone)]
pub(crate) struct Accepting {
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) outcomes: Vec<Value>,
    /// Whether there is a file now where none was.
    pub(crate) written: bool,
}

/// Observations of a diff that the agent closed.
#[derive(Debug, Clone)]
pub(crate) struct Closing {
    pub(crate) typed: Checked<&'static str>,
    pub(crate) text: Option<String>,
    /// Whether the view was shown before the call, and after it.
    pub(crate) before: Checked<bool>,
    pub(crate) after: Checked<bool>,
}

/// Messages and files at the end of the editor.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    /// The outcome that each agent with an open diff got.
    pub(crate) outcomes: Vec<Option<Value>>,
    /// Whether each stream ended properly; `None` if it did not end.
    pub(crate) ends: [Option<bool>; 2],
    /// Whether a program still listens on the port.
    pub(crate) serves: bool,
    pub(crate) left: Vec<PathBuf>,
    pub(crate) had_files: bool,
}

/// The end of the editor, as an agent with a WebSocket and an open diff sees it.
#[derive(Debug, Clone)]
pub(crate) struct ClaudeEnded {
    /// The answer to its `openDiff`, or why no diff was open.
    pub(crate) answer: Checked<Option<Value>>,
    /// Whether its connection ended.
    pub(crate) ended: bool,
    /// Whether a program still listens on the port.
    pub(crate) serves: bool,
    /// Whether the lock file existed before the end, and after it.
    pub(crate) locks: [bool; 2],
}
