//! All reviews that wait, from their opening through edits and decisions to their end.

use std::collections::BTreeMap;
use std::path::Path;

use alongside_desk::{
    Agent, CallAnswer, Changed, Closing, Decision, HookProposal, Refusal, Review, ReviewId, Unawaited,
};

use super::decisions::{AcceptedBy, Decisions};
use super::draft_versions::{DraftChange, DraftVersions};
use super::proposal::PreparedProposal;
use super::review::{Asker, PendingReview};
use super::reviewed_text::Edit;
use super::target::Fingerprint;
use super::unprepared::UnpreparedProposals;
use crate::ids::DeskId;
use crate::persistence::drafts::NewDraft;
use crate::persistence::journal::Undecided;

/// The reviews that wait, and the decisions of the last moments.
#[derive(Debug, Default)]
pub(crate) struct Reviews {
    /// The id of the newest review; 0 if there was none.
    last: u64,
    pending: BTreeMap<ReviewId, PendingReview>,
    /// The proposals that become reviews once they are compared with their files.
    pub(crate) unprepared: UnpreparedProposals,
    /// The decisions that are not carried out yet. An acceptance waits until its target is read.
    waiting: Vec<DecisionCall>,
    /// The decisions of the last moments.
    pub(crate) decisions: Decisions,
    drafts: DraftVersions,
}

/// A person's decision on a revision, and the desk that waits for the reply.
#[derive(Debug)]
pub(crate) struct DecisionCall {
    pub(crate) review: ReviewId,
    pub(crate) revision: u64,
    pub(crate) decision: Decision,
    pub(crate) desk: DeskId,
    pub(crate) answer: CallAnswer,
}

/// A target that has to be read again.
#[derive(Debug)]
pub(crate) struct TargetToRead {
    pub(crate) review: ReviewId,
    pub(crate) file_path: String,
}

impl Reviews {
    /// Creates the registry. `started` is the companion's start, in milliseconds since the Unix epoch.
    pub(crate) fn new(started: u64) -> Self {
        Self { drafts: DraftVersions::new(started), ..Self::default() }
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Continues the ids after this one.
    pub(crate) fn continue_ids_after(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    /// Returns the id of a new review, or of a file of a turn review: both share one sequence.
    pub(crate) fn next_id(&mut self) -> ReviewId {
        self.last += 1;
        ReviewId(self.last)
    }

    /// Creates a review with a new id, for the caller to open.
    pub(crate) fn prepare(
        &mut self,
        asker: Asker,
        agent: Agent,
        proposal: PreparedProposal,
        dirty: bool,
    ) -> PendingReview {
        PendingReview::new(self.next_id(), asker, agent, proposal, dirty)
    }

    /// Opens a review. The caller has ended the review that it replaces. A large original is packed, because
    /// desks have their own and most reviews are decided as they came.
    pub(crate) fn open(&mut self, mut review: PendingReview) {
        review.text.pack_original();
        self.pending.insert(review.text.id(), review);
    }

    pub(crate) fn get(&self, id: ReviewId) -> Option<&PendingReview> {
        self.pending.get(&id)
    }

    /// Returns the agent of the open reviews that hooks of the same session have asked for.
    pub(crate) fn agent_of_hook(&self, proposal: &HookProposal) -> Option<Agent> {
        self.in_hook_session(proposal).next().map(|review| review.agent.clone())
    }

    /// Returns the open reviews of the same file that hooks of the same session have asked for.
    pub(crate) fn of_hook(&self, proposal: &HookProposal) -> Vec<ReviewId> {
        let same = self.in_hook_session(proposal).filter(|review| review.text.file_path() == proposal.file);
        same.map(|review| review.text.id()).collect()
    }

    fn in_hook_session(&self, proposal: &HookProposal) -> impl Iterator<Item = &PendingReview> {
        let is_same = |hook: &HookProposal| hook.agent == proposal.agent && hook.session == proposal.session;
        self.pending.values().filter(move |review| review.hook().is_some_and(is_same))
    }

    /// Whether the review has exactly this proposal: the same text, for the same operation.
    pub(crate) fn is_of(&self, id: ReviewId, proposal: &HookProposal) -> bool {
        self.pending.get(&id).is_some_and(|review| {
            let operation = review.hook().map(|hook| &hook.operation);
            review.text.proposed() == &proposal.proposed && operation == Some(&proposal.operation)
        })
    }

    /// Carries out an edit that was made on this revision. Returns the changes for desks and for the draft.
    pub(crate) fn edit(
        &mut self,
        id: ReviewId,
        revision: u64,
        edit: Edit,
    ) -> Result<(Changed, Option<DraftChange>), Refusal> {
        let review = self.pending.get_mut(&id).ok_or(Refusal::NoSuchReview)?;
        review.edit(revision, edit)?;
        let changed = review.take_changes();
        Ok((changed, self.drafts.of_open(review)))
    }

    /// Checks whether this decision may be taken on this revision. Returns the closing with which it ends the
    /// review.
    pub(crate) fn decide(&self, id: ReviewId, revision: u64, decision: Decision) -> Result<Closing, Refusal> {
        self.pending.get(&id).ok_or(Refusal::NoSuchReview)?.check_decision(revision, decision)?;
        Ok(match decision {
            Decision::Accept => Closing::Accepted,
            Decision::Reject => Closing::Rejected,
        })
    }

    /// Ends a review. Returns it with its draft, and remembers a decision for the other way of the same edit.
    pub(crate) fn end(
        &mut self,
        id: ReviewId,
        closing: Closing,
    ) -> Option<(PendingReview, Option<DraftChange>)> {
        let ended = self.pending.remove(&id)?;
        match closing {
            Closing::Accepted => self.decisions.remember_accepted(&ended, AcceptedBy::Person),
            Closing::AnsweredInAgent => self.decisions.remember_answered_in_agent(&ended),
            _ => {}
        }
        let draft = self.drafts.of_ended(&ended, closing);
        Some((ended, draft))
    }

    /// Returns the draft of an accepted text, for the case that its file finally holds something else.
    pub(crate) fn draft_if_unwritten(&mut self, ended: &PendingReview) -> NewDraft {
        self.drafts.of_unwritten(ended)
    }

    /// Returns the targets that may have changed and are not being read, for the caller to read.
    pub(crate) fn begin_reading(&mut self) -> Vec<TargetToRead> {
        self.pending.values_mut().filter_map(begin_reading).collect()
    }

    /// Queues a decision until the next [`take_decisions`](Self::take_decisions). Returns the target if it
    /// may have changed and so has to be read first: no person can accept the replacement of a text that was
    /// not on the screen.
    pub(crate) fn begin_decision(&mut self, call: DecisionCall) -> Option<TargetToRead> {
        let review = self.pending.get_mut(&call.review).filter(|_| call.decision == Decision::Accept);
        self.waiting.push(call);
        review.and_then(begin_reading)
    }

    /// Removes and returns the decisions that need not wait for a target.
    pub(crate) fn take_decisions(&mut self) -> Vec<DecisionCall> {
        let is_reading = |id: &ReviewId| self.pending.get(id).is_some_and(|review| review.text.is_reading());
        let is_ready =
            |call: &mut DecisionCall| call.decision == Decision::Reject || !is_reading(&call.review);
        self.waiting.extract_if(.., is_ready).collect()
    }

    /// Records that a target was read. Returns the change for desks.
    pub(crate) fn end_reading(&mut self, id: ReviewId, fingerprint: Fingerprint) -> Option<Changed> {
        let review = self.pending.get_mut(&id)?;
        review.text.end_reading(fingerprint).then(|| review.take_changes())
    }

    /// Records whether the hook of a review was answered without a decision, or waits again. Returns the
    /// change for desks.
    pub(crate) fn set_unawaited(&mut self, id: ReviewId, unawaited: Option<Unawaited>) -> Option<Changed> {
        Some(self.pending.get_mut(&id)?.set_unawaited(unawaited))
    }

    /// Marks the reviews whose file has unsaved changes in an editor. Returns the changes for desks.
    pub(crate) fn mark_dirty(&mut self, is_dirty: impl Fn(&str, &Path) -> bool) -> Vec<Changed> {
        let changed = |review: &mut PendingReview| {
            let is_dirty = review.text.is_dirty(&is_dirty);
            review.text.set_dirty(is_dirty).then(|| review.take_changes())
        };
        self.pending.values_mut().filter_map(changed).collect()
    }

    /// Returns the review of this file by this session. Paths are compared byte for byte.
    pub(crate) fn find(&self, session: &str, file_path: &str) -> Option<ReviewId> {
        self.in_session(session)
            .find(|review| review.text.file_path() == file_path)
            .map(|review| review.text.id())
    }

    pub(crate) fn of_session(&self, session: &str) -> Vec<ReviewId> {
        self.in_session(session).map(|review| review.text.id()).collect()
    }

    fn in_session(&self, session: &str) -> impl Iterator<Item = &PendingReview> {
        self.pending.values().filter(move |review| review.session() == Some(session))
    }

    pub(crate) fn ids(&self) -> Vec<ReviewId> {
        self.pending.keys().copied().collect()
    }

    pub(crate) fn list(&self) -> impl Iterator<Item = Review> {
        self.pending.values().map(PendingReview::review)
    }

    /// Returns the open reviews of a session for the journal.
    pub(crate) fn undecided(&self, session: &str) -> Vec<Undecided> {
        let undecided = self.in_session(session).map(|review| Undecided {
            file_path: review.text.file_path().to_owned(),
            text: Some(review.text.current().clone()),
            draft: review.text.has_edits().then(|| self.drafts.id(review.text.id())),
        });
        undecided.chain(self.unprepared.undecided(session)).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }
}

/// Begins to read the target of a review again, if that is needed. Returns the target.
fn begin_reading(review: &mut PendingReview) -> Option<TargetToRead> {
    let begins = review.text.begin_reading();
    begins.then(|| TargetToRead { review: review.text.id(), file_path: review.text.file_path().to_owned() })
}
