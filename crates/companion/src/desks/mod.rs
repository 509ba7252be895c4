//! The connected desks, and the events that each of them is sent.

pub(crate) mod notifications;
pub(crate) mod profile;
pub(crate) mod registry;
