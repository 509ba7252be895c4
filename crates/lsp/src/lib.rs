//! `alongside lsp`: a language server towards the editor, a desk towards the companion.
//!
//! An editor starts `alongside lsp` as it starts any language server. This crate answers the editor at once,
//! [connects](run) to the companion in the background, and becomes a desk in one of two ways:
//!
//! - an editor with a plugin speaks the desk protocol itself, among LSP's own messages;
//! - any other editor speaks plain LSP: its requests show where the person is, and a proposal is a document.
//!
//! [`editors`] is the table of editors and their differences.

mod client;
mod connector;
mod editor_desk;
mod editor_remote;
pub mod editors;
mod encoding;
#[doc(hidden)]
pub mod fuzzing;
mod handshake;
mod io;
mod plugin_desk;
mod problems;
mod roots;
mod session;
mod uri;
mod without_plugin;

pub use client::Client;
pub use editor_remote::EditorRemote;
pub use encoding::Encoding;
pub use lsp_server::Connection;
pub use roots::{repository, trusted_repository};
pub use session::{Program, run};
