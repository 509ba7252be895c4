//! The editor's own program, for editors that can do more than their language client.

use std::path::Path;

use futures_util::future::BoxFuture;

/// Controls a running editor.
pub trait EditorRemote: Send + Sync {
    /// Shows a file at a 0-based line, instead of `window/showDocument`. Returns whether the editor does.
    fn show(&self, file: &Path, line: Option<usize>) -> BoxFuture<'static, bool>;

    /// Shows a message, instead of `window/showMessage`. Returns whether the editor can.
    fn say(&self, _message: &str, _is_warning: bool) -> bool {
        false
    }

    /// Shows the number of waiting proposals.
    fn count(&self, _waiting: usize) {}

    /// Reports that the person has decided on the proposal in this file.
    fn decided(&self, _file: &Path) {}
}
