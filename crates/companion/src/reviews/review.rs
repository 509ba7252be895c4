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

/// Why no rule accepts a change of a file that is not UTF-8 text.
pub(crate) const UNCOMPARABLE: &str = "its text cannot be compared";
/// Why no rule accepts a change of a file with hard links, which no rule knows.
pub(crate) const OTHER_NAMES: &str = "the file has other names (hard links)";

#[derive(Debug)]
pub(crate) struct PendingReview {
    pub(crate) text: ReviewedText,
    pub(crate) agent: Agent,
    asker: Asker,
    /// Why a person is asked, where some changes need no decision.
    pub(crate) asked: Option<String>,
    /// Set while no hook waits for the outcome: until the next call, if there is one.
    unawaited: Option<Unawaited>,
    /// Whether its draft was ever saved.
    pub(super) has_draft: bool,
}

/// The asker of a review, which alone hears the outcome.
#[derive(Debug)]
pub(crate) enum Asker {
    /// The session of this id.
    Session(String),
    /// The hook that brought this proposal.
    Hook(Box<HookProposal>),
}

/// The session of an agent, by which its next proposal is told from that of another agent.
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

    /// The target's path without links.
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

    /// The kind of the change.
    pub(crate) fn kind(&self) -> ChangeKind {
        match self.hook().map(|hook| &hook.operation) {
            Some(Operation::Move { .. }) => ChangeKind::Move,
            Some(Operation::Delete) => ChangeKind::Delete,
            Some(Operation::Write) | None if self.text.proposal.fingerprint.is_absent() => ChangeKind::Create,
            Some(Operation::Write) | None => ChangeKind::Edit,
        }
    }

    /// The path of a moved file before, as the agent spells it.
    pub(crate) fn moved_from(&self) -> Option<&str> {
        match &self.hook()?.operation {
            Operation::Move { from } => Some(from),
            Operation::Write | Operation::Delete => None,
        }
    }

    /// The places of all files that the agent changes with it.
    pub(crate) fn places(&self) -> &[Place] {
        self.text.proposal.places()
    }

    /// Whether its places were judged by these projects, and no rules have changed since.
    pub(crate) fn is_judged_by(&self, roots: &Arc<[PathBuf]>) -> bool {
        self.text.proposal.is_judged_by(roots)
    }

    /// Why only a person can decide on it, whatever the rules say; `None` if they may.
    pub(crate) fn needs_a_person(&self) -> Option<&'static str> {
        let review = self.review();
        let is_told = matches!(self.kind(), ChangeKind::Delete | ChangeKind::Move);
        match () {
            () if review.dirty => Some("an editor holds unsaved changes to the file"),
            () if review.whole_file_only.is_some() => Some(UNCOMPARABLE),
            () if review.remark.is_some() && !is_told => Some("the agent does more than writing a text"),
            () if self.text.proposal.has_other_names => Some(OTHER_NAMES),
            () if self.may_decide(review.revision, Decision::Accept).is_err() => {
                Some("the agent does not take this text as accepted")
            }
            () => None,
        }
    }

    /// The outcomes with which the agent's model reads the reasons.
    pub(super) fn reasons(&self) -> Reasons {
        self.hook().map(|hook| hook.reasons).unwrap_or_default()
    }

    /// The verdict for the hook that asked, for a review that has ended as `closing` says.
    pub(crate) fn verdict(&self, closing: Closing, draft: Option<PathBuf>) -> Verdict {
        let review = self.review();
        match closing {
            Closing::Accepted => {
                Verdict::Accepted { text: review.current.clone(), message: remarks::accepted(&review) }
            }
            Closing::Rejected => Verdict::Rejected { message: remarks::rejected(&review) },
            _ => Verdict::Undecided { message: remarks::undecided(closing).to_owned(), draft },
        }
    }

    /// The next step of the agent once the waiting hook has the acceptance.
    pub(crate) fn follows_acceptance(&self) -> Follows {
        match self.hook() {
            Some(hook) if !hook.takes_text && self.text.has_edits() => Follows::Proposal,
            Some(hook) if hook.asks_afterwards => Follows::Prompt,
            Some(_) | None => Follows::Write,
        }
    }

    /// The review as desks see it.
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

    /// Notes whether its hook was answered without a decision, or waits again. The revision stays, since a
    /// decision on it may be under way.
    pub(super) fn set_unawaited(&mut self, unawaited: Option<Unawaited>) -> Changed {
        self.unawaited = unawaited;
        self.changed_since_told()
    }

    /// Takes the changes that desks do not know, and that the caller tells them now.
    pub(super) fn changed_since_told(&mut self) -> Changed {
        Changed { unawaited: self.unawaited, ..self.text.changed_since_told() }
    }

    /// Carries out an edit that was made on this revision.
    pub(super) fn edit(&mut self, revision: u64, edit: Edit) -> Result<(), Refusal> {
        if matches!(edit, Edit::SetReason { .. }) && self.reasons().are_lost() {
            self.text.check_revision(revision)?;
            return Err(Refusal::NoReason);
        }
        self.text.edit(revision, edit)
    }

    /// Whether this decision may be taken on this revision. Agents do not take an empty text, for which
    /// they write their whole proposal, nor the text that the file already holds.
    pub(super) fn may_decide(&self, revision: u64, decision: Decision) -> Result<(), Refusal> {
        self.text.check_revision(revision)?;
        match (decision, &self.asker) {
            // A tool may do more than writing a text, such as deleting an empty file.
            (Decision::Accept, Asker::Hook(_)) if self.text.is_as_proposed() => Ok(()),
            // A session cannot take an empty text; a hook can.
            (Decision::Accept, Asker::Session(_)) if self.text.is_emptied() => Err(Refusal::Empty),
            (Decision::Accept, _) if self.text.is_in_file() => Err(Refusal::Unchanged),
            (Decision::Accept | Decision::Reject, _) => Ok(()),
        }
    }
}
