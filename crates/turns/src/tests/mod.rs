//! Tests of the store with the installed git, in temporary directories.

mod comments;
mod deliveries;
mod fixture;
mod hostile;
mod looks;
mod notes;
mod random;
mod recordings;
mod repositories;
mod rounds;
mod undone_messages;
mod undos;
mod waiting_hook;
