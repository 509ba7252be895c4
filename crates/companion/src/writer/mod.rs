//! The writer: the one task that writes our own files and the discovery files.

mod draft_check;
pub(crate) mod job;
pub(crate) mod task;
mod worker;
