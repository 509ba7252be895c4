//! The panels of a turn review. They replace the panels of a proposal.

pub(crate) mod files;
pub(crate) mod header;
pub(crate) mod no_text;
