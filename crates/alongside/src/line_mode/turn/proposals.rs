//! The proposals that wait while the person reviews a turn. The person decides on them at another desk.

use std::collections::BTreeSet;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Question, Waiting};
use alongside_desk::{Problem, Review, ReviewId, Status, messages};

/// The waiting proposals.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    companion: CompanionState,
    roots: Vec<PathBuf>,
    waiting: BTreeSet<ReviewId>,
}

impl Proposals {
    /// Takes a status of the companion. Agents that come or go are not announced.
    pub(super) fn take_status(&mut self, status: Status) {
        self.roots.clone_from(&status.roots);
        self.companion.take_status(status);
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Adds a proposal that has arrived. Returns the announcement.
    pub(super) fn add(&mut self, review: &Review) -> String {
        self.waiting.insert(review.id);
        let (name, agent) =
            (messages::file_name(&review.file, &self.roots), messages::agent_name(&review.agent));
        format!("New proposal: {name} by {agent}. It waits at a desk; `alongside review` shows it.")
    }

    /// Removes a proposal whose review has ended.
    pub(super) fn close(&mut self, id: ReviewId) {
        self.waiting.remove(&id);
    }

    /// Takes a problem. Returns the sentence about it.
    pub(super) fn take_problem(&mut self, problem: &Problem) -> String {
        self.companion.take_problem(problem).text
    }

    /// Returns the question before leaving, if leaving ends proposals.
    pub(super) fn question_before_leaving(&self) -> Option<Question> {
        Question::before_leaving(self.waiting(), self.companion.status())
    }

    pub(super) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the proposals that may end with this desk. A proposal of a hook does not, because this desk
    /// shows no reviews.
    fn waiting(&self) -> Waiting {
        Waiting { all: self.waiting.len(), by_hook: 0 }
    }

    /// Returns the sentence about waiting proposals for a person who leaves.
    pub(super) fn leaving_sentence(&self) -> Option<String> {
        let rejected = || "Leaving: waiting proposals are rejected.".to_owned();
        match self.waiting.is_empty() {
            true => None,
            false => Some(self.companion.stays_open(self.waiting()).unwrap_or_else(rejected)),
        }
    }
}
