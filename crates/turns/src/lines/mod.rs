//! Pure functions on the lines of a text: one finds lines again in a newer text, one compares two texts.

pub(crate) mod anchors;
pub(crate) mod line_changes;
