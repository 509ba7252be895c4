//! Context: the files that the person has open, as far as agents may know of them.

pub(crate) mod debounce;
pub(crate) mod file_scan;
pub(crate) mod git_ignore_file;
pub(crate) mod open_files;
pub(crate) mod privacy;
pub(crate) mod tracker;
