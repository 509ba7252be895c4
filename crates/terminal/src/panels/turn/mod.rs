//! The panels of a turn review, in place of those of a proposal.

pub(crate) mod files;
pub(crate) mod header;
pub(crate) mod page;
