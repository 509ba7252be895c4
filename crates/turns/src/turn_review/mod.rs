//! The turn review: the files that differ from the baseline, the author of each change, the changes that a
//! person accepted before the write, and the end of the review.

pub(crate) mod accepted_changes;
pub(crate) mod authors;
pub(crate) mod changed_files;
pub(crate) mod finish;
pub(crate) mod look;
pub(crate) mod notes;
pub(crate) mod unreviewed_trees;
