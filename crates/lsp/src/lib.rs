//! The front door for editors: a language server on one side, a desk on the other.
//!
//! An editor starts `alongside lsp` as it starts any language server. This crate answers it at once,
//! [reaches](run) the companion in the background, and then carries messages between the two in one of two
//! ways:
//!
//! - an editor with a [plugin] speaks the desk protocol itself, among LSP's own messages;
//! - any other is served in [plain] LSP: what it happens to leak becomes context, and a proposal becomes a
//!   document.
//!
//! Which editor it is, and where it departs from the others, is read from [`editors`], a table.

mod client;
pub mod editors;
#[doc(hidden)]
pub mod fuzzing;
mod io;
mod plain;
mod plugin;
mod session;
mod uri;

pub use client::{Client, Encoding};
pub use lsp_server::Connection;
pub use session::run;
