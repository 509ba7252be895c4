//! Access to private items for the fuzzers in `fuzz/` and for benches. Not a public interface.

use std::time::{Duration, Instant};

use alongside_contract::context::IdeContext;
use alongside_contract::family::{ContextForm, Transport};
use alongside_desk::{Change, Hunk, Refusal, Words};
use bytes::Bytes;

use crate::agents::context_frames::ContextFrames;
use crate::agents::outbox::Outbox;
use crate::agents::outcome_messages::Delivery;
use crate::reviews::diff::{composition, word_diff, word_marks};
use crate::reviews::ground::Ground;
use crate::reviews::line_endings::normalize;
use crate::reviews::outcome::Outcome;
use crate::reviews::proposal::PreparedProposal;

pub use crate::mcp::fuzzing::{Endpoint, EndpointResponse, read_open_diff};

/// Reads a file and compares it with a proposal, as before the main loop gets the proposal, if no rule may
/// accept it. Returns `None` if the proposal cannot be shown.
#[must_use]
pub fn prepare(file_path: String, proposed: String) -> Option<impl Sized> {
    let ground = Ground::new(&[], None).with_thorough_search(false);
    PreparedProposal::prepare(file_path, &proposed, &ground).ok()
}

/// Returns the words that differ between some lines; `None` also if there are too many words.
#[must_use]
pub fn words(original: &str, other: &str) -> Option<Words> {
    word_marks::cost(original, other)?;
    word_diff::differing_words(original, other, Instant::now() + Duration::from_secs(3600))
}

/// Returns a context as it is streamed to an agent.
#[must_use]
pub fn context_frame(context: &IdeContext) -> Bytes {
    ContextFrames::new(context).get(ContextForm::Update, Transport::Http)
}

/// Returns an acceptance as it is streamed to the agent.
#[must_use]
pub fn accepted_frame(file_path: &str, text: &str) -> Option<Bytes> {
    let mut outbox = Outbox::new(Transport::Http);
    outbox.push_outcome(file_path, Outcome::Accepted(text.into()), Delivery::Notified { closes: false }, 1);
    outbox.next_frame(1, false)
}

/// A proposal for a file, in the form of its review.
#[derive(Debug)]
pub struct ReviewComposition(composition::Composition);

#[allow(clippy::missing_errors_doc, reason = "the errors are those of the composition")]
impl ReviewComposition {
    /// Creates a composition; `None` if the file cannot be compared with the proposal.
    #[must_use]
    pub fn new(on_disk: &[u8], proposed: &str) -> Option<Self> {
        let original = normalize(Some(on_disk.to_vec()), proposed).original?;
        Some(Self(composition::Composition::new(original, proposed)))
    }

    /// Creates a composition without a time limit, because counting instructions makes the program fifty
    /// times slower.
    #[must_use]
    pub fn without_time_limit(on_disk: &[u8], proposed: &str) -> Option<Self> {
        let original = normalize(Some(on_disk.to_vec()), proposed).original?;
        Some(Self(composition::Composition::within(Duration::from_secs(3600), original, proposed)))
    }

    /// Returns the original as it is compared.
    #[must_use]
    pub fn original(&self) -> &str {
        self.0.original()
    }

    /// Returns the text that a decision would accept now.
    #[must_use]
    pub fn current(&self) -> &str {
        self.0.current()
    }

    /// Returns the differences of the texts.
    #[must_use]
    pub fn hunks(&self) -> Vec<Hunk> {
        self.0.hunks()
    }

    /// Keeps or drops hunks.
    pub fn keep(&mut self, hunks: &[usize], keep: bool) -> Result<(), Refusal> {
        self.0.keep(hunks, keep)
    }

    /// Splits a hunk.
    pub fn split(&mut self, hunk: usize) -> Result<(), Refusal> {
        self.0.split(hunk, None)
    }

    /// Applies changes of the person.
    pub fn edit(&mut self, changes: &[Change]) -> Result<(), Refusal> {
        self.0.edit(changes)
    }

    /// Undoes the last change.
    pub fn undo(&mut self) -> Result<(), Refusal> {
        self.0.undo()
    }

    /// Applies again the change that `undo` took back last.
    pub fn redo(&mut self) -> Result<(), Refusal> {
        self.0.redo()
    }
}
