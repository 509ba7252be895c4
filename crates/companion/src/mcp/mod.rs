//! The edge that agents talk to: MCP over HTTP. Wire types stop here; the hub hears only what happened.

pub(crate) mod doors;
pub(crate) mod fuzzing;
pub(crate) mod gate;
pub(crate) mod http;
mod preparing;
pub(crate) mod rpc;
mod seldom;
pub(crate) mod stream;
pub(crate) mod tools;
