//! The connected desks, and the events that they get.

pub(crate) mod notifications;
pub(crate) mod profile;
pub(crate) mod registry;
