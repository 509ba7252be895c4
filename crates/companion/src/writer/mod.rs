//! The writer: the one task that writes our own files and the discovery files.

pub(crate) mod job;
pub(crate) mod task;
mod worker;
