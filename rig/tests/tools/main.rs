//! The text that a person reviews is the text that a tool writes, and if the person edits it, the tool writes
//! the edited text. Random calls check that: calls of Codex's own `apply_patch`, and of models of the tools
//! with which the other agents edit and write files. Each call has a number, from which it can be made again,
//! and a failure names it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod calls;
mod codex;
mod models;
mod random;
