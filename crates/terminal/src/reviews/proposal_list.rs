//! The proposals in the order of the list, and the one on the screen. A replaced proposal leaves its position
//! to the next proposal of its agent for the same file.

use alongside_desk::{Closing, Review, ReviewId};

use crate::review_view::ReviewView;

/// The proposals that wait.
#[derive(Default)]
pub(super) struct ProposalList {
    views: Vec<ReviewView>,
    /// The proposal on the screen, or behind the turn review.
    shown: Option<ReviewId>,
    /// The position of a replaced proposal, which its agent is about to propose again.
    vacancy: Option<Vacancy>,
}

/// The position of a replaced proposal, until its agent proposes the file again.
struct Vacancy {
    index: usize,
    agent: u64,
    file: String,
    /// Whether the ended proposal was on the screen.
    was_shown: bool,
}

/// The position of a proposal that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Whether it is on the screen, or behind the turn review.
    pub(super) is_shown: bool,
    /// Whether it has the position of a replaced proposal, whose end has announced it.
    pub(super) is_replacement: bool,
}

impl ProposalList {
    /// All proposals, in the order of the list.
    pub(super) fn all(&self) -> &[ReviewView] {
        &self.views
    }

    /// The proposal on the screen, or behind the turn review.
    pub(super) fn shown_id(&self) -> Option<ReviewId> {
        self.shown
    }

    /// The index of the shown proposal.
    pub(super) fn index(&self) -> Option<usize> {
        self.index_of(self.shown?)
    }

    fn index_of(&self, id: ReviewId) -> Option<usize> {
        self.views.iter().position(|view| view.review().id == id)
    }

    pub(super) fn view(&self, id: ReviewId) -> Option<&ReviewView> {
        self.views.iter().find(|view| view.review().id == id)
    }

    pub(super) fn view_mut(&mut self, id: ReviewId) -> Option<&mut ReviewView> {
        self.views.iter_mut().find(|view| view.review().id == id)
    }

    /// Adds a proposal that arrives, and shows it if none is shown or if it replaces the shown one.
    pub(super) fn add(&mut self, review: Review) -> Arrival {
        let same =
            |vacancy: &mut Vacancy| vacancy.agent == review.agent.number && vacancy.file == review.file;
        let vacancy = self.vacancy.take_if(same);
        let (id, end) = (review.id, self.views.len());
        let index = vacancy.as_ref().map_or(end, |vacancy| vacancy.index.min(end));
        self.views.insert(index, ReviewView::new(review));
        let is_shown = self.shown.is_none() || vacancy.as_ref().is_some_and(|vacancy| vacancy.was_shown);
        if is_shown {
            self.shown = Some(id);
        }
        Arrival { is_shown, is_replacement: vacancy.is_some() }
    }

    /// Removes a proposal that has ended, and shows the next one in its place. After `Replaced`, the next
    /// event is the new proposal for the same file, which gets this position.
    pub(super) fn remove(&mut self, id: ReviewId, closing: Closing) -> Option<ReviewView> {
        let index = self.index_of(id)?;
        let (view, was_shown) = (self.views.remove(index), self.shown == Some(id));
        let is_replaced = closing == Closing::Replaced;
        if is_replaced {
            let (agent, file) = (view.review().agent.number, view.review().file.clone());
            self.vacancy = Some(Vacancy { index, agent, file, was_shown });
        }
        if was_shown {
            self.shown = None;
            if !is_replaced {
                self.show_nearest(index);
            }
        }
        Some(view)
    }

    /// Shows another proposal if the expected new one has not come. Returns whether it does.
    pub(super) fn fill_vacancy(&mut self) -> bool {
        let is_vacant = self.shown.is_none() && !self.views.is_empty();
        if is_vacant {
            self.show_nearest(self.vacancy.as_ref().map_or(0, |vacancy| vacancy.index));
        }
        is_vacant
    }

    /// Shows the proposal at `index`, or the last one.
    fn show_nearest(&mut self, index: usize) {
        let next = self.views.get(index).or(self.views.last());
        self.shown = next.map(|view| view.review().id);
    }

    /// Shows a proposal. Returns false if it is shown already.
    pub(super) fn show(&mut self, id: ReviewId) -> bool {
        self.shown.replace(id) != Some(id)
    }

    /// The proposal `by` positions further in the list; the first one follows the last one. `None` if no
    /// proposal waits.
    pub(super) fn neighbour(&self, by: isize) -> Option<ReviewId> {
        let all = isize::try_from(self.views.len()).ok().filter(|all| *all > 0)?;
        let at = self.index().and_then(|at| isize::try_from(at).ok());
        let next = at.map_or(0, |at| (at + by).rem_euclid(all));
        self.views.get(usize::try_from(next).ok()?).map(|view| view.review().id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(id: u64, file: &str) -> Review {
        Review { id: ReviewId(id), file: file.into(), ..Review::default() }
    }

    /// A list of the proposals 1 to 3, of which the first is shown.
    fn list() -> ProposalList {
        let mut list = ProposalList::default();
        for (id, file) in [(1, "/a"), (2, "/b"), (3, "/c")] {
            let arrival = list.add(review(id, file));
            assert_eq!(arrival, Arrival { is_shown: id == 1, is_replacement: false });
        }
        list
    }

    fn ids(list: &ProposalList) -> Vec<u64> {
        list.all().iter().map(|view| view.review().id.0).collect()
    }

    #[test]
    fn a_new_proposal_for_the_file_gets_the_position_of_the_replaced_one() {
        let mut list = list();
        assert!(list.show(ReviewId(2)) && !list.show(ReviewId(2)));
        list.remove(ReviewId(2), Closing::Replaced).unwrap();
        assert_eq!(list.shown_id(), None, "the new proposal is about to come");
        assert_eq!(list.add(review(4, "/b")), Arrival { is_shown: true, is_replacement: true });
        assert_eq!((ids(&list), list.shown_id()), (vec![1, 4, 3], Some(ReviewId(4))));
        list.remove(ReviewId(1), Closing::Replaced).unwrap();
        assert_eq!(list.add(review(5, "/a")), Arrival { is_shown: false, is_replacement: true });
        assert_eq!((ids(&list), list.shown_id()), (vec![5, 4, 3], Some(ReviewId(4))));
    }

    #[test]
    fn a_vacancy_without_a_new_proposal_is_filled() {
        let mut list = list();
        assert!(!list.fill_vacancy(), "a proposal is shown");
        list.remove(ReviewId(1), Closing::Replaced).unwrap();
        assert!(list.fill_vacancy());
        assert_eq!(list.shown_id(), Some(ReviewId(2)));
    }

    #[test]
    fn the_next_proposal_follows_the_one_that_ended() {
        let mut list = list();
        list.remove(ReviewId(1), Closing::Accepted).unwrap();
        assert_eq!(list.shown_id(), Some(ReviewId(2)));
        list.show(ReviewId(3));
        list.remove(ReviewId(3), Closing::Accepted).unwrap();
        assert_eq!(list.shown_id(), Some(ReviewId(2)), "the last one is left");
        assert!(list.remove(ReviewId(3), Closing::Accepted).is_none());
        list.remove(ReviewId(2), Closing::Accepted).unwrap();
        assert_eq!((list.shown_id(), list.neighbour(1)), (None, None));
    }

    #[test]
    fn the_first_proposal_follows_the_last_one() {
        let mut list = list();
        assert_eq!((list.neighbour(1), list.neighbour(-1)), (Some(ReviewId(2)), Some(ReviewId(3))));
        list.show(ReviewId(3));
        assert_eq!(list.neighbour(1), Some(ReviewId(1)));
    }
}
