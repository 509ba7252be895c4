//! Checks to come.

pub(super) static CHECKS: &[super::Check] = &[];

pub(super) struct Ended {}
