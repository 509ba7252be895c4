//! The store of turns: snapshots of working trees at the beginning and the end of turns, and what changed since.
//!
//! The store belongs to a working tree and lives on disk, so that a desk that is opened after a turn finds
//! everything, whether a host ran or not. Git is the means, in a bare directory of our own beside the project:
//! nothing of the repository is touched, and nothing that it names is run.

mod places;
mod store;

pub use places::Places;
pub use store::TurnStore;
