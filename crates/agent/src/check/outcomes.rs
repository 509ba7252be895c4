//! Checks to come.

pub(super) static CHECKS: &[super::Check] = &[];

#[derive(Default)]
pub(super) struct Scenes {}
