//! What must hold for any input whatever, one file a target. A function panics where it does not.
//!
//! `cargo xtask fuzz` has libFuzzer make up inputs; the tests of `xtask` hand them the seeds of `corpus/` and
//! nothing else.

pub mod composition;
pub mod discovery;
pub mod harmless;
pub mod http;
pub mod json_rpc;
pub mod lsp;
pub mod positions;
pub mod proposals;
