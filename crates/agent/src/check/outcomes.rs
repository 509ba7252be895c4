//! Checks to come.

use super::bench::Played;
use tokio::sync::OnceCell;

pub(super) static CHECKS: &[super::Check] = &[];

#[derive(Default)]
pub(super) struct Scenes {
    pub(super) rewriting: OnceCell<Played<super::contents::Rewriting>>,
}
