//! Files (0600) and directories (0700) that no other user can read or redirect; atomic writes, locks.

mod atomic_write;
mod directory;
#[cfg(test)]
pub(crate) mod disk_steps;
mod linked_copies;
mod lock;
mod unfinished;

pub use alongside_platform::files::leads_to;
pub(crate) use atomic_write::{create, random};
pub use atomic_write::{in_one_step, write};
pub(crate) use directory::{FOREIGN_OWNER, create_private, open_private, remove_empty};
pub use directory::{PathTrust, directory};
pub(crate) use linked_copies::LinkedCopies;
pub use lock::try_lock;
#[cfg(test)]
pub(crate) use unfinished::WRITE_TIMEOUT;
pub(crate) use unfinished::{is_of_dead_process, is_old, remove_unfinished, remove_unfinished_in};

#[cfg(all(test, unix))]
mod tests;
