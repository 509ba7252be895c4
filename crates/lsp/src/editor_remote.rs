//! The editor's own program, where the editor can do more than its language client.

use std::path::Path;

use futures_util::future::BoxFuture;

/// Makes a running editor do something.
pub trait EditorRemote: Send + Sync {
    /// Shows a file at a 0-based line; whether the editor does. It replaces `window/showDocument`.
    fn show(&self, file: &Path, line: Option<usize>) -> BoxFuture<'static, bool>;

    /// Shows a message in place of `window/showMessage`; whether the editor can.
    fn say(&self, _message: &str, _is_warning: bool) -> bool {
        false
    }

    /// So many proposals wait.
    fn count(&self, _waiting: usize) {}

    /// The person has decided on the proposal in this file.
    fn decided(&self, _file: &Path) {}
}
