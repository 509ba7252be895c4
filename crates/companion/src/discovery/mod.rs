//! Discovery: the files by which agents find this companion.

mod ancestors;
pub(crate) mod locations;
pub(crate) mod presence;
pub(crate) mod publisher;
pub(crate) mod sweep;
mod workspace_path;
