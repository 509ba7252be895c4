//! Reviews: a proposal, from `openDiff` or a hook, to its outcome.

mod agents_links;
pub(crate) mod decided_text;
pub(crate) mod decisions;
pub(crate) mod destination;
pub(crate) mod diff;
pub(crate) mod draft_versions;
mod git_directories;
mod git_settings;
pub(crate) mod ground;
pub(crate) mod large_text;
pub(crate) mod line_endings;
mod link_targets;
pub(crate) mod outcome;
pub(crate) mod proposal;
pub(crate) mod proposal_queue;
mod reasons;
pub(crate) mod registry;
pub(crate) mod remarks;
pub(crate) mod review;
pub(crate) mod reviewed_text;
pub(crate) mod target;
pub(crate) mod unprepared;
