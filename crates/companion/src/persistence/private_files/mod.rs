//! Files and directories that no other user can read or redirect: atomic writes, mode 0600 in directories of
//! mode 0700, and locks.

mod atomic_write;
mod directory;
#[cfg(test)]
pub(crate) mod disk_steps;
mod linked_copies;
mod lock;
mod unfinished;

pub(crate) use atomic_write::append;
pub use atomic_write::write;
pub(crate) use directory::{ANOTHERS, create_private, open_private, remove_empty};
pub use directory::{PathTrust, directory};
pub(crate) use linked_copies::LinkedCopies;
pub use lock::{leads_to, try_lock};
pub(crate) use unfinished::{WRITE_TIMEOUT, is_of_dead_process, remove_unfinished, remove_unfinished_in};

#[cfg(all(test, unix))]
mod tests;
