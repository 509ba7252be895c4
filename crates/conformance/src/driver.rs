//! A driver acts in the editor: a person, or a program.

use futures_util::future::BoxFuture;

use crate::action::Action;

/// The result of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The action is done; for [`Action::IsShown`], yes.
    Done,
    /// The answer to [`Action::IsShown`] is no.
    No,
}

/// The reason why an action was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The editor or its driver cannot do such an action, so its checks are not observable.
    Cannot(String),
    /// The driver failed, with this message: its checks are not observable, and the run counts as failed.
    /// Only the first line is shown, without the arguments.
    Failed(String),
    /// The person declines: the checks that need the action are skipped.
    Skip,
}

/// A person or a program that acts in the editor.
pub trait Driver: Send + Sync {
    /// Does an action, and returns when the editor has done it.
    fn act<'a>(&'a self, action: &'a Action) -> BoxFuture<'a, Result<Reply, Refusal>>;

    /// Whether the driver is asked at the end to close what it opened. A person is not asked.
    fn tidies_up(&self) -> bool {
        true
    }

    /// Whether an action is certainly done when the driver says so. A person may answer too early, so a
    /// missing effect proves nothing.
    fn is_certain(&self) -> bool {
        true
    }
}
