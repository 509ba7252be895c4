//! The lines of a text: found again in a newer text, and compared with it. Pure functions.

pub(crate) mod anchors;
pub(crate) mod line_changes;
