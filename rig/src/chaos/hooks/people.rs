//! The actions of people at the desks of a round with hooks.

use alongside_desk::{Hunk, HunkState, Lines, Review};

use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::desk_requests;

/// The line of a proposal with its mark.
const MARKED_LINE: usize = 1;

impl Round<'_> {
    /// Review number `pick` of a desk, modulo the number of reviews.
    fn review(&self, desk: usize, pick: usize) -> Option<(Desk, Review)> {
        let desk = self.present_desk(desk)?;
        let reviews = desk.seen().reviews;
        let review = reviews.values().nth(pick % reviews.len().max(1))?.clone();
        Some((desk.clone(), review))
    }

    pub(super) fn edit(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let typed = format!("typed {} in round {}", self.next_text(), self.plan.seed);
        desk_requests::edit(&self.record, &mut self.tasks, (number, desk), review, typed);
        true
    }

    /// Drops the last change that nobody typed into, unless that one has the mark.
    pub(super) fn drop_last_change(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let is_marked = |lines: Lines| (lines.start..lines.end).contains(&MARKED_LINE);
        let is_plain = |hunk: &Hunk| hunk.state == HunkState::Kept && !is_marked(hunk.proposed);
        let Some(hunk) = review.hunks.iter().rposition(is_plain) else { return false };
        desk_requests::drop_change(&self.record, &mut self.tasks, (number, desk), &review, hunk);
        true
    }

    pub(super) fn decide(&mut self, number: usize, pick: usize, accept: bool) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        self.decide_on(number, desk, &review, accept);
        true
    }

    /// A person decides on a review as it is shown.
    pub(super) fn decide_on(&mut self, number: usize, desk: Desk, review: &Review, accept: bool) {
        desk_requests::decide(&self.record, &mut self.tasks, (number, desk), review, accept);
    }
}
