//! Everything that a run must close at its end: sessions, diffs, WebSockets, files in the editor.

pub(crate) mod editor_cleanup;
pub(crate) mod session_cleanup;
pub(crate) mod websocket_count;
