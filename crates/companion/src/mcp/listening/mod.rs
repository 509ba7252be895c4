//! Where a companion listens, and who is admitted: addresses, connections, and the token.

pub(crate) mod gate;
pub(crate) mod listener;
pub(crate) mod ports;
mod rate_limited_log;
