//! The question of an agent for the problems in files, until every desk that knows any has answered.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::FileDiagnostics;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::ids::DeskId;

/// How long the question waits for desks. Claude Code waits 500 ms.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(400);

/// All open questions.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticsQuestions {
    last: u64,
    open: Vec<Question>,
}

#[derive(Debug)]
struct Question {
    number: u64,
    waiting: BTreeSet<DeskId>,
    until: Instant,
    found: FoundDiagnostics,
}

/// The problems that desks found, and the agent's call that waits for them.
#[derive(Debug)]
pub(crate) struct FoundDiagnostics {
    pub(crate) files: Vec<FileDiagnostics>,
    /// Gets the problems that agents may know.
    pub(crate) answer: oneshot::Sender<Vec<FileDiagnostics>>,
}

impl DiagnosticsQuestions {
    /// An agent asks, and these desks are asked. Returns the number of the question.
    pub(crate) fn begin(
        &mut self,
        desks: BTreeSet<DeskId>,
        answer: oneshot::Sender<Vec<FileDiagnostics>>,
    ) -> u64 {
        self.last += 1;
        self.open.push(Question {
            number: self.last,
            waiting: desks,
            until: Instant::now() + ANSWER_TIMEOUT,
            found: FoundDiagnostics { files: Vec::new(), answer },
        });
        self.last
    }

    /// A desk answers. An answer that nobody waits for is dropped.
    pub(crate) fn answered(&mut self, desk: DeskId, number: u64, files: Vec<FileDiagnostics>) {
        let question = self.open.iter_mut().find(|question| question.number == number);
        if let Some(question) = question.filter(|question| question.waiting.contains(&desk)) {
            question.waiting.remove(&desk);
            question.found.files.extend(files);
        }
    }

    /// A desk has left, and answers nothing more.
    pub(crate) fn leave(&mut self, desk: DeskId) {
        for question in &mut self.open {
            question.waiting.remove(&desk);
        }
    }

    /// The questions that need not wait any longer.
    pub(crate) fn take_done(&mut self, now: Instant) -> Vec<FoundDiagnostics> {
        let is_done = |question: &mut Question| question.waiting.is_empty() || question.until <= now;
        self.open.extract_if(.., is_done).map(|question| question.found).collect()
    }

    /// When the next question waits no longer.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.open.iter().map(|question| question.until).min()
    }
}
