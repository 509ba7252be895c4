//! Tests of the real program, with its input and output in pipes. The crate `alongside-agent` acts as the
//! agent and speaks the real protocol. Every test has its own directories.

// The helpers read /proc.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod check;
mod comments;
mod context;
mod deciding;
mod demo;
mod discovery;
mod doctor;
mod drafts;
mod editor;
mod help;
mod hook;
mod host;
mod idle;
mod install;
mod json;
mod log;
mod lsp;
mod moves;
mod pasting;
mod places;
mod recovery;
mod rules;
mod settings;
mod settings_effects;
mod shutdown;
mod squatter;
mod support;
mod system_calls;
mod terminal;
mod token_secrecy;
mod transcript;
mod turn_review;
mod turn_wait;
mod turns;
