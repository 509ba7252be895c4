//! The proposals of agents that wait while the person reviews a turn. They are decided at another desk.

use std::collections::BTreeSet;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Question, Waiting};
use alongside_desk::{Problem, Review, ReviewId, Status, messages};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    companion: CompanionState,
    roots: Vec<PathBuf>,
    waiting: BTreeSet<ReviewId>,
}

impl Proposals {
    /// Takes a status. Nothing is said of agents that come or go.
    pub(super) fn take_status(&mut self, status: Status) {
        self.roots.clone_from(&status.roots);
        self.companion.take_status(status);
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// A proposal arrives. Returns the line that says so.
    pub(super) fn add(&mut self, review: &Review) -> String {
        self.waiting.insert(review.id);
        let (name, agent) =
            (messages::file_name(&review.file, &self.roots), messages::agent_name(&review.agent));
        format!("New proposal: {name} by {agent}. It waits at a desk; `alongside review` shows it.")
    }

    /// A review ended.
    pub(super) fn close(&mut self, id: ReviewId) {
        self.waiting.remove(&id);
    }

    /// Takes a problem. Returns the words about it.
    pub(super) fn problem(&mut self, problem: &Problem) -> String {
        self.companion.take_problem(problem).text
    }

    /// The question before leaving, if that ends proposals.
    pub(super) fn question_before_leaving(&self) -> Option<Question> {
        Question::before_leaving(self.waiting(), self.companion.status())
    }

    pub(super) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// The proposals that may end with this desk. It shows no reviews, so those of hooks do not end with it.
    fn waiting(&self) -> Waiting {
        Waiting { all: self.waiting.len(), by_hook: 0 }
    }

    /// The sentence about waiting proposals when the person leaves.
    pub(super) fn on_leaving(&self) -> Option<String> {
        let ends = || "Leaving: waiting proposals are rejected.".to_owned();
        match self.waiting.is_empty() {
            true => None,
            false => Some(self.companion.stays_open(self.waiting()).unwrap_or_else(ends)),
        }
    }
}
