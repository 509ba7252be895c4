//! Checks to come.

pub(super) static CHECKS: &[super::Check] = &[];

pub(super) const SEVERAL: &str = "sessions.several";
