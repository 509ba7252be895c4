//! The panels of the screen, one file for each.

pub(crate) mod agents;
pub(crate) mod bottom;
pub(crate) mod context;
pub(crate) mod demo_banner;
pub(crate) mod drawn_overlays;
mod drawn_state;
mod list_rows;
pub(crate) mod list_strip;
pub(crate) mod no_review;
pub(crate) mod review_header;
pub(crate) mod reviews;
pub(crate) mod turn;

pub(crate) use drawn_state::{DrawnState, draw_lines};
