//! Snapshots of a working tree: how one is taken, what one holds, and which files it leaves out.

pub(crate) mod blobs;
pub(crate) mod compared_trees;
pub(crate) mod exclusions;
pub(crate) mod ignored_files;
pub(crate) mod index_copy;
pub(crate) mod left_out_files;
pub(crate) mod project_index;
pub(crate) mod snapshot_index;
pub(crate) mod tree_access;
