//! The commands on a review: those that editors offer, those that a person gives, and the hunks that they
//! concern.

pub(super) mod action_titles;
pub(super) mod code_actions;
pub(super) mod command_arguments;
pub(super) mod command_queue;
pub(super) mod hunks_at_lines;
