//! Reviews: a proposal from `openDiff` to its outcome.

mod destination;
pub(crate) mod diff;
mod git_directories;
pub(crate) mod line_endings;
pub(crate) mod outcome;
pub(crate) mod proposal;
pub(crate) mod registry;
pub(crate) mod review;
pub(crate) mod target;
