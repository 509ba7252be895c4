//! `alongside` on a real terminal: a pseudoterminal (pty) with an emulator. Tests check the visible screen,
//! and the terminal's state afterwards.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arranging;
mod colours;
mod deciding;
mod editing;
mod ending;
mod hostile;
mod itself;
mod many_files;
mod notifying;
mod panicking;
mod slow;
mod stage;
