//! All reviews that wait: they open, are edited and decided, and end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{
    self as desk, Agent, Changed, Closing, Decision, Reasons, Refusal, Request, Review, ReviewId,
};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::proposal::Proposal;
use super::remarks;
use super::review::{Asker, PendingReview};
use super::reviewed_text::Edit;
use super::target::Fingerprint;
use crate::ids::DeskId;
use crate::persistence::drafts::NewDraft;
use crate::persistence::journal::Undecided;

/// How long `closeDiff` waits for desks to send their unsent edits.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(150);

#[derive(Debug, Default)]
pub(crate) struct Reviews {
    /// The id of the newest review; 0 if there was none.
    last: u64,
    pending: BTreeMap<ReviewId, PendingReview>,
    flushes: Vec<Flush>,
    /// Acceptances that wait until their target is read.
    waiting: Vec<(ReviewId, DeskId, desk::Call)>,
    /// Begins the ids of drafts: the companion's start, in milliseconds since the Unix epoch.
    started: u64,
    /// Numbers every version of a draft.
    last_draft: u64,
}

/// A `closeDiff` that waits for desks.
#[derive(Debug)]
struct Flush {
    call: CloseCall,
    waiting: BTreeSet<DeskId>,
    until: Instant,
}

/// A `closeDiff` for an open review.
#[derive(Debug)]
pub(crate) struct CloseCall {
    pub(crate) review: ReviewId,
    pub(crate) session: String,
    pub(crate) file_path: String,
    pub(crate) answer: oneshot::Sender<Option<Option<Arc<str>>>>,
}

/// The draft of a review, as it has to be on disk.
#[derive(Debug)]
pub(crate) enum DraftChange {
    /// Nothing was typed: the draft of this id goes.
    Delete(String),
    Save(NewDraft),
}

/// A target that has to be read.
#[derive(Debug)]
pub(crate) struct TargetToRead {
    pub(crate) review: ReviewId,
    pub(crate) file_path: String,
}

impl Reviews {
    pub(crate) fn new(started: u64) -> Self {
        Self { started, ..Self::default() }
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Ids continue after this one.
    pub(crate) fn continue_after(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    /// Opens a review. The caller has ended the one that it replaces.
    pub(crate) fn open(
        &mut self,
        asker: Asker,
        agent: Agent,
        proposal: Proposal,
        dirty: bool,
    ) -> &PendingReview {
        self.last += 1;
        let id = ReviewId(self.last);
        let review = PendingReview::new(id, asker, agent, proposal, dirty);
        self.pending.entry(id).or_insert(review)
    }

    /// The agent of the open reviews that hooks of this session have asked for.
    pub(crate) fn agent_of_hook(&self, name: &str, session: &str) -> Option<Agent> {
        let is_its = |review: &&PendingReview| {
            review.agent.name == name && review.hook().is_some_and(|hook| hook.session == session)
        };
        self.pending.values().find(is_its).map(|review| review.agent.clone())
    }

    /// The proposed text of an open review.
    pub(crate) fn proposed(&self, id: ReviewId) -> Option<&Arc<str>> {
        self.pending.get(&id).map(|review| review.text.proposed())
    }

    pub(crate) fn get_mut(&mut self, id: ReviewId) -> Result<&mut PendingReview, Refusal> {
        self.pending.get_mut(&id).ok_or(Refusal::NoSuchReview)
    }

    /// Ends a review.
    pub(crate) fn end(&mut self, id: ReviewId) -> Option<PendingReview> {
        self.pending.remove(&id)
    }

    /// The draft of an open review, which follows every edit.
    pub(crate) fn draft(&mut self, id: ReviewId) -> Option<DraftChange> {
        let review = self.pending.get_mut(&id)?;
        let keeps = review.text.has_edits() || review.text.has_reasons();
        let ending = Ending { why: "its review is still open", awaited: false, keeps, is_told: false };
        let draft = new_draft(self.started, &mut self.last_draft, review, ending)?;
        Some(match draft {
            DraftChange::Save(draft) => {
                review.has_draft = true;
                DraftChange::Save(NewDraft { is_open: true, ..draft })
            }
            delete @ DraftChange::Delete(_) => delete,
        })
    }

    /// The draft of a review that ended; `None` if it never had one.
    pub(crate) fn last_draft(&mut self, ended: &PendingReview, closing: Closing) -> Option<DraftChange> {
        let why = match closing {
            Closing::Accepted => "it was accepted, and the file does not hold it",
            Closing::Rejected => "it was rejected",
            Closing::AnsweredInAgent => "it was answered in the agent, and the file does not hold it",
            Closing::Replaced => "the agent proposed the file anew",
            Closing::AgentGone => "the agent went away",
            Closing::Stopped => "the companion was stopped",
            Closing::EditorGone => "the editor went away",
            Closing::Interrupted => "the companion was interrupted",
            Closing::TimedOut => "the agent waited no longer",
        };
        // An accepted text stays until the agent has written it. Answers in the agent are not told here, and
        // some agents write the text as it was at the desks.
        let awaited = matches!(closing, Closing::Accepted | Closing::AnsweredInAgent);
        // The model reads the reasons with a decision.
        let reasons = ended.reasons();
        let is_told = match closing {
            Closing::Rejected => true,
            Closing::Accepted => reasons == Reasons::Always,
            _ => false,
        };
        let keeps = ended.text.has_edits() || ended.text.has_reasons() && !is_told;
        new_draft(self.started, &mut self.last_draft, ended, Ending { why, awaited, keeps, is_told })
    }

    /// The number of the next version of any draft.
    pub(crate) fn next_draft_number(&mut self) -> u64 {
        self.last_draft += 1;
        self.last_draft
    }

    /// `closeDiff` for an open review: it waits until these desks have sent their unsent edits.
    pub(crate) fn begin_flush(&mut self, call: CloseCall, desks: BTreeSet<DeskId>) {
        self.flushes.push(Flush { call, waiting: desks, until: Instant::now() + FLUSH_TIMEOUT });
    }

    /// A desk has sent all its edits of a review, or of every review.
    pub(crate) fn mark_flushed(&mut self, desk: DeskId, review: Option<ReviewId>) {
        for flush in &mut self.flushes {
            if review.is_none_or(|review| review == flush.call.review) {
                flush.waiting.remove(&desk);
            }
        }
    }

    /// The `closeDiff` calls that need not wait any longer.
    pub(crate) fn take_flushed(&mut self, now: Instant) -> Vec<CloseCall> {
        let is_done = |flush: &mut Flush| flush.waiting.is_empty() || flush.until <= now;
        self.flushes.extract_if(.., is_done).map(|flush| flush.call).collect()
    }

    /// When the next `closeDiff` waits no longer.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.flushes.iter().map(|flush| flush.until).min()
    }

    /// The process was stopped for this long: no desk loses time by that.
    pub(crate) fn shift_deadlines(&mut self, gap: Duration) {
        self.flushes.iter_mut().for_each(|flush| flush.until += gap);
    }

    /// Whether a review or a `closeDiff` waits.
    pub(crate) fn are_waiting(&self) -> bool {
        !self.pending.is_empty() || !self.flushes.is_empty()
    }

    /// The targets that may have changed and are not being read: the caller reads them.
    pub(crate) fn begin_reading(&mut self) -> Vec<TargetToRead> {
        self.pending.values_mut().filter_map(begin_reading).collect()
    }

    /// An acceptance waits until its target is read, if that may have changed: nobody accepts the replacement
    /// of a file that they have not seen. Returns the call if it need not wait, and the target to read.
    pub(crate) fn after_reading(
        &mut self,
        desk: DeskId,
        call: desk::Call,
    ) -> (Option<desk::Call>, Option<TargetToRead>) {
        let Request::DecideReview { id, decision: Decision::Accept, .. } = call.request else {
            return (Some(call), None);
        };
        let Some(review) = self.pending.get_mut(&id) else { return (Some(call), None) };
        let target = begin_reading(review);
        if !review.text.is_reading() {
            return (Some(call), None);
        }
        self.waiting.push((id, desk, call));
        (None, target)
    }

    /// A target was read. Returns the change for desks, and the calls that waited for it.
    pub(crate) fn end_reading(
        &mut self,
        id: ReviewId,
        fingerprint: Fingerprint,
    ) -> (Option<Changed>, Vec<(DeskId, desk::Call)>) {
        let review = self.pending.get_mut(&id);
        let changed = review.and_then(|review| {
            review.text.end_reading(fingerprint).then(|| review.text.changed_since_told())
        });
        let waiting = self.waiting.extract_if(.., |(of, ..)| *of == id);
        (changed, waiting.map(|(_, desk, call)| (desk, call)).collect())
    }

    /// Marks the reviews whose file has unsaved changes in an editor. Returns the changes for desks.
    pub(crate) fn mark_dirty(&mut self, is_dirty: impl Fn(&str, &Path) -> bool) -> Vec<Changed> {
        let reviews = self.pending.values_mut();
        reviews
            .filter_map(|review| {
                let dirty = is_dirty(review.text.file_path(), review.text.real_path());
                review.text.set_dirty(dirty).then(|| review.text.changed_since_told())
            })
            .collect()
    }

    /// Carries out an edit that was made on this revision. Returns the change for desks.
    pub(crate) fn edit(&mut self, id: ReviewId, revision: u64, edit: Edit) -> Result<Changed, Refusal> {
        let review = self.get_mut(id)?;
        review.edit(revision, edit)?;
        Ok(review.text.changed_since_told())
    }

    /// The session that asked for a review, if one did.
    pub(crate) fn session_of(&self, id: ReviewId) -> Option<&str> {
        self.pending.get(&id)?.session()
    }

    /// The review of this file by this session: paths are compared byte for byte.
    pub(crate) fn find(&self, session: &str, file_path: &str) -> Option<ReviewId> {
        let is_it = |review: &&PendingReview| {
            review.session() == Some(session) && review.text.file_path() == file_path
        };
        self.pending.values().find(is_it).map(|review| review.text.id())
    }

    /// The reviews of one session.
    pub(crate) fn of(&self, session: &str) -> Vec<ReviewId> {
        self.pending
            .values()
            .filter(|review| review.session() == Some(session))
            .map(|review| review.text.id())
            .collect()
    }

    pub(crate) fn ids(&self) -> Vec<ReviewId> {
        self.pending.keys().copied().collect()
    }

    /// All reviews as desks see them.
    pub(crate) fn list(&self) -> impl Iterator<Item = Review> {
        self.pending.values().map(PendingReview::review)
    }

    /// The open reviews of a session as the journal holds them.
    pub(crate) fn undecided(&self, session: &str) -> Vec<Undecided> {
        let undecided = self.pending.values().filter(|review| review.session() == Some(session));
        undecided
            .map(|review| Undecided {
                file_path: review.text.file_path().to_owned(),
                text: review.text.current().clone(),
                draft: review.text.has_edits().then(|| draft_id(self.started, review.text.id())),
            })
            .collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }
}

fn begin_reading(review: &mut PendingReview) -> Option<TargetToRead> {
    let begins = review.text.begin_reading();
    begins.then(|| TargetToRead { review: review.text.id(), file_path: review.text.file_path().to_owned() })
}

fn draft_id(started: u64, review: ReviewId) -> String {
    format!("{started}-{review}")
}

/// How a review ended, as its draft says it.
struct Ending<'a> {
    why: &'a str,
    /// The agent is to write the text.
    awaited: bool,
    /// There is something to keep.
    keeps: bool,
    /// The model reads the reasons.
    is_told: bool,
}

fn new_draft(
    started: u64,
    number: &mut u64,
    review: &PendingReview,
    ending: Ending<'_>,
) -> Option<DraftChange> {
    let id = draft_id(started, review.text.id());
    let Ending { why, awaited, keeps, is_told } = ending;
    if !keeps {
        return review.has_draft.then_some(DraftChange::Delete(id));
    }
    *number += 1;
    Some(DraftChange::Save(NewDraft {
        id,
        number: *number,
        file: review.text.file_path().to_owned(),
        agent: review.agent.name.clone(),
        why: why.to_owned(),
        awaited,
        is_open: false,
        reasons: if is_told { String::new() } else { remarks::reasons(&review.review()) },
        text: review.text.current().clone(),
    }))
}
