//! The panels of the screen, one file for each.

pub(crate) mod agents;
pub(crate) mod bottom;
pub(crate) mod context;
pub(crate) mod demo_banner;
mod drawn_state;
pub(crate) mod header;
mod list_rows;
pub(crate) mod list_strip;
pub(crate) mod no_review;
pub(crate) mod overlays;
pub(crate) mod reviews;
pub(crate) mod turn;

pub(crate) use drawn_state::{DrawnState, draw_lines};
