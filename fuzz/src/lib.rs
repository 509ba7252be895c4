//! Properties that hold for every input, one file per target. Its function `holds` panics if one fails.
//!
//! `cargo xtask fuzz` lets libFuzzer generate inputs; the tests of `xtask` use only the seeds in `corpus/`.

pub mod composition;
pub mod discovery;
pub mod harmless;
pub mod hooks;
pub mod http;
pub mod json_rpc;
pub mod lsp;
pub mod positions;
pub mod proposals;
