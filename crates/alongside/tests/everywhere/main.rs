//! Tests of the real program that run on every system: on Linux in each run of the tests, and as a program of
//! Windows under Wine by `cargo xtask systems`. The other tests of the program need Linux.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(windows)]
mod gemini;
mod home;
mod hooks;
mod reviews;
mod setup;
