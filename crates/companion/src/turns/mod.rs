//! Turn reviews: the changes of a working tree since its baseline. They are not proposals: no agent asks for
//! them, they have no deadline, and old desks never get them.

mod agents_at_work;
mod comment_work;
pub(crate) mod effect;
pub(crate) mod file_note;
mod file_texts;
mod finish;
pub(crate) mod job;
mod marked_file;
mod pending_jobs;
mod pending_message;
pub(crate) mod registry;
pub(crate) mod request;
mod review_table;
mod single_runs;
pub mod source;
pub(crate) mod surroundings;
mod turn_review;
mod undo_plan;
