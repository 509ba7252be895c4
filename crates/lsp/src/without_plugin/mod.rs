//! An editor without a plugin. Its requests reveal where the person is, which becomes context; a proposal is
//! a document that LSP's own means show, edit and decide.
//!
//! [`LspDesk`] hands each message to the part that owns the state.

mod action_titles;
mod awareness;
pub(crate) mod capabilities;
mod change_log;
mod code_actions;
mod command_arguments;
mod command_queue;
mod context;
mod diagnostics;
mod disk_copy;
mod document;
pub(crate) mod documents;
mod editor;
mod ended_reviews;
mod hover;
mod hunk_messages;
mod hunk_places;
mod lsp_desk;
mod lsp_types;
mod mentions;
mod messages;
mod mirror;
mod normalization;
mod offered_changes;
mod one_line_messages;
mod person_place;
mod phase;
mod plain_text;
pub(crate) mod positions;
mod proposal_file;
mod review_document;
#[cfg(test)]
mod tests;
mod waiting_review;
mod waiting_reviews;

pub(crate) use lsp_desk::LspDesk;
