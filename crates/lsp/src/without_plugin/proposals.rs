//! All proposals of an editor: the open ones, and ended ones that the editor still has open.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use alongside_desk::ReviewId;
use tokio::time::Instant;

use super::document::DocumentKey;
use super::ended_review::EndedReview;
use super::proposal::Proposal;

/// The time between two looks at the file of a proposal that the editor shows without this server.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(crate) struct Proposals {
    open: BTreeMap<ReviewId, Proposal>,
    ended: BTreeMap<DocumentKey, EndedReview>,
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

    /// Removes all proposals, and the files of the ended ones. Returns the open ones, with their files.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = Proposal> + use<> {
        self.ended.clear();
        std::mem::take(&mut self.open).into_values()
    }

    /// Keeps an ended review, for as long as the editor has its document open.
    pub(crate) fn keep_ended(&mut self, ended: EndedReview) {
        self.ended.insert(ended.path().to_owned(), ended);
    }

    /// The ended review with this document.
    pub(crate) fn ended_mut(&mut self, key: &Path) -> Option<&mut EndedReview> {
        self.ended.get_mut(key)
    }

    /// The editor has closed a document: the file of an ended review goes away with the returned value.
    pub(crate) fn take_ended(&mut self, key: &Path) -> Option<EndedReview> {
        self.ended.remove(key)
    }

    /// The ended reviews whose documents the editor still has open.
    pub(crate) fn ended(&mut self) -> impl Iterator<Item = (&DocumentKey, &mut EndedReview)> {
        self.ended.iter_mut()
    }

    /// The next time at which one of the methods below has a result.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let of = |proposal: &Proposal| [proposal.closes_at, proposal.opens_until, proposal.looks_at];
        let ended = self.ended.values().map(EndedReview::looks_at);
        self.open.values().flat_map(of).chain(ended).flatten().min()
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
                proposal.looks_at = Some(now);
                unopened.push(*id);
            }
        }
        unopened
    }

    /// The reviews whose files are due for a look, where the editor shows them without this server.
    pub(crate) fn take_looks(&mut self, now: Instant) -> Vec<ReviewId> {
        let mut due = Vec::new();
        for (id, proposal) in &mut self.open {
            if let Some(at) = proposal.looks_at.as_mut().filter(|at| **at <= now) {
                *at = now + LOOK;
                due.push(*id);
            }
        }
        due
    }

    /// The ended reviews that are due for a look. Those that nobody looks at any longer go.
    pub(crate) fn take_ended_looks(&mut self, now: Instant) -> Vec<&mut EndedReview> {
        self.ended.retain(|_, ended| !ended.is_over(now));
        self.ended.values_mut().filter_map(|ended| ended.take_look(now).then_some(ended)).collect()
    }
}
