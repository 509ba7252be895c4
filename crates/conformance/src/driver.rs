//! A driver acts in the editor: a person, or a program.

use futures_util::future::BoxFuture;

use crate::action::Action;

/// The result of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The action is done; for [`Action::IsShown`], yes.
    Done,
    /// No, to [`Action::IsShown`].
    No,
}

/// Why an action was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The editor, or whoever drives it, cannot do such a thing: what hangs on it is not observable.
    Cannot(String),
    /// The driver failed, and how: its checks are not observable, and the run is no good
    /// one. Only its first line is shown, and the arguments are left out of it.
    Failed(String),
    /// The person does not want to: what hangs on it is skipped.
    Skip,
}

/// Somebody who does things in the editor.
pub trait Driver: Send + Sync {
    /// Does it, and returns when the editor has done it.
    fn act<'a>(&'a self, action: &'a Action) -> BoxFuture<'a, Result<Reply, Refusal>>;

    /// Whether it is asked at the end to close what it opened. A person is not: they have done enough.
    fn tidies_up(&self) -> bool {
        true
    }

    /// Whether what it says is done is done. A person may answer too early: where nothing at all comes of it,
    /// nobody knows.
    fn is_certain(&self) -> bool {
        true
    }
}
