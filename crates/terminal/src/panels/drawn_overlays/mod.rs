//! The drawing of the [`overlays`](crate::overlays), one file for each.

pub(crate) mod accept_all;
pub(crate) mod accepted_by_rule;
pub(crate) mod comment_input;
pub(crate) mod help;
pub(crate) mod message_list;
pub(crate) mod reason_input;
pub(crate) mod review_list;
pub(crate) mod settings_offer;
pub(crate) mod turn_list;
