//! Our own files: drafts, the recovery journal, and the one task that writes them.

pub(crate) mod app_dirs;
mod draft;
mod draft_check;
pub mod drafts;
pub(crate) mod journal;
mod journal_file;
pub mod private_files;
pub(crate) mod recovery;
pub(crate) mod recovery_store;
pub(crate) mod reserve;
mod session_files;
pub(crate) mod write_job;
mod write_worker;
pub(crate) mod writer;
