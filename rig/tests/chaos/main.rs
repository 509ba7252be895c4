//! Chaos, a slice of it: see `alongside_rig::chaos`. The rest is `cargo xtask chaos`.

mod paused;
mod real;
