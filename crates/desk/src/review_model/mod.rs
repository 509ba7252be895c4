//! A review as a person works on it at a desk, without a screen: where they are, the questions they are
//! asked, and the messages they read. The terminal desk and line mode differ only in how they show it.

mod accept_all;
mod acceptances;
pub mod comment_place;
pub mod comment_state;
mod companion_state;
mod line_set;
mod message;
mod notes;
mod open_review;
mod question;
mod turn_finish;
mod waiting_at_leave;

pub use accept_all::{AcceptedTogether, ListedReview, Obstacle, SeenPart};
pub use acceptances::Acceptances;
pub use companion_state::{CompanionState, HookAgent};
pub use line_set::LineSet;
pub use message::{Message, MessageKind, Subject};
pub use notes::{Note, notes};
pub use open_review::{OpenReview, RefusedText, ReviewNews, UndoStep};
pub use question::{Question, Reply};
pub use turn_finish::can_send;
pub use waiting_at_leave::Waiting;

#[cfg(test)]
pub(crate) use open_review::tests::review as review_for_tests;
