//! A text under review: the text on disk, the proposed text and the person's text, with revisions, hunks and
//! reasons. [`review`](super::review) adds the agent and the asker.

use std::path::Path;
use std::sync::Arc;

use alongside_desk::{Change, Changed, Hunk, Lines, Refusal, Review, ReviewId, Side};

use super::proposal::PreparedProposal;
use super::reasons::ReasonStore;
use super::target::Fingerprint;

/// The text under review, and its state for desks.
#[derive(Debug)]
pub(crate) struct ReviewedText {
    id: ReviewId,
    pub(super) proposal: PreparedProposal,
    reasons: ReasonStore,
    revision: u64,
    stale: bool,
    dirty: bool,
    /// The revision and the text that desks have.
    sent: (u64, Arc<str>),
    /// The target as it was last read.
    last_read: Fingerprint,
    /// Whether the target is being read again.
    is_reading: bool,
}

/// A change of the text, of its hunks, or of a reason. A reason without a hunk is for the whole review.
#[derive(Debug)]
pub(crate) enum Edit {
    Type(Vec<Change>),
    Keep { hunks: Vec<usize>, keep: bool },
    Split { hunk: usize, lines: Option<(Side, Lines)> },
    SetReason { hunk: Option<usize>, reason: String },
    Undo,
    Redo,
}

impl ReviewedText {
    pub(crate) fn new(id: ReviewId, proposal: PreparedProposal, dirty: bool) -> Self {
        Self {
            id,
            reasons: ReasonStore::default(),
            revision: 1,
            stale: false,
            dirty,
            sent: (1, proposal.composition.current().clone()),
            last_read: proposal.fingerprint.clone(),
            is_reading: false,
            proposal,
        }
    }

    pub(crate) fn id(&self) -> ReviewId {
        self.id
    }

    /// Returns the path, byte for byte as it came with the proposal.
    pub(crate) fn file_path(&self) -> &str {
        &self.proposal.file_path
    }

    /// Packs a large original until it is used again.
    pub(super) fn pack_original(&mut self) {
        self.proposal.composition.pack_original();
    }

    pub(super) fn proposed(&self) -> &Arc<str> {
        self.proposal.composition.proposed()
    }

    pub(crate) fn current(&self) -> &Arc<str> {
        self.proposal.composition.current()
    }

    /// Returns the target as it was last read.
    pub(crate) fn last_read(&self) -> &Fingerprint {
        &self.last_read
    }

    pub(crate) fn has_edits(&self) -> bool {
        self.proposal.composition.has_edits()
    }

    /// Whether changes are dropped, and nothing is typed.
    pub(super) fn is_only_dropped(&self) -> bool {
        self.has_edits() && !self.proposal.composition.has_typed_text()
    }

    pub(super) fn has_reasons(&self) -> bool {
        !self.reasons.is_empty()
    }

    pub(super) fn is_as_proposed(&self) -> bool {
        self.current() == self.proposed()
    }

    /// Whether the text is empty, but the proposed text is not.
    pub(super) fn is_emptied(&self) -> bool {
        self.current().is_empty() && !self.proposed().is_empty()
    }

    /// Whether the file already holds the text, in the same form.
    pub(super) fn is_in_file(&self) -> bool {
        let normalized = &self.proposal.normalized;
        let has_another_form = normalized.file_line_ending.is_some() || normalized.file_has_bom.is_some();
        self.proposal.has_file_text()
            && self.proposal.composition.is_original()
            && !(has_another_form && self.is_as_proposed())
    }

    fn hunks(&self) -> Vec<Hunk> {
        let mut hunks = self.proposal.composition.hunks();
        self.reasons.attach_to(&mut hunks);
        hunks
    }

    /// Returns the review as desks see it, without agent and asker.
    pub(crate) fn review(&self) -> Review {
        let PreparedProposal { file_path, composition, normalized, .. } = &self.proposal;
        Review {
            id: self.id,
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
            of_agents: self.proposal.of_agents.clone(),
            leads_to: self.proposal.leads_to.clone(),
            reason: self.reasons.for_review().cloned(),
            ..Review::default()
        }
    }

    /// Returns the changes that desks do not have yet, and counts them as sent.
    pub(crate) fn take_changes(&mut self) -> Changed {
        let current = self.current().clone();
        let (from, text) = std::mem::replace(&mut self.sent, (self.revision, current.clone()));
        Changed {
            id: self.id,
            from,
            revision: self.revision,
            changes: alongside_desk::replacement(&text, &current).into_iter().collect(),
            hunks: self.hunks(),
            stale: self.stale,
            dirty: self.dirty,
            reason: self.reasons.for_review().cloned(),
            unawaited: None,
        }
    }

    /// Begins to read the target again, if it may have changed and is not being read. Returns whether it
    /// begins.
    pub(super) fn begin_reading(&mut self) -> bool {
        let begins = !self.is_reading && self.last_read.is_outdated(self.file_path());
        self.is_reading |= begins;
        begins
    }

    pub(super) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// Records the target as it was read again. Returns whether desks need the change.
    pub(super) fn end_reading(&mut self, last_read: Fingerprint) -> bool {
        let stale = last_read.differs_from(&self.proposal.fingerprint);
        self.is_reading = false;
        self.last_read = last_read;
        self.set_flags(stale, self.dirty)
    }

    /// Whether `is_dirty` is true of the target. `is_dirty` gets the path as it was spelled, and the path
    /// with links resolved.
    pub(crate) fn is_dirty(&self, is_dirty: impl Fn(&str, &Path) -> bool) -> bool {
        self.proposal.is_dirty(is_dirty)
    }

    /// Records whether an editor holds unsaved changes to the target. Returns whether desks need the change.
    pub(crate) fn set_dirty(&mut self, dirty: bool) -> bool {
        self.set_flags(self.stale, dirty)
    }

    fn set_flags(&mut self, stale: bool, dirty: bool) -> bool {
        let is_changed = (stale, dirty) != (self.stale, self.dirty);
        (self.stale, self.dirty) = (stale, dirty);
        self.revision += u64::from(is_changed);
        is_changed
    }

    pub(super) fn check_revision(&self, revision: u64) -> Result<(), Refusal> {
        if revision == self.revision { Ok(()) } else { Err(Refusal::Stale { revision: self.revision }) }
    }

    /// Carries out an edit that was made on this revision, which makes a new revision.
    pub(crate) fn edit(&mut self, revision: u64, edit: Edit) -> Result<(), Refusal> {
        self.check_revision(revision)?;
        let composition = &mut self.proposal.composition;
        match (edit, &self.proposal.normalized.whole_file_only) {
            (Edit::Keep { .. } | Edit::Split { .. }, Some(reason)) => {
                return Err(Refusal::WholeFileOnly { reason: reason.clone() });
            }
            (Edit::Keep { hunks, keep }, None) => composition.keep(&hunks, keep)?,
            (Edit::Split { hunk, lines }, None) => composition.split(hunk, lines)?,
            (Edit::Type(changes), _) => composition.edit(&changes)?,
            (Edit::SetReason { hunk: None, reason }, _) => self.reasons.set(None, &reason),
            (Edit::SetReason { hunk: Some(at), reason }, _) => {
                let out_of_range =
                    || Refusal::OutOfRange { place: format!("change {}", at.saturating_add(1)) };
                self.reasons.set(Some(composition.hunks().get(at).ok_or_else(out_of_range)?), &reason);
            }
            (Edit::Undo, _) => composition.undo()?,
            (Edit::Redo, _) => composition.redo()?,
        }
        self.revision += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
