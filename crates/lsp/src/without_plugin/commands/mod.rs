//! The commands on a review: what editors offer, what a person gives, and the hunks that it means.

pub(super) mod action_titles;
pub(super) mod code_actions;
pub(super) mod command_arguments;
pub(super) mod command_queue;
pub(super) mod hunks_at_lines;
