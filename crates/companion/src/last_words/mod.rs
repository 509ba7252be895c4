//! The last word of each review: tells desks what its file holds after the decision.

pub(crate) mod look;
pub(crate) mod registry;
pub(crate) mod said;
mod watched;
