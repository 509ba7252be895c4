//! The rules for one watched decision: which word follows from the content of its file, and when. The rules
//! do not read the disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{ReviewId, Word};
use tokio::time::Instant;

use super::effect::{LastWordEffect, Report};
use super::look::LookResult;
use crate::persistence::drafts::NewDraft;
use crate::reviews::decided_text::{DecidedText, FoundContent};
use crate::reviews::review::{PendingReview, Proposer};
use crate::reviews::target::Fingerprint;

/// The time for which a file is watched.
const WATCH_TIME: Duration = Duration::from_secs(600);
/// The time for which a file must stay unchanged before its content counts: programs write in several steps.
pub(super) const SETTLE_TIME: Duration = Duration::from_millis(200);
/// The time in which an agent that was answered in its own prompt writes the text. Gemini CLI needs a moment.
const WRITE_TIME: Duration = Duration::from_secs(2);

/// The decision on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchedDecision {
    /// The person accepted the text at a desk.
    Accepted,
    /// The person rejected the text at a desk.
    Rejected,
    /// There is no decision: the agent has broken off the call of its hook, or the hook has died.
    BrokenOff,
    /// The agent's own prompt, whose decision is unknown here. The person's edits are in a draft.
    InAgent,
    /// The agent's own prompt, about the text as the agent proposed it.
    InAgentAsProposed,
    /// A decision at an earlier companion, which has left a draft.
    Earlier,
}

impl WatchedDecision {
    /// Whether the text was not accepted.
    fn is_of_unaccepted_text(self) -> bool {
        matches!(self, Self::Rejected | Self::BrokenOff)
    }
}

/// The draft that has a decided text.
#[derive(Debug)]
pub(super) enum KeptDraft {
    /// No draft has the text, and none is needed.
    None,
    /// A draft has the text.
    InDraft,
    /// This draft is saved if the file finally holds something else.
    IfNeeded(NewDraft),
}

/// The watch over the file of one decision.
#[derive(Debug)]
pub(crate) struct DecisionWatch {
    pub(super) number: u64,
    review: Option<ReviewId>,
    /// The session whose next proposal for the same file ends the watch.
    proposer: Option<Proposer>,
    agent: String,
    decided: WatchedDecision,
    pub(super) text: Arc<DecidedText>,
    draft: KeptDraft,
    /// The end of the time of the watch.
    until: Instant,
    /// The time from which an unchanged file counts as not written, and from which edits that the file lacks
    /// count as left out.
    left_out_at: Option<Instant>,
    end: End,
    /// The file as the last look found it, and the time since which it is unchanged.
    last_found: Option<(Fingerprint, Instant)>,
    last_reported: Option<Word>,
}

/// The end of the watch, if its next look is the last one.
#[derive(Debug)]
enum End {
    /// The watch goes on after the next look.
    Open,
    /// The watch ends with the next look.
    Due,
    /// The watch ends with the next look, whose result counts only if the file is as the next proposal has
    /// found it. A later content does not follow from this decision.
    DueWhile(Fingerprint),
    /// The watch ends with the next look, because newer decisions need its place. Only a written text then
    /// makes a word.
    CrowdedOut,
}

/// The step after the result of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Done,
    Wait,
    LookAt(Instant),
}

impl DecisionWatch {
    /// Creates the watch after the decision on a review.
    pub(super) fn of(
        number: u64,
        ended: &PendingReview,
        decided: WatchedDecision,
        draft: KeptDraft,
        now: Instant,
    ) -> Self {
        let text = match decided.is_of_unaccepted_text() {
            true => DecidedText::rejected(ended),
            false => DecidedText::accepted(ended),
        };
        let is_in_agent = matches!(decided, WatchedDecision::InAgent | WatchedDecision::InAgentAsProposed);
        Self {
            number,
            review: Some(ended.text.id()),
            proposer: Some(ended.proposer()),
            agent: ended.agent.name.clone(),
            decided,
            last_found: text.original().map(|original| (original.clone(), now)),
            text: Arc::new(text),
            draft,
            until: now + WATCH_TIME,
            left_out_at: is_in_agent.then(|| now + WRITE_TIME),
            end: End::Open,
            last_reported: None,
        }
    }

    /// Creates the watch over the file of a draft that an earlier companion has left.
    pub(super) fn of_draft(number: u64, file: String, agent: String, text: Arc<str>, now: Instant) -> Self {
        Self {
            number,
            review: None,
            proposer: None,
            agent,
            decided: WatchedDecision::Earlier,
            text: Arc::new(DecidedText::of_earlier_companion(file, text)),
            draft: KeptDraft::InDraft,
            until: now + WATCH_TIME,
            left_out_at: None,
            end: End::Open,
            last_found: None,
            last_reported: None,
        }
    }

    /// Whether a file that is unchanged since the decision counts as unchanged even if it holds the text.
    pub(super) fn prefers_unchanged(&self) -> bool {
        self.decided.is_of_unaccepted_text()
    }

    /// Returns the file as the last look found it; `None` if the file must be looked at even if it is
    /// unchanged.
    pub(super) fn settled_fingerprint(&self, now: Instant) -> Option<Fingerprint> {
        let (fingerprint, since) = self.last_found.as_ref()?;
        let is_settled = *since + SETTLE_TIME < now;
        (is_settled && !self.is_ending() && self.left_out_at.is_none()).then(|| fingerprint.clone())
    }

    pub(super) fn is_ending(&self) -> bool {
        !matches!(self.end, End::Open)
    }

    /// Returns the next time at which a look is due even without a change.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let open = (!self.is_ending()).then_some(self.until);
        open.into_iter().chain(self.left_out_at).min()
    }

    /// Ends the watch if its time is over. Returns whether a look is due.
    pub(super) fn take_due(&mut self, now: Instant) -> bool {
        let is_left_out = self.left_out_at.is_some_and(|at| at <= now);
        let is_over = self.until <= now && self.end();
        is_left_out || is_over
    }

    /// Ends the watch after one more look. Returns false if the watch was ending already.
    pub(super) fn end(&mut self) -> bool {
        self.end_as(End::Due)
    }

    /// Ends the watch after one more look, because newer decisions need its place.
    pub(super) fn crowd_out(&mut self) {
        self.end_as(End::CrowdedOut);
    }

    /// Ends the watch after one more look, whose result counts while the file is as this proposal has found
    /// it.
    fn end_while(&mut self, review: &PendingReview) -> bool {
        self.end_as(End::DueWhile(review.text.last_read().clone()))
    }

    fn end_as(&mut self, end: End) -> bool {
        let ends = !self.is_ending();
        if ends {
            self.end = end;
        }
        ends
    }

    pub(super) fn is_of_session(&self, session: &str) -> bool {
        matches!(&self.proposer, Some(Proposer::Session(own)) if own == session)
    }

    /// Ends the watch if the same agent proposes the file again. Returns whether it ends.
    pub(super) fn end_by_proposal(&mut self, review: &PendingReview) -> bool {
        self.is_of_proposer(review) && self.end_while(review)
    }

    pub(super) fn is_ended_by(&self, review: &PendingReview) -> bool {
        matches!(self.end, End::DueWhile(_)) && self.is_of_proposer(review)
    }

    /// Whether the review is of the same file, and by the same agent in the same session.
    fn is_of_proposer(&self, review: &PendingReview) -> bool {
        self.is_of_file(review.real_path()) && self.proposer == Some(review.proposer())
    }

    /// Returns the content of the file as the proposal that ended the watch has found it, if the comparison
    /// needs no look.
    pub(super) fn result_of_proposal(&self, review: &PendingReview) -> Option<LookResult> {
        let found = self.text.content_at_proposal(review, self.prefers_unchanged())?;
        Some(LookResult {
            number: self.number,
            found,
            fingerprint: review.text.last_read().clone(),
            is_last: true,
        })
    }

    /// Ends the watch over a text that was not accepted, if another text is accepted for the file. Returns
    /// whether it ends.
    pub(super) fn end_by_acceptance(&mut self, review: &PendingReview) -> bool {
        let is_accepted = matches!(
            self.decided,
            WatchedDecision::Accepted | WatchedDecision::InAgent | WatchedDecision::Earlier
        );
        !is_accepted && self.is_of_file(review.real_path()) && self.end_while(review)
    }

    /// Restarts the time of the watch, because the agent got the same answer once more.
    pub(super) fn prolong(&mut self, file: &Path, agent: &str, now: Instant) {
        if self.is_of_file(file) && self.agent == agent && !self.is_ending() {
            self.until = now + WATCH_TIME;
        }
    }

    fn is_of_file(&self, real_path: &Path) -> bool {
        self.text.real_path == real_path
    }

    /// Takes the result of a look. Returns the consequences, and the next step.
    pub(super) fn take_result(&mut self, result: LookResult, now: Instant) -> (Option<LastWordEffect>, Next) {
        let LookResult { found, fingerprint, is_last, .. } = result;
        if let End::DueWhile(proposed) = &self.end
            && fingerprint.differs_from(proposed)
        {
            return (None, self.after(true, now));
        }
        let since = match self.last_found.take() {
            Some((last, since)) if last == fingerprint => since,
            _ => now,
        };
        self.last_found = Some((fingerprint, since));
        let settles_at = since + SETTLE_TIME;
        if found == FoundContent::AsDecided {
            let effect = match self.decided {
                WatchedDecision::Accepted => self.report(Word::WrittenAsAccepted),
                WatchedDecision::Rejected => self.report(Word::WrittenThoughRejected),
                WatchedDecision::BrokenOff => self.report(Word::WrittenUndecided),
                WatchedDecision::InAgent | WatchedDecision::Earlier => self.effect(Report::Nothing, true),
                WatchedDecision::InAgentAsProposed => self.effect(Report::WrittenAsProposed, false),
            };
            return (Some(effect), Next::Done);
        }
        if matches!(self.end, End::CrowdedOut) {
            return (None, Next::Done);
        }
        let effect = match (self.decided, found) {
            (WatchedDecision::Accepted, FoundContent::SomethingElse | FoundContent::Gone)
                if now < settles_at =>
            {
                return (None, Next::LookAt(settles_at));
            }
            (WatchedDecision::Accepted, FoundContent::SomethingElse) => self.report_once(Word::SomethingElse),
            (WatchedDecision::Accepted, FoundContent::Gone) => self.report_once(Word::Gone),
            (WatchedDecision::Accepted, FoundContent::AsBefore) if is_last => {
                self.report_once(Word::NotWritten)
            }
            (WatchedDecision::InAgentAsProposed, found) => {
                let is_time = self.left_out_at.take_if(|at| is_last || *at <= now).is_some();
                (is_time && found == FoundContent::AsBefore).then(|| self.effect(Report::NotWritten, false))
            }
            (WatchedDecision::InAgent, _) => {
                let is_time = self.left_out_at.take_if(|at| *at <= now).is_some();
                is_time.then(|| self.effect(Report::EditsLeftOut, false))
            }
            (
                WatchedDecision::Accepted,
                FoundContent::AsDecided | FoundContent::AsBefore | FoundContent::Unknown,
            )
            | (WatchedDecision::Rejected | WatchedDecision::BrokenOff | WatchedDecision::Earlier, _) => None,
        };
        (effect, self.after(is_last, now))
    }

    /// Returns the step after a look whose result does not end the watch. With a draft, the watch lasts for
    /// its whole time.
    fn after(&mut self, is_last: bool, now: Instant) -> Next {
        let has_draft = matches!(self.draft, KeptDraft::InDraft) && now < self.until;
        match (is_last, has_draft) {
            (false, _) => Next::Wait,
            (true, false) => Next::Done,
            (true, true) => {
                (self.decided, self.left_out_at, self.end) = (WatchedDecision::Earlier, None, End::Open);
                self.proposer = None;
                Next::Wait
            }
        }
    }

    fn report_once(&mut self, word: Word) -> Option<LastWordEffect> {
        (self.last_reported != Some(word)).then(|| self.report(word))
    }

    fn report(&mut self, word: Word) -> LastWordEffect {
        self.last_reported = Some(word);
        let report = self.review.map_or(Report::Nothing, |review| Report::Word(review, word));
        let is_accepted = word == Word::WrittenAsAccepted;
        let mut effect = self.effect(report, is_accepted);
        effect.accepted = is_accepted.then(|| self.text.clone());
        if matches!(word, Word::SomethingElse | Word::Gone)
            && let KeptDraft::IfNeeded(_) = &self.draft
            && let KeptDraft::IfNeeded(draft) = std::mem::replace(&mut self.draft, KeptDraft::InDraft)
        {
            effect.draft_to_save = Some(draft);
        }
        effect
    }

    fn effect(&self, report: Report, is_written: bool) -> LastWordEffect {
        let settles_drafts = is_written && matches!(self.draft, KeptDraft::InDraft);
        LastWordEffect {
            file: self.text.file.clone(),
            agent: self.agent.clone(),
            report,
            draft_to_save: None,
            settles_drafts,
            accepted: None,
        }
    }
}
