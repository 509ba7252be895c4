//! Discovery: the files by which agents find this companion.

mod ancestors;
mod liveness;
pub(crate) mod locations;
mod lock;
mod plan;
pub(crate) mod presence;
mod problems;
pub(crate) mod publisher;
mod record_file;
pub(crate) mod sweep;
mod workspace_path;
