//! Chaos, a slice of it: see `alongside_rig::chaos`. The rest is `cargo xtask chaos`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod paused;
mod real;
