//! The text that a person reviews is the text that a tool writes, and where the person typed another one,
//! that one. Random calls prove it: of Codex's own `apply_patch`, and of models of the tools with which the
//! other agents edit and write files. Each call has a number, and a failure names it: the same number makes
//! the same call.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod calls;
mod codex;
mod models;
mod random;
