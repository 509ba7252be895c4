//! People in their editors: the oldest supported and the newest release of Neovim and Helix in panes of a
//! real terminal. Tests assert on the screen and on the file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod colours;
mod conformance_check;
mod emacs;
mod endings;
mod helix;
mod helix_buffers;
mod hostile;
mod installed;
mod kakoune;
mod kate;
mod kate_names;
mod neovim;
mod new_agents;
mod opening;
mod quitting;
mod restarts;
mod saving;
#[path = "../stories/script.rs"]
#[allow(dead_code)]
mod script;
mod scripts;
mod stage;
mod terminal;
mod together;
mod vim;
mod vim_names;
mod vscode;
mod vscode_desk;
mod vscode_names;
mod vscode_selectors;
