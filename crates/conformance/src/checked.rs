//! How a check, or a part of it, ends other than with a pass.

/// Why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotPassed {
    /// The rule is broken.
    Fail(String),
    /// It cannot be seen here.
    Unseen(String),
    /// What it needs is not there, which another check judges.
    Skip(String),
}

/// What comes of a check, or of a part of it.
pub(crate) type Checked<T = ()> = Result<T, NotPassed>;

/// The rule is broken.
pub(crate) fn fail<T>(why: impl Into<String>) -> Checked<T> {
    Err(NotPassed::Fail(why.into()))
}

/// It cannot be seen here.
pub(crate) fn unseen<T>(why: impl Into<String>) -> Checked<T> {
    Err(NotPassed::Unseen(why.into()))
}

/// What it needs is not there.
pub(crate) fn skip<T>(why: impl Into<String>) -> Checked<T> {
    Err(NotPassed::Skip(why.into()))
}

/// Fails unless it is so.
pub(crate) fn ensure(so: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if so { Ok(()) } else { Err(NotPassed::Fail(otherwise())) }
}
