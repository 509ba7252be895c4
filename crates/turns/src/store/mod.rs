//! The files of the store of a working tree: its directory, its logs and its locks, and the forms of the
//! lines of the logs.

pub(crate) mod comment_line;
pub(crate) mod comment_log;
pub(crate) mod comment_state;
pub(crate) mod delivery_way;
pub(crate) mod escaped_path;
pub(crate) mod file_lock;
pub(crate) mod hash;
pub(crate) mod json_lines;
#[cfg(test)]
pub(crate) mod sample_comment_lines;
pub(crate) mod session_address;
pub(crate) mod tree_store;
pub(crate) mod turn_dirs;
pub(crate) mod turn_log;
