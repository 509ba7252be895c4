//! The calls that wait: calls of agents for the answers of desks, and calls of desks that mention a file, for
//! the privacy rules.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::{CallAnswer, FileDiagnostics, Lines, Refusal, ReviewId};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::agents::last_texts::LastText;
use crate::ids::DeskId;

/// The longest wait of `closeDiff` for the unsent edits of desks.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(150);
/// The longest wait of a question for diagnostics for desks. Claude Code waits 500 ms.
const DIAGNOSTICS_TIMEOUT: Duration = Duration::from_millis(400);

/// The calls of agents that wait for desks.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    desk_waits: Vec<DeskWait>,
    /// The number of the newest question for diagnostics.
    last_question: u64,
    /// The agents that asked for diagnostics while desks had an earlier question, and the end of the wait of
    /// the first of these agents. They share the next question.
    next_question: Option<(Vec<DiagnosticsAnswer>, Instant)>,
}

/// The channel for the problems that an agent may know.
pub(crate) type DiagnosticsAnswer = oneshot::Sender<Vec<FileDiagnostics>>;

/// A call that waits until these desks have answered, or the time is over.
#[derive(Debug)]
struct DeskWait {
    call: DeskCall,
    desks: BTreeSet<DeskId>,
    until: Instant,
}

/// A call of an agent that waits for desks.
#[derive(Debug)]
pub(crate) enum DeskCall {
    Close(CloseCall),
    Diagnostics(DiagnosticsCall),
}

/// A `closeDiff`. If its review is open, desks send their unsent edits first.
#[derive(Debug)]
pub(crate) struct CloseCall {
    pub(crate) review: Option<ReviewId>,
    pub(crate) session: String,
    pub(crate) file_path: String,
    pub(crate) answer: oneshot::Sender<LastText>,
}

/// A question for the problems in files, with the answers of desks so far.
#[derive(Debug)]
pub(crate) struct DiagnosticsCall {
    number: u64,
    pub(crate) files: Vec<FileDiagnostics>,
    /// The agents that have asked.
    pub(crate) answers: Vec<DiagnosticsAnswer>,
}

/// The call of a desk whose person adds a file to the prompt of an agent.
#[derive(Debug)]
pub(crate) struct MentionCall {
    pub(crate) desk: DeskId,
    /// The file, and lines of it; `None` for the active file with its selection.
    pub(crate) file: Option<(String, Option<Lines>)>,
    /// The number of the agent; `None` for the agent that was used last.
    pub(crate) agent: Option<u64>,
    pub(crate) answer: CallAnswer,
}

/// A file for the prompt of the agent of this session.
#[derive(Debug)]
pub(crate) struct Mention {
    pub(crate) desk: DeskId,
    pub(crate) session: String,
    pub(crate) path: String,
    pub(crate) lines: Option<Lines>,
    pub(crate) answer: CallAnswer,
}

fn other_refusal(words: &str) -> Refusal {
    Refusal::Other { words: words.into() }
}

impl Calls {
    /// Begins the wait of a `closeDiff` until these desks have sent their unsent edits of its review.
    pub(crate) fn begin_close(&mut self, call: CloseCall, desks: BTreeSet<DeskId>) {
        let until = Instant::now() + FLUSH_TIMEOUT;
        self.desk_waits.push(DeskWait { call: DeskCall::Close(call), desks, until });
    }

    /// Adds an agent's question for problems. If desks still have an earlier question, the agent waits for
    /// the next question: the answer to the earlier one may be older than the agent's request.
    pub(crate) fn request_diagnostics(&mut self, answer: DiagnosticsAnswer) {
        let until = Instant::now() + DIAGNOSTICS_TIMEOUT;
        self.next_question.get_or_insert_with(|| (Vec::new(), until)).0.push(answer);
    }

    /// Begins the wait for the next question, which these desks are asked. Returns its number and the desks;
    /// `None` if no agent has asked, or desks still have an earlier question.
    pub(crate) fn begin_diagnostics(
        &mut self,
        desks: impl FnOnce() -> BTreeSet<DeskId>,
    ) -> Option<(u64, BTreeSet<DeskId>)> {
        if self.desk_waits.iter().any(|wait| matches!(wait.call, DeskCall::Diagnostics(_))) {
            return None;
        }
        let (answers, until) = self.next_question.take()?;
        self.last_question += 1;
        let (number, desks) = (self.last_question, desks());
        let call = DiagnosticsCall { number, files: Vec::new(), answers };
        self.desk_waits.push(DeskWait { call: DeskCall::Diagnostics(call), desks: desks.clone(), until });
        Some((number, desks))
    }

    /// Records that a desk has sent its unsent edits of a review.
    pub(crate) fn mark_flushed(&mut self, desk: DeskId, review: ReviewId) {
        for wait in &mut self.desk_waits {
            if matches!(&wait.call, DeskCall::Close(call) if call.review == Some(review)) {
                wait.desks.remove(&desk);
            }
        }
    }

    /// Adds the problems that a desk knows. An answer for which no call waits is dropped.
    pub(crate) fn add_diagnostics(&mut self, desk: DeskId, number: u64, files: Vec<FileDiagnostics>) {
        for wait in &mut self.desk_waits {
            if let DeskCall::Diagnostics(call) = &mut wait.call
                && call.number == number
                && wait.desks.remove(&desk)
            {
                return call.files.extend(files);
            }
        }
    }

    /// Ends the wait for a desk that has left.
    pub(crate) fn leave(&mut self, desk: DeskId) {
        for wait in &mut self.desk_waits {
            wait.desks.remove(&desk);
        }
    }

    /// Removes and returns the calls that need not wait for desks any longer.
    pub(crate) fn take_answered(&mut self, now: Instant) -> Vec<DeskCall> {
        let is_done = |wait: &mut DeskWait| wait.desks.is_empty() || wait.until <= now;
        self.desk_waits.extract_if(.., is_done).map(|wait| wait.call).collect()
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.desk_waits.iter().map(|wait| wait.until).min()
    }

    /// Postpones deadlines by the time for which the process was stopped, so that no desk loses time. The
    /// deadlines of diagnostics and hooks stay, because the agents do not wait longer either.
    pub(crate) fn shift_deadlines(&mut self, gap: Duration) {
        for wait in &mut self.desk_waits {
            if matches!(wait.call, DeskCall::Close(_)) {
                wait.until += gap;
            }
        }
    }
}

impl MentionCall {
    /// Returns the mention whose file is to be checked; `None` if the mention is refused. `session` is the
    /// session that gets the mention, and `active` the active file.
    pub(crate) fn begin(
        self,
        session: Option<String>,
        active: Option<(String, Option<Lines>)>,
        is_paused: bool,
    ) -> Option<Mention> {
        let Self { desk, file, answer, .. } = self;
        let refusal = match (session, file.or(active)) {
            _ if is_paused => other_refusal("reports about files are paused: resume them first"),
            (None, _) => Refusal::NoAgentTakesFiles,
            (_, None) => other_refusal("agents know of no active file: open one first"),
            (Some(session), Some((path, lines))) => {
                return Some(Mention { desk, session, path, lines, answer });
            }
        };
        // A desk that has left needs no answer.
        let _ = answer.send(Err(refusal));
        None
    }
}

impl Mention {
    /// Returns the mention after the check, for the caller to carry out; `None` if the mention is refused.
    pub(crate) fn after_check(self, is_allowed: bool) -> Option<Self> {
        if is_allowed {
            return Some(self);
        }
        let hidden = other_refusal("agents never learn of this file: the privacy rules hide it");
        let _ = self.answer.send(Err(hidden));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<FileDiagnostics> {
        names.iter().map(|name| FileDiagnostics { path: (*name).into(), ..Default::default() }).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_the_desks_that_were_asked_or_until_its_deadline() {
        let (mut calls, start) = (Calls::default(), Instant::now());
        let desks = || BTreeSet::from([DeskId(1), DeskId(2)]);
        calls.request_diagnostics(oneshot::channel().0);
        let (number, _) = calls.begin_diagnostics(desks).unwrap();
        let (answer, session) = (oneshot::channel().0, String::new());
        let close = CloseCall { review: Some(ReviewId(7)), session, file_path: "/a".into(), answer };
        calls.begin_close(close, desks());
        assert_eq!(calls.deadline(), Some(start + FLUSH_TIMEOUT));
        calls.add_diagnostics(DeskId(1), number, files(&["/a"]));
        calls.add_diagnostics(DeskId(1), number, files(&["/again"]));
        calls.add_diagnostics(DeskId(3), number, files(&["/unasked"]));
        calls.mark_flushed(DeskId(1), ReviewId(8));
        assert!(calls.take_answered(start).is_empty());
        calls.leave(DeskId(2));
        let answered = calls.take_answered(start);
        let [DeskCall::Diagnostics(found)] = answered.as_slice() else { panic!("{answered:?}") };
        assert_eq!(found.files, files(&["/a"]));
        calls.shift_deadlines(FLUSH_TIMEOUT);
        assert!(calls.take_answered(start + FLUSH_TIMEOUT).is_empty(), "a desk keeps its time");
        let flushed = calls.take_answered(start + 2 * FLUSH_TIMEOUT);
        assert!(matches!(&flushed[..], [DeskCall::Close(call)] if call.review == Some(ReviewId(7))));
        assert_eq!(calls.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn agents_that_ask_during_a_question_share_the_next_question() {
        let (mut calls, start) = (Calls::default(), Instant::now());
        let begin =
            |calls: &mut Calls| calls.begin_diagnostics(|| [DeskId(1)].into()).map(|(number, _)| number);
        let ask = |calls: &mut Calls| {
            calls.request_diagnostics(oneshot::channel().0);
            begin(calls)
        };
        let first = ask(&mut calls).unwrap();
        tokio::time::advance(Duration::from_millis(100)).await;
        assert_eq!(ask(&mut calls), None);
        tokio::time::advance(Duration::from_millis(100)).await;
        assert_eq!(ask(&mut calls), None);
        calls.add_diagnostics(DeskId(1), first, files(&["/old"]));
        assert_eq!(calls.take_answered(Instant::now()).len(), 1);
        let second = begin(&mut calls).unwrap();
        assert_eq!(calls.deadline(), Some(start + Duration::from_millis(100) + DIAGNOSTICS_TIMEOUT));
        calls.add_diagnostics(DeskId(1), second, files(&["/new"]));
        let answered = calls.take_answered(Instant::now());
        let [DeskCall::Diagnostics(found)] = answered.as_slice() else { panic!("{answered:?}") };
        assert_eq!((&found.files, found.answers.len()), (&files(&["/new"]), 2));
        assert_eq!(begin(&mut calls), None);
    }
}
