//! `alongside` on a real terminal: a pty with an emulator behind it. Tests assert on the visible screen, and
//! on the terminal's state afterwards.

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
