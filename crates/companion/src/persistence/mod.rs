//! Our own files: drafts, the recovery journal, and the room on the disk that is reserved for both.

pub(crate) mod app_dirs;
mod draft;
pub mod drafts;
pub(crate) mod journal;
mod journal_file;
pub mod private_files;
pub(crate) mod recovery;
pub(crate) mod recovery_store;
pub(crate) mod reserve;
mod session_files;
