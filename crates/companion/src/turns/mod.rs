//! Turn reviews: what changed in a working tree since its baseline. They are no proposals: nobody asked for
//! them, they have no deadline, and old desks never hear of them.

pub(crate) mod effect;
mod finish;
pub(crate) mod job;
mod marked_file;
pub(crate) mod registry;
pub(crate) mod request;
mod single_runs;
pub mod source;
mod turn_review;
mod work;
