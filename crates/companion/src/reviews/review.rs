//! A review that waits for a decision: the current text, its revision, and all that desks are told of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{
    Agent, Change, Changed, Closing, Decision, HookProposal, Hunk, Reasons, Refusal, Review, ReviewId,
    Verdict,
};

use super::proposal::Proposal;
use super::reasons::ReasonStore;
use super::remarks;
use super::target::Fingerprint;

#[derive(Debug)]
pub(crate) struct PendingReview {
    pub(crate) id: ReviewId,
    asker: Asker,
    pub(crate) agent: Agent,
    revision: u64,
    stale: bool,
    dirty: bool,
    /// The revision and the text that desks know.
    told: (u64, Arc<str>),
    /// The target as it was last read.
    seen: Fingerprint,
    /// The target is being read again.
    is_reading: bool,
    /// Its draft was saved at some time.
    pub(super) has_draft: bool,
    proposal: Proposal,
    reasons: ReasonStore,
}

/// The one who asked for a review, and the only one that hears the outcome.
#[derive(Debug)]
pub(crate) enum Asker {
    /// The session of this id.
    Session(String),
    Hook(HookTerms),
}

/// The abilities and the words of the hook that asked.
#[derive(Debug, Clone)]
pub(crate) struct HookTerms {
    /// The agent's own name of its session.
    pub(crate) session: String,
    /// Its agent may bring the same edit once more.
    pub(crate) comes_twice: bool,
    /// Its agent writes a text that the person changed.
    pub(crate) takes_text: bool,
    pub(crate) reasons: Reasons,
    pub(crate) remark: Option<String>,
    /// How many files its tool call changes.
    pub(crate) parts: usize,
}

impl HookTerms {
    pub(crate) fn of(proposal: HookProposal) -> Self {
        let HookProposal { session, comes_twice, takes_text, reasons, remark, parts, .. } = proposal;
        Self { session, comes_twice, takes_text, reasons, remark, parts }
    }
}

impl PendingReview {
    pub(super) fn new(id: ReviewId, asker: Asker, agent: Agent, proposal: Proposal, dirty: bool) -> Self {
        Self {
            id,
            asker,
            agent,
            revision: 1,
            stale: false,
            dirty,
            told: (1, proposal.composition.current().clone()),
            seen: proposal.fingerprint.clone(),
            is_reading: false,
            has_draft: false,
            proposal,
            reasons: ReasonStore::default(),
        }
    }

    /// The session that asked, if one did.
    pub(crate) fn session(&self) -> Option<&str> {
        match &self.asker {
            Asker::Session(session) => Some(session),
            Asker::Hook(_) => None,
        }
    }

    /// The hook that asked, if one did.
    pub(crate) fn hook(&self) -> Option<&HookTerms> {
        match &self.asker {
            Asker::Session(_) => None,
            Asker::Hook(terms) => Some(terms),
        }
    }

    /// The verdict for the hook that asked, once the review has ended so.
    pub(crate) fn verdict(&self, closing: Closing, draft: Option<PathBuf>) -> Verdict {
        let review = self.review();
        match closing {
            Closing::Accepted => {
                Verdict::Accepted { text: self.current().clone(), message: remarks::accepted(&review) }
            }
            Closing::Rejected => Verdict::Rejected { message: remarks::rejected(&review) },
            _ => Verdict::Undecided { message: remarks::undecided(closing).to_owned(), draft },
        }
    }

    /// The path, byte for byte as the agent spells it.
    pub(crate) fn file_path(&self) -> &str {
        &self.proposal.file_path
    }

    pub(super) fn proposed(&self) -> &Arc<str> {
        self.proposal.composition.proposed()
    }

    /// The target when the proposal came.
    pub(super) fn fingerprint(&self) -> &Fingerprint {
        &self.proposal.fingerprint
    }

    pub(super) fn real_path(&self) -> &Path {
        self.proposal.real_path()
    }

    pub(crate) fn current(&self) -> &Arc<str> {
        self.proposal.composition.current()
    }

    pub(crate) fn has_edits(&self) -> bool {
        self.proposal.composition.has_edits()
    }

    pub(crate) fn has_reasons(&self) -> bool {
        !self.reasons.is_empty()
    }

    fn hunks(&self) -> Vec<Hunk> {
        let mut hunks = self.proposal.composition.hunks();
        self.reasons.annotate(&mut hunks);
        hunks
    }

    /// The review as desks see it.
    pub(crate) fn review(&self) -> Review {
        let Proposal { file_path, composition, normalized, .. } = &self.proposal;
        Review {
            id: self.id,
            agent: self.agent.clone(),
            file: file_path.clone(),
            original: self.proposal.is_comparable().then(|| composition.original().clone()),
            proposed: composition.proposed().clone(),
            current: composition.current().clone(),
            revision: self.revision,
            hunks: self.hunks(),
            whole_file_only: normalized.whole_file_only.clone(),
            file_line_ending: normalized.file_line_ending,
            file_has_bom: normalized.file_has_bom,
            stale: self.stale,
            dirty: self.dirty,
            outside: self.proposal.outside.clone(),
            in_git: self.proposal.in_git.clone(),
            reasons: self.hook().map(|hook| hook.reasons).unwrap_or_default(),
            reason: self.reasons.whole().cloned(),
            remark: self.hook().and_then(|hook| hook.remark.clone()),
            parts: self.hook().map(|hook| hook.parts).unwrap_or_default(),
        }
    }

    /// The changes that desks do not know. They know them from now on.
    pub(super) fn changed_since_told(&mut self) -> Changed {
        let current = self.current().clone();
        let (from, text) = std::mem::replace(&mut self.told, (self.revision, current.clone()));
        Changed {
            id: self.id,
            from,
            revision: self.revision,
            changes: alongside_desk::replacement(&text, &current).into_iter().collect(),
            hunks: self.hunks(),
            stale: self.stale,
            dirty: self.dirty,
            reason: self.reasons.whole().cloned(),
        }
    }

    /// The target has to be read again, and nobody does so yet: the caller reads it now.
    pub(super) fn begin_reading(&mut self) -> bool {
        let begins = !self.is_reading && self.seen.is_outdated(self.file_path());
        self.is_reading |= begins;
        begins
    }

    pub(super) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// The target was read again. True if desks have to be told.
    pub(super) fn end_reading(&mut self, seen: Fingerprint) -> bool {
        let stale = seen.differs_from(&self.proposal.fingerprint);
        self.is_reading = false;
        self.seen = seen;
        let is_news = stale != self.stale;
        self.stale = stale;
        self.revision += u64::from(is_news);
        is_news
    }

    /// An editor holds unsaved changes to the target, or does not. True if desks have to be told.
    pub(super) fn set_dirty(&mut self, dirty: bool) -> bool {
        let is_news = dirty != self.dirty;
        self.dirty = dirty;
        self.revision += u64::from(is_news);
        is_news
    }

    fn check_revision(&self, revision: u64) -> Result<(), Refusal> {
        if revision == self.revision { Ok(()) } else { Err(Refusal::Stale { revision: self.revision }) }
    }

    fn changed(&mut self, done: Result<(), Refusal>) -> Result<u64, Refusal> {
        done.map(|()| {
            self.revision += 1;
            self.revision
        })
    }

    fn check_hunks(&self) -> Result<(), Refusal> {
        match &self.proposal.normalized.whole_file_only {
            Some(reason) => Err(Refusal::WholeFileOnly { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    pub(crate) fn edit(&mut self, revision: u64, changes: &[Change]) -> Result<u64, Refusal> {
        self.check_revision(revision)?;
        let done = self.proposal.composition.edit(changes);
        self.changed(done)
    }

    pub(crate) fn keep(&mut self, revision: u64, hunks: &[usize], keep: bool) -> Result<u64, Refusal> {
        self.check_revision(revision)?;
        self.check_hunks()?;
        let done = self.proposal.composition.keep(hunks, keep);
        self.changed(done)
    }

    pub(crate) fn split(&mut self, revision: u64, hunk: usize) -> Result<u64, Refusal> {
        self.check_revision(revision)?;
        self.check_hunks()?;
        let done = self.proposal.composition.split(hunk);
        self.changed(done)
    }

    pub(crate) fn set_reason(
        &mut self,
        revision: u64,
        hunk: Option<usize>,
        reason: &str,
    ) -> Result<u64, Refusal> {
        self.check_revision(revision)?;
        if self.hook().is_none_or(|hook| hook.reasons.are_lost()) {
            return Err(Refusal::NoReason);
        }
        let hunk = match hunk {
            Some(at) => {
                let place = || Refusal::OutOfRange { place: format!("change {}", at.saturating_add(1)) };
                Some(self.proposal.composition.hunks().get(at).ok_or_else(place)?.clone())
            }
            None => None,
        };
        self.reasons.set(hunk.as_ref(), reason);
        self.changed(Ok(()))
    }

    pub(crate) fn undo(&mut self, revision: u64) -> Result<u64, Refusal> {
        self.check_revision(revision)?;
        let done = self.proposal.composition.undo();
        self.changed(done)
    }

    pub(crate) fn redo(&mut self, revision: u64) -> Result<u64, Refusal> {
        self.check_revision(revision)?;
        let done = self.proposal.composition.redo();
        self.changed(done)
    }

    /// Whether this decision may be taken on this revision. Agents take neither an empty text, for which they
    /// write their whole proposal, nor the text that the file already holds. A hook hands over an empty text.
    pub(crate) fn may_decide(&self, revision: u64, decision: Decision) -> Result<(), Refusal> {
        self.check_revision(revision)?;
        let composition = &self.proposal.composition;
        let (original, proposed, current) =
            (composition.original(), composition.proposed(), composition.current());
        if decision == Decision::Reject {
            return Ok(());
        }
        if current.is_empty() && !proposed.is_empty() && self.hook().is_none() {
            return Err(Refusal::Empty);
        }
        let only_the_convention_changes = current == proposed
            && (self.proposal.normalized.file_line_ending.is_some()
                || self.proposal.normalized.file_has_bom.is_some());
        // A tool may do more than writing a text, such as deleting an empty file.
        let is_the_hooks = self.hook().is_some() && current == proposed;
        let is_unchanged = current == original && !only_the_convention_changes && !is_the_hooks;
        if self.proposal.is_comparable() && is_unchanged {
            return Err(Refusal::Unchanged);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
