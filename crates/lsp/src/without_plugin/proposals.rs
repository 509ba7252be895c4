//! All proposals of an editor: the open ones, and ended ones that the editor still has open.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use alongside_desk::ReviewId;
use tokio::time::Instant;

use super::document::DocumentKey;
use super::proposal::Proposal;
use super::proposal_file::ProposalFile;

#[derive(Debug, Default)]
pub(crate) struct Proposals {
    open: BTreeMap<ReviewId, Proposal>,
    ended: BTreeMap<DocumentKey, EndedReview>,
}

#[derive(Debug)]
struct EndedReview {
    /// Editors do not end before every changed document is saved, so the file must stay.
    #[expect(dead_code, reason = "it is held, not read")]
    file: ProposalFile,
    /// The document when the review ended: other text has been typed since, and goes nowhere.
    text: Arc<str>,
    /// The person knows that typing has no effect.
    is_typing_explained: bool,
    /// The person knows that saving has no effect.
    is_save_explained: bool,
}

impl Proposals {
    pub(crate) fn get(&self, id: ReviewId) -> Option<&Proposal> {
        self.open.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: ReviewId) -> Option<&mut Proposal> {
        self.open.get_mut(&id)
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The open proposals with their reviews, in the order of the reviews.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ReviewId, &Proposal)> {
        self.open.iter().map(|(id, proposal)| (*id, proposal))
    }

    /// The open proposals, in the order of their reviews.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Proposal> {
        self.open.values()
    }

    /// The open proposal whose file has this path.
    pub(crate) fn at_path_mut(&mut self, path: &Path) -> Option<(ReviewId, &mut Proposal)> {
        let mut all = self.open.iter_mut();
        all.find(|(_, proposal)| proposal.path() == Some(path)).map(|(id, proposal)| (*id, proposal))
    }

    pub(crate) fn insert(&mut self, proposal: Proposal) {
        self.open.insert(proposal.review.id, proposal);
    }

    pub(crate) fn remove(&mut self, id: ReviewId) -> Option<Proposal> {
        self.open.remove(&id)
    }

    /// Removes all proposals and their files.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.ended.clear();
    }

    /// Keeps the file of an ended review, for as long as the editor has it open.
    /// `text` is that of the document.
    pub(crate) fn keep_ended(&mut self, file: ProposalFile, text: Arc<str>) {
        let path = file.path().to_owned();
        let (is_typing_explained, is_save_explained) = (false, false);
        self.ended.insert(path, EndedReview { file, text, is_typing_explained, is_save_explained });
    }

    /// The editor has closed a document: the file of an ended review goes away. False if it is no such file.
    pub(crate) fn drop_ended(&mut self, key: &Path) -> bool {
        self.ended.remove(key).is_some()
    }

    /// The documents of ended reviews that the editor still has open.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &DocumentKey> {
        self.ended.keys()
    }

    /// The person types in the document of an ended review: whether that is the first time. `None` for other
    /// documents.
    pub(crate) fn typed_after_end(&mut self, key: &Path) -> Option<bool> {
        let ended = self.ended.get_mut(key)?;
        Some(!std::mem::replace(&mut ended.is_typing_explained, true))
    }

    /// The person saves the document of an ended review: whether its text was typed after the end, and
    /// whether that is the first time. `None` for other documents.
    pub(crate) fn saved_after_end(&mut self, key: &Path, text: &str) -> Option<(bool, bool)> {
        let ended = self.ended.get_mut(key)?;
        let is_first = !std::mem::replace(&mut ended.is_save_explained, true);
        Some((*ended.text != *text, is_first))
    }

    /// The next time at which [`Self::take_closed`] or [`Self::take_unopened`] has a result.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let deadlines = self.open.values().flat_map(|proposal| [proposal.closes_at, proposal.opens_until]);
        deadlines.flatten().min()
    }

    /// The reviews whose documents have been closed for long enough.
    pub(crate) fn take_closed(&mut self, now: Instant) -> Vec<ReviewId> {
        let is_due = |proposal: &mut Proposal| proposal.closes_at.take_if(|at| *at <= now).is_some();
        let closed = self.open.iter_mut().filter_map(|(id, proposal)| is_due(proposal).then_some(*id));
        closed.collect()
    }

    /// The reviews whose documents the editor shows without this server.
    pub(crate) fn take_unopened(&mut self, now: Instant) -> Vec<ReviewId> {
        let mut unopened = Vec::new();
        for (id, proposal) in &mut self.open {
            if proposal.opens_until.take_if(|until| *until <= now).is_some() {
                proposal.is_apart = true;
                unopened.push(*id);
            }
        }
        unopened
    }
}
