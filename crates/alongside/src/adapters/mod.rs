//! Adapters: the files that make an editor or an agent work with alongside. Each adapter plans its changes;
//! only [`change`] writes them.
//!
//! An editor is a row of [`editor::Editor`] once the tests install its adapter into the real editor.

pub(crate) mod agent_hook;
pub(crate) mod agent_setting;
pub(crate) mod agents;
pub(crate) mod change;
pub(crate) mod editor;
pub(crate) mod editor_terminal;
pub(crate) mod emacs;
pub(crate) mod helix;
pub(crate) mod installed;
pub(crate) mod kakoune;
pub(crate) mod kate;
pub(crate) mod ledger;
pub(crate) mod neovim;
mod package;
pub(crate) mod plan;
pub(crate) mod preview;
pub(crate) mod removal;
pub(crate) mod user_environment;
pub(crate) mod vim;
pub(crate) mod vscode;
