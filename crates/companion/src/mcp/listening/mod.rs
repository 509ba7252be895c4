//! The listening side of a companion, and admission to it: addresses, connections, and the token.

pub(crate) mod gate;
pub(crate) mod listener;
pub(crate) mod ports;
mod rate_limited_log;
