//! The rules for one watched decision: which word follows from the content of its file, and when. Without
//! access to the disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{ReviewId, Word};
use tokio::time::Instant;

use super::look::Sight;
use super::said::{Said, Says};
use crate::persistence::drafts::NewDraft;
use crate::reviews::decided_text::{DecidedText, Found};
use crate::reviews::review::{PendingReview, Proposer};
use crate::reviews::target::Fingerprint;

/// How long a file is watched.
const WATCHED_FOR: Duration = Duration::from_secs(600);
/// How long a file must stay unchanged before its content counts, since programs write in several steps.
pub(super) const SETTLE_TIME: Duration = Duration::from_millis(200);
/// How long an agent that was answered in its own prompt has to write the text. Gemini CLI needs a moment.
const TIME_TO_WRITE: Duration = Duration::from_secs(2);

/// The decision on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchedDecision {
    /// At a desk.
    Accepted,
    /// At a desk.
    Rejected,
    /// Nobody has decided: the agent has broken off the call of its hook, or the hook has died.
    BrokenOff,
    /// In the agent's own prompt, which does not tell us the decision. The person's edits are in a draft.
    InAgent,
    /// In the agent's own prompt, about the text as the agent proposed it.
    InAgentAsProposed,
    /// At an earlier companion, which has left a draft.
    Before,
}

impl WatchedDecision {
    /// Whether nobody has accepted the text.
    fn is_of_an_unwanted_text(self) -> bool {
        matches!(self, Self::Rejected | Self::BrokenOff)
    }
}

/// The draft that holds a decided text.
#[derive(Debug)]
pub(super) enum KeptDraft {
    /// No draft holds the text, and none is needed.
    Nowhere,
    InDraft,
    /// This draft is saved if the file turns out to hold something else.
    IfNeeded(NewDraft),
}

#[derive(Debug)]
pub(crate) struct Watched {
    pub(super) number: u64,
    review: Option<ReviewId>,
    /// The session whose next proposal for the same file ends the watch.
    proposer: Option<Proposer>,
    agent: String,
    decided: WatchedDecision,
    pub(super) text: Arc<DecidedText>,
    kept: KeptDraft,
    until: Instant,
    /// The time from which a file that is as before counts as not written, and edits that it lacks as left
    /// out.
    left_out_at: Option<Instant>,
    end: End,
    /// The file as it was seen last, and the time since which it is like that.
    seen: Option<(Fingerprint, Instant)>,
    told: Option<Word>,
}

/// Whether the watch goes on after the next look.
#[derive(Debug)]
enum End {
    Open,
    Due,
    /// The next look is the last one, and counts only if the file is as the next proposal has found it. A
    /// later content does not follow from this decision.
    DueWhile(Fingerprint),
    /// The next look is the last one: newer decisions have taken the place before the time was over. Only a
    /// written text makes a word then.
    Crowded,
}

/// The step after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Done,
    Wait,
    LookAt(Instant),
}

impl Watched {
    /// The watch after the decision on a review.
    pub(super) fn of(
        number: u64,
        ended: &PendingReview,
        decided: WatchedDecision,
        kept: KeptDraft,
        now: Instant,
    ) -> Self {
        let text = match decided.is_of_an_unwanted_text() {
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
            seen: text.original().map(|original| (original.clone(), now)),
            text: Arc::new(text),
            kept,
            until: now + WATCHED_FOR,
            left_out_at: is_in_agent.then(|| now + TIME_TO_WRITE),
            end: End::Open,
            told: None,
        }
    }

    /// The watch over the file of a draft that an earlier companion has left.
    pub(super) fn of_draft(number: u64, file: String, agent: String, text: Arc<str>, now: Instant) -> Self {
        Self {
            number,
            review: None,
            proposer: None,
            agent,
            decided: WatchedDecision::Before,
            text: Arc::new(DecidedText::of_before(file, text)),
            kept: KeptDraft::InDraft,
            until: now + WATCHED_FOR,
            left_out_at: None,
            end: End::Open,
            seen: None,
            told: None,
        }
    }

    /// Whether a file that holds the text and is as before counts as before.
    pub(super) fn is_before_first(&self) -> bool {
        self.decided.is_of_an_unwanted_text()
    }

    /// The file as it was seen last. `None` if a look says something even of an unchanged file.
    pub(super) fn known(&self, now: Instant) -> Option<Fingerprint> {
        let (print, since) = self.seen.as_ref()?;
        let is_settled = *since + SETTLE_TIME < now;
        (is_settled && !self.is_ending() && self.left_out_at.is_none()).then(|| print.clone())
    }

    pub(super) fn is_ending(&self) -> bool {
        !matches!(self.end, End::Open)
    }

    /// The next time at which a look is due even without a change.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let open = (!self.is_ending()).then_some(self.until);
        open.into_iter().chain(self.left_out_at).min()
    }

    /// Whether its deadline has come.
    pub(super) fn take_due(&mut self, now: Instant) -> bool {
        let is_left_out = self.left_out_at.is_some_and(|at| at <= now);
        let is_over = self.until <= now && self.end();
        is_left_out || is_over
    }

    /// Ends the watch with one more look. Returns false if it was ending already.
    pub(super) fn end(&mut self) -> bool {
        self.end_as(End::Due)
    }

    /// Ends the watch with one more look, since newer decisions take its place.
    pub(super) fn crowd_out(&mut self) {
        self.end_as(End::Crowded);
    }

    /// Ends the watch with one more look, which counts while the file is as this proposal has found it.
    fn end_while(&mut self, review: &PendingReview) -> bool {
        self.end_as(End::DueWhile(review.text.seen().clone()))
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

    /// Ends the watch if the same agent proposes the file again. Returns whether it has ended.
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

    /// The content of the file as the proposal that ended the watch has found it, if that can be compared
    /// without a look.
    pub(super) fn sight_of(&self, review: &PendingReview) -> Option<Sight> {
        let found = self.text.found_by(review, self.is_before_first())?;
        Some(Sight { number: self.number, found, print: review.text.seen().clone(), is_last: true })
    }

    /// Ends the watch over a text that nobody accepted, if another text was accepted for the file. Returns
    /// whether it has ended.
    pub(super) fn end_by_acceptance(&mut self, review: &PendingReview) -> bool {
        let is_accepted = matches!(
            self.decided,
            WatchedDecision::Accepted | WatchedDecision::InAgent | WatchedDecision::Before
        );
        !is_accepted && self.is_of_file(review.real_path()) && self.end_while(review)
    }

    /// Begins the time of the watch anew, since the agent got the same answer once more.
    pub(super) fn prolong(&mut self, file: &Path, agent: &str, now: Instant) {
        if self.is_of_file(file) && self.agent == agent && !self.is_ending() {
            self.until = now + WATCHED_FOR;
        }
    }

    fn is_of_file(&self, real: &Path) -> bool {
        self.text.real == real
    }

    /// Takes what a look has found.
    pub(super) fn see(&mut self, sight: Sight, now: Instant) -> (Option<Said>, Next) {
        let Sight { found, print, is_last, .. } = sight;
        if let End::DueWhile(then) = &self.end
            && print.differs_from(then)
        {
            return (None, self.after(true, now));
        }
        let since = match self.seen.take() {
            Some((last, since)) if last == print => since,
            _ => now,
        };
        self.seen = Some((print, since));
        let settles_at = since + SETTLE_TIME;
        if found == Found::AsDecided {
            let said = match self.decided {
                WatchedDecision::Accepted => self.say(Word::WrittenAsAccepted),
                WatchedDecision::Rejected => self.say(Word::WrittenThoughRejected),
                WatchedDecision::BrokenOff => self.say(Word::WrittenUndecided),
                WatchedDecision::InAgent | WatchedDecision::Before => self.said(Says::Nothing, true),
                WatchedDecision::InAgentAsProposed => self.said(Says::WrittenAsProposed, false),
            };
            return (Some(said), Next::Done);
        }
        if matches!(self.end, End::Crowded) {
            return (None, Next::Done);
        }
        let said = match (self.decided, found) {
            (WatchedDecision::Accepted, Found::SomethingElse | Found::Gone) if now < settles_at => {
                return (None, Next::LookAt(settles_at));
            }
            (WatchedDecision::Accepted, Found::SomethingElse) => self.say_once(Word::SomethingElse),
            (WatchedDecision::Accepted, Found::Gone) => self.say_once(Word::Gone),
            (WatchedDecision::Accepted, Found::AsBefore) if is_last => self.say_once(Word::NotWritten),
            (WatchedDecision::InAgentAsProposed, found) => {
                let is_time = self.left_out_at.take_if(|at| is_last || *at <= now).is_some();
                (is_time && found == Found::AsBefore).then(|| self.said(Says::NotWritten, false))
            }
            (WatchedDecision::InAgent, _) => {
                let is_time = self.left_out_at.take_if(|at| *at <= now).is_some();
                is_time.then(|| self.said(Says::EditsLeftOut, false))
            }
            (WatchedDecision::Accepted, Found::AsDecided | Found::AsBefore | Found::Unknown)
            | (WatchedDecision::Rejected | WatchedDecision::BrokenOff | WatchedDecision::Before, _) => None,
        };
        (said, self.after(is_last, now))
    }

    /// The step after a look whose result does not end the watch. With a draft, the watch lasts for its
    /// whole time.
    fn after(&mut self, is_last: bool, now: Instant) -> Next {
        let has_draft = matches!(self.kept, KeptDraft::InDraft) && now < self.until;
        match (is_last, has_draft) {
            (false, _) => Next::Wait,
            (true, false) => Next::Done,
            (true, true) => {
                (self.decided, self.left_out_at, self.end) = (WatchedDecision::Before, None, End::Open);
                self.proposer = None;
                Next::Wait
            }
        }
    }

    fn say_once(&mut self, word: Word) -> Option<Said> {
        (self.told != Some(word)).then(|| self.say(word))
    }

    fn say(&mut self, word: Word) -> Said {
        self.told = Some(word);
        let says = self.review.map_or(Says::Nothing, |review| Says::Word(review, word));
        let is_accepted = word == Word::WrittenAsAccepted;
        let mut said = self.said(says, is_accepted);
        said.accepted = is_accepted.then(|| self.text.clone());
        if matches!(word, Word::SomethingElse | Word::Gone)
            && let KeptDraft::IfNeeded(_) = &self.kept
            && let KeptDraft::IfNeeded(draft) = std::mem::replace(&mut self.kept, KeptDraft::InDraft)
        {
            said.keep = Some(draft);
        }
        said
    }

    fn said(&self, says: Says, is_written: bool) -> Said {
        let settles = is_written && matches!(self.kept, KeptDraft::InDraft);
        Said {
            file: self.text.file.clone(),
            agent: self.agent.clone(),
            says,
            keep: None,
            settles,
            accepted: None,
        }
    }
}
