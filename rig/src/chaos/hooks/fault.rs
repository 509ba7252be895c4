//! Simulated faults of alongside's hook.

/// A simulated fault of alongside's hook, which the oracle must detect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookFault {
    /// The hook allows a call without arguments, so that the arguments of another hook count.
    YesWithoutArguments,
    /// The hook searches for its host only in the directory that `XDG_RUNTIME_DIR` names.
    LooksInRuntimeDirOnly,
}
