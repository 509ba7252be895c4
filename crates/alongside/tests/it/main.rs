//! `alongside` as people use it: the real program, with its input and output in pipes, and the agent crate as
//! the agent over the real wire. Everything lies in directories of the test's own.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod check;
mod chosen;
mod coming_back;
mod deciding;
mod demo;
mod doctor;
mod editor;
mod ending;
mod finding;
mod help;
mod host;
#[cfg(target_os = "linux")]
mod idle;
mod install;
mod json;
mod log;
mod lsp;
mod secrecy;
mod settings;
mod squatter;
mod support;
mod telling;
mod terminal;
mod transcript;
