//! A review that waits for a decision: the [text](super::reviewed_text), the agent and the asker.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{
    Agent, ChangeKind, Changed, Closing, Decision, Follows, HookProposal, Operation, Reasons, Refusal,
    Review, ReviewId, Unawaited, Verdict,
};

use super::destination::Place;
use super::proposal::PreparedProposal;
use super::remarks;
use super::reviewed_text::{Edit, ReviewedText};

/// The reason why no rule accepts a change of a file that is not UTF-8 text.
pub(crate) const UNCOMPARABLE_REASON: &str = "its text cannot be compared";
/// The reason why no rule accepts a change of a file with hard links: rules do not know its other names.
pub(crate) const HARD_LINKS_REASON: &str = "the file has other names (hard links)";

/// A review that waits for a decision.
#[derive(Debug)]
pub(crate) struct PendingReview {
    pub(crate) text: ReviewedText,
    pub(crate) agent: Agent,
    asker: Asker,
    /// The reason why a person is asked, where some changes need no decision.
    pub(crate) asked: Option<String>,
    /// The reason why no hook waits for the outcome; `None` while one waits.
    unawaited: Option<Unawaited>,
    /// Whether the draft of the review was ever saved.
    pub(super) has_draft: bool,
}

/// The asker of a review, which alone gets the outcome.
#[derive(Debug)]
pub(crate) enum Asker {
    /// The session of this id.
    Session(String),
    /// The hook that brought this proposal.
    Hook(Box<HookProposal>),
}

/// The session of an agent, which distinguishes its proposals from those of other agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Proposer {
    /// The session of this id.
    Session(String),
    /// The agent's own name of its session, as its hooks give it.
    Hook { agent: String, session: String },
}

impl PendingReview {
    pub(super) fn new(
        id: ReviewId,
        asker: Asker,
        agent: Agent,
        proposal: PreparedProposal,
        dirty: bool,
    ) -> Self {
        let text = ReviewedText::new(id, proposal, dirty);
        Self { text, agent, asker, asked: None, unawaited: None, has_draft: false }
    }

    /// Returns the target's path with links resolved.
    pub(crate) fn real_path(&self) -> &Path {
        self.text.proposal.real_path()
    }

    pub(crate) fn session(&self) -> Option<&str> {
        match &self.asker {
            Asker::Session(session) => Some(session),
            Asker::Hook(_) => None,
        }
    }

    pub(crate) fn hook(&self) -> Option<&HookProposal> {
        match &self.asker {
            Asker::Session(_) => None,
            Asker::Hook(hook) => Some(hook),
        }
    }

    pub(crate) fn proposer(&self) -> Proposer {
        match &self.asker {
            Asker::Session(session) => Proposer::Session(session.clone()),
            Asker::Hook(hook) => Proposer::Hook { agent: hook.agent.clone(), session: hook.session.clone() },
        }
    }

    /// Returns the kind of the change.
    pub(crate) fn kind(&self) -> ChangeKind {
        match self.hook().map(|hook| &hook.operation) {
            Some(Operation::Move { .. }) => ChangeKind::Move,
            Some(Operation::Delete) => ChangeKind::Delete,
            Some(Operation::Write) | None if self.text.proposal.fingerprint.is_absent() => ChangeKind::Create,
            Some(Operation::Write) | None => ChangeKind::Edit,
        }
    }

    /// Returns the earlier path of a moved file, as the agent spells it.
    pub(crate) fn moved_from(&self) -> Option<&str> {
        match &self.hook()?.operation {
            Operation::Move { from } => Some(from),
            Operation::Write | Operation::Delete => None,
        }
    }

    /// Returns the places of all files that the agent changes with this proposal.
    pub(crate) fn places(&self) -> &[Place] {
        self.text.proposal.places()
    }

    /// Whether the places were judged by these projects, and no rules have changed since.
    pub(crate) fn is_judged_by(&self, roots: &Arc<[PathBuf]>) -> bool {
        self.text.proposal.is_judged_by(roots)
    }

    /// Returns why only a person can decide on the review, whatever the rules say; `None` if rules can.
    pub(crate) fn needs_a_person(&self) -> Option<&'static str> {
        let review = self.review();
        let is_shown = matches!(self.kind(), ChangeKind::Delete | ChangeKind::Move);
        match () {
            () if review.dirty => Some("an editor holds unsaved changes to the file"),
            () if review.whole_file_only.is_some() => Some(UNCOMPARABLE_REASON),
            () if review.remark.is_some() && !is_shown => Some("the agent does more than writing a text"),
            () if self.text.proposal.has_other_names => Some(HARD_LINKS_REASON),
            () if self.check_decision(review.revision, Decision::Accept).is_err() => {
                Some("the agent does not take this text as accepted")
            }
            () => None,
        }
    }

    /// Returns the outcomes with which the agent's model gets the reasons.
    pub(super) fn reasons(&self) -> Reasons {
        self.hook().map(|hook| hook.reasons).unwrap_or_default()
    }

    /// Returns the verdict for the hook that asked. `closing` is the reason why the review has ended.
    pub(crate) fn verdict(&self, closing: Closing, draft: Option<PathBuf>) -> Verdict {
        let review = self.review();
        match closing {
            Closing::Accepted => {
                Verdict::Accepted { text: review.current.clone(), message: remarks::acceptance(&review) }
            }
            Closing::Rejected => Verdict::Rejected { message: remarks::rejection(&review) },
            _ => Verdict::Undecided { message: remarks::undecided(closing).to_owned(), draft },
        }
    }

    /// Returns the next step of the agent once the waiting hook has the acceptance.
    pub(crate) fn follows_acceptance(&self) -> Follows {
        match self.hook() {
            Some(hook) if !hook.takes_text && self.text.has_edits() => Follows::Proposal,
            Some(hook) if hook.asks_afterwards => Follows::Prompt,
            Some(_) | None => Follows::Write,
        }
    }

    /// Returns the review as desks see it.
    pub(crate) fn review(&self) -> Review {
        let (agent, asked) = (self.agent.clone(), self.asked.clone());
        let review = Review { agent, asked, ..self.text.review() };
        match self.hook() {
            Some(HookProposal { reasons, remark, parts, .. }) => Review {
                reasons: *reasons,
                remark: remark.clone(),
                parts: *parts,
                kind: Some(self.kind()).filter(|kind| matches!(kind, ChangeKind::Delete | ChangeKind::Move)),
                from: self.moved_from().map(str::to_owned),
                unawaited: self.unawaited,
                ..review
            },
            None => review,
        }
    }

    /// Records whether the hook was answered without a decision, or waits again. The revision stays, because
    /// a decision on it may be under way.
    pub(super) fn set_unawaited(&mut self, unawaited: Option<Unawaited>) -> Changed {
        self.unawaited = unawaited;
        self.take_changes()
    }

    /// Returns the changes that desks do not have yet, and counts them as sent.
    pub(super) fn take_changes(&mut self) -> Changed {
        Changed { unawaited: self.unawaited, ..self.text.take_changes() }
    }

    /// Carries out an edit that was made on this revision.
    pub(super) fn edit(&mut self, revision: u64, edit: Edit) -> Result<(), Refusal> {
        if matches!(edit, Edit::SetReason { .. }) && self.reasons().are_lost() {
            self.text.check_revision(revision)?;
            return Err(Refusal::NoReason);
        }
        self.text.edit(revision, edit)
    }

    /// Checks whether this decision may be taken on this revision. Agents do not take an empty text, for
    /// which they write their whole proposal, nor a text that the file already holds.
    pub(super) fn check_decision(&self, revision: u64, decision: Decision) -> Result<(), Refusal> {
        self.text.check_revision(revision)?;
        match (decision, &self.asker) {
            // The tool of a hook may do more than write a text, such as delete an empty file.
            (Decision::Accept, Asker::Hook(_)) if self.text.is_as_proposed() => Ok(()),
            // A session cannot take an empty text; a hook can.
            (Decision::Accept, Asker::Session(_)) if self.text.is_emptied() => Err(Refusal::Empty),
            (Decision::Accept, _) if self.text.is_in_file() => Err(Refusal::Unchanged),
            (Decision::Accept | Decision::Reject, _) => Ok(()),
        }
    }
}
