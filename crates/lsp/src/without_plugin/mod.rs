//! An editor without a plugin. Its requests reveal where the person is, which becomes context; a proposal is
//! a document that LSP's own means show, edit and decide.
//!
//! [`LspDesk`] hands each message to the part that owns the state.

mod agent_setup;
pub(crate) mod capabilities;
mod commands;
mod context;
mod display;
mod editor;
mod lsp_desk;
mod lsp_types;
mod messages;
pub(crate) mod open_documents;
mod proposal_document;
mod reviews;
#[cfg(test)]
mod tests;

pub(crate) use lsp_desk::LspDesk;
