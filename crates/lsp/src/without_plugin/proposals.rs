//! All proposals of an editor: the open ones, and ended ones that the editor still has open.

use std::collections::BTreeMap;
use std::path::Path;

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
    name: String,
    /// Editors do not end before every changed document is saved, so the file must stay.
    #[expect(dead_code, reason = "it is held, not read")]
    file: ProposalFile,
    /// The person knows that the review has ended.
    is_announced: bool,
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
    pub(crate) fn keep_ended(&mut self, name: String, file: ProposalFile) {
        let path = file.path().to_owned();
        self.ended.insert(path, EndedReview { name, file, is_announced: false });
    }

    /// The editor has closed a document: the file of an ended review goes away.
    pub(crate) fn drop_ended(&mut self, key: &Path) {
        self.ended.remove(key);
    }

    /// The name of the ended review whose document the person edits; `None` the second time.
    pub(crate) fn announce_ended(&mut self, key: &Path) -> Option<&str> {
        let ended = self.ended.get_mut(key)?;
        let is_first = !std::mem::replace(&mut ended.is_announced, true);
        is_first.then_some(&*ended.name)
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
