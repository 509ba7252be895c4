//! The search for the companion to check, as an agent searches.

pub(crate) mod record_file;
pub(crate) mod target;
