//! The panels around the review, a file for each.

pub(crate) mod accept_all;
pub(crate) mod accepted;
pub(crate) mod agent_setup;
pub(crate) mod agents;
pub(crate) mod banner;
pub(crate) mod bottom;
pub(crate) mod comment;
pub(crate) mod context;
pub(crate) mod empty;
pub(crate) mod header;
pub(crate) mod help;
mod listed_review;
pub(crate) mod message_list;
pub(crate) mod reason;
pub(crate) mod reviews;
mod scene;
pub(crate) mod strip;
pub(crate) mod turn_files;
pub(crate) mod turn_header;
pub(crate) mod turn_list;
pub(crate) mod turn_page;
pub(crate) mod waiting_list;

pub(crate) use scene::{Scene, draw_lines};
