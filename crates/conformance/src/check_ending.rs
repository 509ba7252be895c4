//! The results of a check, or of a part of it, other than a pass.

/// The reason why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotPassed {
    /// The rule is broken.
    Fail(String),
    /// The rule cannot be observed here.
    Unseen(String),
    /// The check needs something that does not work, and another check judges that.
    Skip(String),
}

/// The result of a check, or of a part of it.
pub(crate) type Checked<T = ()> = Result<T, NotPassed>;

/// Ends a check because the rule is broken.
pub(crate) fn fail<T>(why: impl Into<String>) -> Checked<T> {
    Err(NotPassed::Fail(why.into()))
}

/// Ends a check because its rule cannot be observed here.
pub(crate) fn unseen<T>(why: impl Into<String>) -> Checked<T> {
    Err(NotPassed::Unseen(why.into()))
}

/// Ends a check because something that it needs does not work.
pub(crate) fn skip<T>(why: impl Into<String>) -> Checked<T> {
    Err(NotPassed::Skip(why.into()))
}

/// Fails with the message of `otherwise` unless the condition holds.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(NotPassed::Fail(otherwise())) }
}
