//! The store of turns: snapshots of a working tree at the beginning and the end of each turn, and the changes
//! since a snapshot.
//!
//! Each working tree has a store on disk, so that a desk that is opened after a turn finds its changes even
//! where no host ran. Snapshots are trees of git in a bare repository of our own, outside the project: we
//! write nothing into the project's repository, and run no program that its settings name.

mod comments;
mod delivery;
mod error;
mod git;
mod lines;
mod recording;
mod sessions;
mod snapshots;
mod store;
mod trimming;
mod turn_review;
mod turn_store;
mod undo;
mod working_tree;

pub use comments::comment_list::SentText;
pub use comments::{feedback_in, sent_text};
pub use delivery::message_claims::{
    Claim, Claimed, Message, Reader, claim, claim_for_person, confirm, pending, watched_file,
};
pub use delivery::waiter::Waiter;
pub use error::Error;
pub use git::has_git;
pub use recording::{Recorded, TurnEvent, clear, clear_all, delete_all, record, seed, stored, unread};
pub use sessions::agent_process::{RunningAgent, running_agent};
pub use store::delivery_way::Delivery;
pub use store::turn_dirs::TurnDirs;
pub use trimming::{KEPT_FOR, MAX_BYTES, is_due, trim};
pub use turn_review::unreviewed_trees::{UnreviewedTree, unreviewed_in, unreviewed_trees};
pub use turn_store::TurnStore;
pub use undo::own_writes::own_writes;
pub use undo::take_back::TakeBack;
pub use undo::{TAKEN_BACK, YOUR_UNDO};

#[cfg(test)]
#[cfg(unix)]
mod tests;
