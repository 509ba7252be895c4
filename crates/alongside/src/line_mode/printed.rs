//! The printed part of each review in line mode, so that only printed changes count as seen.

use std::collections::{BTreeSet, HashMap};

use alongside_desk::review_model::{LineSet, OpenReview, SeenPart};
use alongside_desk::{Hunk, HunkState, Lines, Review, ReviewId, look_alikes};

use super::pages::{Page, Paging, Spot};

/// The printed part of each review, and the page on which the person is.
#[derive(Debug, Default)]
pub(super) struct PrintedReviews {
    reviews: HashMap<ReviewId, Printed>,
    paging: Paging,
}

/// The printed part of a review.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// The latest printed revision.
    pub(super) revision: u64,
    /// The printed lines of the original.
    original: LineSet,
    /// The printed lines of the proposal.
    proposed: LineSet,
    /// The lines of the proposal that were printed, or replaced by printed lines of the person. After an undo
    /// of the edit, the replaced lines do not count as printed.
    edited: LineSet,
    /// The lines as in the three fields above, including lines of which only the beginning was printed.
    begun: [LineSet; 3],
    /// The beginnings of printed hunks on both sides, for hunks without a line on either side.
    places: BTreeSet<(usize, usize)>,
}

/// The place of the first lines that were not printed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    /// This hunk, on the page that begins at a spot.
    From(usize, Spot),
    /// No whole line, but the cut end of a line in this hunk.
    OnlyCut(usize),
    /// The page after the latest printed one.
    NextPage,
}

impl PrintedReviews {
    /// Returns the printed part of a review, if any part was printed.
    pub(super) fn of(&self, id: ReviewId) -> Option<&Printed> {
        self.reviews.get(&id)
    }

    /// Returns the seen part of a review.
    pub(super) fn seen(&self, review: &Review) -> SeenPart {
        match self.of(review.id) {
            Some(printed) => printed.part_of(review),
            None => Printed::default().part_of(review),
        }
    }

    /// Returns the first hunk of a review that is edited and was not printed.
    pub(super) fn first_unseen_edit(&self, review: &Review) -> Option<usize> {
        let is_seen = |hunk: &Hunk| self.of(review.id).is_some_and(|printed| printed.has_all_of(hunk));
        review.hunks.iter().position(|hunk| hunk.state == HunkState::Edited && !is_seen(hunk))
    }

    /// Returns the place of the first lines that would be written and were not printed yet.
    pub(super) fn next_unseen(&self, open: &OpenReview) -> Unseen {
        let review = open.review();
        if review.whole_file_only.is_some() {
            return Unseen::NextPage;
        }
        let none = Printed::default();
        let printed = self.of(review.id).unwrap_or(&none);
        let is_unseen = |hunk: &Hunk| hunk.state != HunkState::Dropped && !printed.has_all_of(hunk);
        let mut unseen = review.hunks.iter().enumerate().filter(|(_, hunk)| is_unseen(hunk));
        let cut = unseen.clone().next();
        let at_page = unseen.find_map(|(at, hunk)| Some((at, hunk, printed.unprinted_page(hunk)?)));
        match (at_page, cut) {
            // The printed lines are counted in lines of the proposal, which the person's own lines replace.
            (Some((at, hunk, _)), _)
                if hunk.state == HunkState::Edited && at == open.hunk() && self.paging.has_more() =>
            {
                Unseen::NextPage
            }
            (Some((at, _, spot)), _) => Unseen::From(at, spot),
            (None, Some((at, _))) => Unseen::OnlyCut(at),
            (None, None) => Unseen::NextPage,
        }
    }

    /// Returns the pages at the person's place.
    pub(super) fn paging(&mut self) -> &mut Paging {
        &mut self.paging
    }

    /// Adds the printed pages of a review at the person's place. At the end of a review there is no page.
    pub(super) fn add(&mut self, review: &Review, pages: &[Page]) {
        let printed = self.reviews.entry(review.id).or_default();
        printed.revision = review.revision;
        for page in pages {
            printed.add_begun(page);
            match page.seen {
                Some((original, proposed)) if page.is_edited => printed.add_edited(original, proposed),
                seen => printed.add(review.revision, seen),
            }
        }
        self.paging.mark_printed(pages);
    }

    /// Takes a new revision of a review. `is_foreign`: another desk made it. `is_other`: its text is another
    /// one.
    pub(super) fn change(
        &mut self,
        id: ReviewId,
        from: u64,
        revision: u64,
        (is_foreign, is_other): (bool, bool),
    ) {
        let Some(printed) = self.reviews.get_mut(&id) else { return };
        if is_foreign {
            printed.forget_hunks();
        }
        // A change of the file on disk alone leaves the printed text as it is.
        if printed.revision == from && !is_other {
            printed.revision = revision;
        }
    }

    /// Removes a review that has ended.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.reviews.remove(&id);
    }
}

impl Printed {
    /// Adds lines of the original and of the proposal of this revision, each of which was printed as a whole.
    pub(super) fn add(&mut self, revision: u64, lines: Option<(Lines, Lines)>) {
        self.revision = revision;
        if let Some((original, proposed)) = lines {
            self.proposed.add(proposed);
            self.add_edited(original, proposed);
        }
    }

    /// Adds the lines of a page, which may have cut lines.
    fn add_begun(&mut self, page: &Page) {
        let [original, proposed, edited] = &mut self.begun;
        original.add(page.begun.0);
        edited.add(page.begun.1);
        if !page.is_edited {
            proposed.add(page.begun.1);
        }
    }

    /// Adds lines of the proposal that printed lines of the person replace.
    fn add_edited(&mut self, original: Lines, proposed: Lines) {
        self.original.add(original);
        self.edited.add(proposed);
        self.places.insert((original.start, proposed.start));
    }

    /// Forgets the printed lines, because another desk may have changed any hunk.
    pub(super) fn forget_hunks(&mut self) {
        *self = Self { revision: self.revision, ..Self::default() };
    }

    /// Whether a hunk was printed as a whole, also as a part of a hunk that has been split since.
    fn has_all_of(&self, hunk: &Hunk) -> bool {
        let (original, proposed) = (hunk.original, hunk.proposed);
        match original.is_empty() && proposed.is_empty() {
            true => self.places.contains(&(original.start, proposed.start)),
            false => self.lines_of(hunk) >= original.len() + proposed.len(),
        }
    }

    /// Returns the beginning of the page with the first line of a hunk that was not printed; `None` if at
    /// least the beginning of each line was printed.
    fn unprinted_page(&self, hunk: &Hunk) -> Option<Spot> {
        let [original, proposed, edited] = &self.begun;
        let proposed = if hunk.state == HunkState::Edited { edited } else { proposed };
        let (old, new) = (original.count_first(hunk.original), proposed.count_first(hunk.proposed));
        let is_rest = old < hunk.original.len() || new < hunk.proposed.len() || !self.has_begun(hunk);
        // The pages of an edited hunk have other lines in the place of the proposal's.
        let spot = match hunk.state {
            HunkState::Edited => Spot::default(),
            HunkState::Kept | HunkState::Dropped => Spot { old, new, ..Spot::default() },
        };
        is_rest.then_some(spot)
    }

    /// Whether a hunk has lines, or was printed if it has no line on either side.
    fn has_begun(&self, hunk: &Hunk) -> bool {
        let (original, proposed) = (hunk.original, hunk.proposed);
        let has_lines = !original.is_empty() || !proposed.is_empty();
        has_lines || self.places.contains(&(original.start, proposed.start))
    }

    /// Returns the number of printed lines of a hunk.
    fn lines_of(&self, hunk: &Hunk) -> usize {
        let proposed = match hunk.state {
            HunkState::Edited => &self.edited,
            HunkState::Kept | HunkState::Dropped => &self.proposed,
        };
        self.original.count(hunk.original) + proposed.count(hunk.proposed)
    }

    /// Returns the seen part of a review.
    pub(super) fn part_of(&self, review: &Review) -> SeenPart {
        // A dropped hunk writes nothing, so the others can be accepted without it.
        let is_unseen = |hunk: &Hunk| hunk.state != HunkState::Dropped && !self.has_all_of(hunk);
        let unseen = || review.hunks.iter().filter(|hunk| is_unseen(hunk));
        let seen = match &*review.hunks {
            [] if review.whole_file_only.is_some() || review.original.is_none() => {
                let [_, _, current] = review.texts();
                let all = current.len();
                SeenPart::lines(self.proposed.count(Lines { start: 0, end: all }), all)
            }
            [hunk] if is_unseen(hunk) => {
                let all = hunk.original.len() + hunk.proposed.len();
                // A hunk whose lines are all counted is unseen if it has no line, or a cut one.
                SeenPart::lines(self.lines_of(hunk).min(all.saturating_sub(1)), all.max(1))
            }
            hunks if unseen().next().is_none() => SeenPart::changes(hunks.len(), hunks.len()),
            hunks => {
                SeenPart::changes(hunks.iter().filter(|hunk| self.has_all_of(hunk)).count(), hunks.len())
            }
        };
        seen.with_hard_to_see(look_alikes::count_hard_to_see(review, unseen()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: usize, end: usize) -> Lines {
        Lines { start, end }
    }

    fn hunk(original: Lines, proposed: Lines) -> Hunk {
        Hunk { original, proposed, ..Hunk::default() }
    }

    fn review(hunks: Vec<Hunk>) -> Review {
        Review { original: Some("".into()), hunks, ..Review::default() }
    }

    #[test]
    fn a_long_change_is_seen_once_each_of_its_pages_was_printed() {
        let review = review(vec![hunk(lines(0, 10), lines(0, 30))]);
        let mut printed = Printed::default();
        printed.add(1, Some((lines(0, 10), lines(0, 20))));
        assert_eq!(printed.part_of(&review).text(), "seen 30 of 40 lines");
        printed.add(1, None);
        assert!(!printed.part_of(&review).is_all(), "a line was cut");
        printed.add(1, Some((lines(10, 10), lines(20, 30))));
        assert!(printed.part_of(&review).is_all());
        let split = self::review(vec![hunk(lines(0, 5), lines(0, 7)), hunk(lines(6, 10), lines(9, 30))]);
        assert!(printed.part_of(&split).is_all(), "the parts of a printed change are printed");
        printed.forget_hunks();
        assert_eq!(printed.part_of(&split).text(), "seen 0 of 2 changes");
    }

    #[test]
    fn a_text_without_changes_is_seen_by_its_lines() {
        let whole = Review {
            whole_file_only: Some("it is no text".into()),
            current: "a\nb\nc\n".into(),
            ..Review::default()
        };
        let mut printed = Printed::default();
        printed.add(1, Some((lines(0, 0), lines(0, 2))));
        assert_eq!(printed.part_of(&whole).text(), "seen 2 of 3 lines");
        printed.add(1, Some((lines(0, 0), lines(2, 3))));
        assert!(printed.part_of(&whole).is_all());
    }

    #[test]
    fn a_hunk_without_lines_is_seen_in_its_place_only() {
        let review = review(vec![hunk(lines(3, 3), lines(4, 4)), hunk(lines(8, 9), lines(9, 9))]);
        let mut printed = Printed::default();
        printed.add(1, Some((lines(8, 9), lines(9, 9))));
        assert_eq!(printed.part_of(&review).text(), "seen 1 of 2 changes");
        printed.add(1, Some((lines(3, 3), lines(4, 4))));
        assert!(printed.part_of(&review).is_all());
    }

    #[test]
    fn a_dropped_change_need_not_be_seen() {
        let mut review = review((0..3).map(|at| hunk(lines(at, at + 1), lines(at, at + 1))).collect());
        let mut printed = Printed::default();
        printed.add(1, Some((lines(0, 1), lines(0, 1))));
        review.hunks[1].state = HunkState::Dropped;
        assert_eq!(printed.part_of(&review).text(), "seen 1 of 3 changes");
        review.hunks[2].state = HunkState::Dropped;
        assert!(printed.part_of(&review).is_all());
        review.hunks[1].state = HunkState::Edited;
        assert!(!printed.part_of(&review).is_all());
    }

    #[test]
    fn the_next_unseen_page_is_found_until_only_cut_lines_are_left() {
        let long = || hunk(lines(0, 10), lines(0, 30));
        let mut review = review(vec![long(), hunk(lines(20, 21), lines(40, 41))]);
        review.hunks[1].state = HunkState::Kept;
        let mut reviews = PrintedReviews::default();
        let next =
            |reviews: &PrintedReviews, review: &Review| reviews.next_unseen(&OpenReview::new(review.clone()));
        let page = |old, new, is_cut: bool| Page {
            text: String::new(),
            seen: (!is_cut).then_some((old, new)),
            begun: (old, new),
            is_edited: false,
            has_neighbours: false,
            next: None,
        };
        assert_eq!(next(&reviews, &review), Unseen::From(0, Spot::default()));
        reviews.add(&review, &[page(lines(0, 10), lines(0, 12), false)]);
        let second = Spot { old: 10, new: 12, ..Spot::default() };
        assert_eq!(next(&reviews, &review), Unseen::From(0, second));
        reviews.add(&review, &[page(lines(10, 10), lines(12, 30), true)]);
        assert_eq!(next(&reviews, &review), Unseen::From(1, Spot::default()), "a cut line shows no more");
        reviews.add(&review, &[page(lines(20, 21), lines(40, 41), false)]);
        assert_eq!(next(&reviews, &review), Unseen::OnlyCut(0));
        review.hunks[0].state = HunkState::Dropped;
        assert_eq!(next(&reviews, &review), Unseen::NextPage);
    }
}
