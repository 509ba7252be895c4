//! Deadlines and waiting, also on a busy machine.

pub(crate) mod clock;
pub(crate) mod timeouts;
