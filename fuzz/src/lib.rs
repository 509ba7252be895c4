//! Properties that hold for every input, one file per target. The function `check` of a file panics if an
//! input breaks a property.
//!
//! With `cargo xtask fuzz`, libFuzzer generates inputs. The tests of `xtask` take the seeds in `corpus/` and
//! pieces of them.

pub mod composition;
pub mod discovery;
pub mod harmless;
pub mod hooks;
pub mod http;
pub mod json_rpc;
pub mod lsp;
pub mod positions;
pub mod proposals;
