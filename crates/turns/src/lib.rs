//! The store of turns: snapshots of a working tree at the beginning and the end of each turn, and the changes
//! since a snapshot.
//!
//! Each working tree has a store on disk, so that a desk that is opened after a turn finds its changes even
//! where no host ran. Snapshots are trees of git in a bare repository of our own, outside the project: we
//! write nothing into the project's repository, and run no program that its settings name.

mod accepted;
mod agent_process;
mod anchors;
mod answers;
mod authors;
mod blobs;
mod changes;
mod claims;
mod comment_log;
mod comments;
mod compaction;
mod delivery;
mod escaped;
mod exclusions;
mod fault;
mod feedback;
mod finish;
mod git;
mod hash;
mod ignored;
mod index;
mod index_entries;
mod json_lines;
mod left_out;
mod line_changes;
mod log;
mod look;
mod look_state;
mod message;
mod notes;
mod open_turns;
mod own_writes;
mod places;
mod project_index;
mod promises;
mod read_moment;
mod recording;
mod repository;
mod round_size;
mod route;
mod shelf;
mod shelf_lock;
mod store;
mod texts;
mod tree_diff;
mod tree_place;
mod trimming;
mod undo;
mod waiter;
mod waiting;
mod workbench;
mod working_tree;
mod write_back;

pub use agent_process::{RunningAgent, running_agent};
pub use claims::{Claim, Claimed, Message, Reader, claim, claim_for_person, confirm, pending, watched_file};
pub use comments::{feedback_in, sent_text};
pub use delivery::Delivery;
pub use fault::Fault;
pub use feedback::SentText;
pub use git::has_git;
pub use own_writes::own_writes;
pub use places::Places;
pub use recording::{Recorded, TurnEvent, clear, clear_all, delete_all, record, seed, stored, unread};
pub use store::TurnStore;
pub use trimming::{KEPT_FOR, MAX_BYTES, is_due, trim};
pub use undo::{TAKEN_BACK, YOUR_UNDO};
pub use waiter::Waiter;
pub use waiting::{Waiting, waiting, waiting_in};
pub use write_back::WayBack;

#[cfg(test)]
#[cfg(unix)]
mod tests;
