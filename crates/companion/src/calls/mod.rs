//! The calls that wait: for a person's decision, for the answers of desks, or for the privacy rules.

pub(crate) mod hooks;
pub(crate) mod registry;
