//! The desk protocol, and what every desk shares.
//!
//! A *desk* is anything that shows reviews and may report context: an editor plugin, a terminal, a web page.
//! None is special. A desk sends a [`Request`] and gets [events](Event); every message that changes a review
//! names the revision it was made on, and the companion [refuses](Refusal) a stale one instead of guessing.
//!
//! This crate holds the messages, the two ends of a connection, and the [review model](review_model) of a
//! desk. It knows nothing of hunks being made or decisions being carried out: the companion does that.

pub mod agent_setup;
mod connection;
mod context;
mod diagnostics;
mod draft_keeper;
mod error_text;
#[doc(hidden)]
pub mod fuzzing;
pub mod harmless;
pub mod look_alikes;
pub mod messages;
pub mod path_fit;
mod protocol_messages;
mod review;
pub mod review_model;
mod rule_acceptance;
pub mod socket;
mod status;
mod text;
mod turn;

pub use connection::{Call, CallAnswer, Desk, Gone, Seat, pair};
pub use context::{ActiveFile, ContextReport, OpenFile, Position, Range};
pub use diagnostics::{Code, Diagnostic, FileDiagnostics};
pub use draft_keeper::DraftKeeper;
pub use error_text::without_error_codes;
pub use protocol_messages::{Event, Request};
pub use review::decision::{Closed, Closing, Decision, Follows, Refusal, Revised};
pub use review::hook_proposal::{HookProposal, Operation, Verdict};
pub use review::last_word::{LastWord, Word};
pub use review::moved_lines::{Moved, moved};
pub use review::packed_texts::PackedTexts;
pub use review::{
    Changed, Hunk, HunkState, Limit, LineEnding, Lines, OutOfStep, Reasons, Review, ReviewId, Unawaited,
    Words,
};
pub use rule_acceptance::{ChangeKind, Grant, RuleAcceptance, Scope};
pub use status::{Agent, Environment, Problem, SharedFile, Status, now_ms};
pub use text::best_pairs::best_pairs;
pub use text::difference::{alike_at_end, alike_at_start, replacement};
pub use text::{Change, PositionNotInText, Text, without_ending};
pub use turn::comment::{Anchor, Comment, CommentId, CommentState, LineRange, Route, Side, TurnMessage};
pub use turn::{
    AtWork, Author, Baseline, FileChange, Marked, OpenedTurnFile, SnapshotKind, SnapshotTaken, Turn,
    TurnFile, TurnFinished, TurnId, UndoneFile,
};
