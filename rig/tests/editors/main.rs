//! People in their editors: the released Neovim and Helix, the oldest and the newest we support, in panes of
//! a real terminal. What counts is what the screen shows and what the file holds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod checked;
mod endings;
mod helix;
mod installed;
mod lasting;
mod neovim;
mod saving;
#[path = "../stories/script.rs"]
#[allow(dead_code)]
mod script;
mod scripts;
mod stage;
mod together;
