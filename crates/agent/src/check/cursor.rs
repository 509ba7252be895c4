//! Checks to come.

pub(super) static CHECKS: &[super::Check] = &[];
