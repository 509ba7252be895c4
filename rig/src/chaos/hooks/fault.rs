//! Faults of our hook that the script can make up.

/// A fault of our hook, to see that the oracle notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookFault {
    /// Its yes gives no arguments, so that those of another hook count.
    YesWithoutArguments,
    /// It looks for its host in the directory that `XDG_RUNTIME_DIR` names, and nowhere else.
    LooksInRuntimeDirOnly,
}
