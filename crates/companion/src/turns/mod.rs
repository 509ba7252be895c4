//! Turn reviews: what changed in a working tree since its baseline. They are no proposals: nobody asked for
//! them, they have no deadline, and old desks never hear of them.

mod comment_work;
pub(crate) mod effect;
mod file_texts;
mod finish;
pub(crate) mod job;
mod marked_file;
pub(crate) mod noting;
pub(crate) mod registry;
pub(crate) mod request;
mod sending;
mod single_runs;
pub mod source;
pub(crate) mod surroundings;
mod turn_review;
mod work;
