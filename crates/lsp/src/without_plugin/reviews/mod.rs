//! The reviews that wait for the person of this editor, and those that have ended.

pub(super) mod awareness;
pub(super) mod ended_reviews;
pub(super) mod registry;
pub(super) mod showing;
pub(super) mod waiting_review;
