//! The last words of reviews: what their files hold after the decision, for desks.

mod decision_watch;
pub(crate) mod effect;
pub(crate) mod look;
pub(crate) mod registry;
