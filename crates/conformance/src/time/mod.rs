//! How long a run waits, also on a busy machine.

pub(crate) mod clock;
pub(crate) mod timeouts;
