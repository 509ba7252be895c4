//! The documents that the editor has open, and positions in them.

pub(super) mod change_log;
pub(super) mod document;
pub(crate) mod documents;
pub(crate) mod positions;
