//! Desks: who shows reviews, and what each of them is told.

pub(crate) mod notifications;
pub(crate) mod profile;
pub(crate) mod registry;
pub(crate) mod request;
