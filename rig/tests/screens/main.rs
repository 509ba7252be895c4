//! `alongside` on a real terminal: a pty with an emulator behind it. What counts is what a person would see,
//! and that the terminal is as it was afterwards.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod colours;
mod deciding;
mod ending;
mod hostile;
mod itself;
mod panicking;
mod slow;
mod stage;
