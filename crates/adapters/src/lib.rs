//! Adapters: the files that make an editor or an agent work with alongside. Each adapter plans its changes;
//! only [`change`] writes them.
//!
//! An editor gets a row in [`editors::EDITORS`] when a test installs its adapter into the real editor.

pub mod agent_hook;
pub mod agent_setting;
pub mod agents;
pub mod change;
pub mod editor;
pub mod editor_terminal;
pub mod editors;
mod emacs;
mod helix;
pub mod installation;
mod kakoune;
mod kate;
pub mod ledger;
mod neovim;
mod package;
pub mod plan;
pub mod preview;
pub mod program_directories;
pub mod removal;
pub mod user_environment;
mod vim;
pub mod vscode;
