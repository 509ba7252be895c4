//! How much of a review has been printed in line mode, so that nothing counts as seen that was not.

use std::collections::{BTreeSet, HashMap};

use alongside_desk::review_model::{OpenReview, SeenPart};
use alongside_desk::{Hunk, HunkState, Lines, Review, ReviewId, Text, look_alikes};

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
    /// The revision that was printed last.
    pub(super) revision: u64,
    /// The printed lines of the original, and of the proposal.
    original: Stretches,
    proposed: Stretches,
    /// The lines of the proposal that were printed, or in whose place the person's own lines were: an undone
    /// edit brings lines back that were never on the screen.
    edited: Stretches,
    /// The lines as in the three fields above of which at least the beginning was printed: some are too long.
    begun: [Stretches; 3],
    /// Where printed lines begin on both sides, for hunks that have no line on either.
    places: BTreeSet<(usize, usize)>,
}

/// Where the first lines are that were not printed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    /// In this hunk, on the page that begins at a spot.
    From(usize, Spot),
    /// Nowhere; but the end of a line in this hunk is cut.
    OnlyCut(usize),
    /// On the page behind the one that was printed last.
    NextPage,
}

/// Stretches of lines in order, none of which touch.
#[derive(Debug, Default)]
struct Stretches(Vec<Lines>);

impl PrintedReviews {
    /// The printed part of a review, if any of it was.
    pub(super) fn of(&self, id: ReviewId) -> Option<&Printed> {
        self.reviews.get(&id)
    }

    /// How much of a review was printed.
    pub(super) fn seen(&self, review: &Review) -> SeenPart {
        match self.of(review.id) {
            Some(printed) => printed.part_of(review),
            None => Printed::default().part_of(review),
        }
    }

    /// The first hunk of a review that is edited and was not printed.
    pub(super) fn first_unseen_edit(&self, review: &Review) -> Option<usize> {
        let is_seen = |hunk: &Hunk| self.of(review.id).is_some_and(|printed| printed.holds(hunk));
        review.hunks.iter().position(|hunk| hunk.state == HunkState::Edited && !is_seen(hunk))
    }

    /// Where the first lines are that would be written and were not printed yet.
    pub(super) fn next_unseen(&self, open: &OpenReview) -> Unseen {
        let review = open.review();
        if review.whole_file_only.is_some() {
            return Unseen::NextPage;
        }
        let nothing = Printed::default();
        let printed = self.of(review.id).unwrap_or(&nothing);
        let is_unseen = |hunk: &Hunk| hunk.state != HunkState::Dropped && !printed.holds(hunk);
        let mut unseen = review.hunks.iter().enumerate().filter(|(_, hunk)| is_unseen(hunk));
        let cut = unseen.clone().next();
        let at_page = unseen.find_map(|(at, hunk)| Some((at, hunk, printed.begin_of_rest(hunk)?)));
        match (at_page, cut) {
            // The count is of the proposal's lines, and the person's own lines stand in their place.
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

    /// The page to print.
    pub(super) fn paging(&mut self) -> &mut Paging {
        &mut self.paging
    }

    /// These pages of a review are printed at the person's place; none at its end.
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

    /// A review has a new revision, made by another desk or not, and of another text or not.
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
        // A change of the file alone is no other text than the one that was printed.
        if printed.revision == from && !is_other {
            printed.revision = revision;
        }
    }

    /// A review has ended.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.reviews.remove(&id);
    }
}

impl Printed {
    /// These lines of the original and of the proposal of this revision were printed, each as a whole.
    pub(super) fn add(&mut self, revision: u64, lines: Option<(Lines, Lines)>) {
        self.revision = revision;
        if let Some((original, proposed)) = lines {
            self.proposed.add(proposed);
            self.add_edited(original, proposed);
        }
    }

    /// A page was printed, and perhaps not the end of each line.
    fn add_begun(&mut self, page: &Page) {
        let [original, proposed, edited] = &mut self.begun;
        original.add(page.begun.0);
        edited.add(page.begun.1);
        if !page.is_edited {
            proposed.add(page.begun.1);
        }
    }

    /// The person's own lines were printed in the place of these ones of the proposal.
    fn add_edited(&mut self, original: Lines, proposed: Lines) {
        self.original.add(original);
        self.edited.add(proposed);
        self.places.insert((original.start, proposed.start));
    }

    /// Another desk changed the review, perhaps in a hunk that was printed before.
    pub(super) fn forget_hunks(&mut self) {
        *self = Self { revision: self.revision, ..Self::default() };
    }

    /// Whether all of a hunk was printed, perhaps as a part of one that has been split since.
    fn holds(&self, hunk: &Hunk) -> bool {
        let (original, proposed) = (hunk.original, hunk.proposed);
        match original.is_empty() && proposed.is_empty() {
            true => self.places.contains(&(original.start, proposed.start)),
            false => self.lines_of(hunk) >= original.len() + proposed.len(),
        }
    }

    /// Where the page begins on which the first line of a hunk stands that was not printed yet; none if at
    /// least the beginning of each was.
    fn begin_of_rest(&self, hunk: &Hunk) -> Option<Spot> {
        let [original, proposed, edited] = &self.begun;
        let proposed = if hunk.state == HunkState::Edited { edited } else { proposed };
        let (old, new) = (original.first_of(hunk.original), proposed.first_of(hunk.proposed));
        let is_rest = old < hunk.original.len() || new < hunk.proposed.len() || !self.has_begun(hunk);
        // The pages of an edited hunk have other lines in the place of the proposal's.
        let spot = match hunk.state {
            HunkState::Edited => Spot::default(),
            HunkState::Kept | HunkState::Dropped => Spot { old, new, ..Spot::default() },
        };
        is_rest.then_some(spot)
    }

    /// Whether a hunk without a line on either side was printed; others are known by their lines.
    fn has_begun(&self, hunk: &Hunk) -> bool {
        let (original, proposed) = (hunk.original, hunk.proposed);
        let has_lines = !original.is_empty() || !proposed.is_empty();
        has_lines || self.places.contains(&(original.start, proposed.start))
    }

    /// How many lines of a hunk were printed.
    fn lines_of(&self, hunk: &Hunk) -> usize {
        let proposed = match hunk.state {
            HunkState::Edited => &self.edited,
            HunkState::Kept | HunkState::Dropped => &self.proposed,
        };
        self.original.count(hunk.original) + proposed.count(hunk.proposed)
    }

    /// How much of the review was printed.
    pub(super) fn part_of(&self, review: &Review) -> SeenPart {
        // A dropped change writes nothing: nobody has to see it before the rest is accepted.
        let is_unseen = |hunk: &Hunk| hunk.state != HunkState::Dropped && !self.holds(hunk);
        let unseen = || review.hunks.iter().filter(|hunk| is_unseen(hunk));
        let seen = match &*review.hunks {
            [] if review.whole_file_only.is_some() || review.original.is_none() => {
                let all = Text::new(review.current.clone()).len();
                SeenPart::lines(self.proposed.count(Lines { start: 0, end: all }), all)
            }
            [hunk] if is_unseen(hunk) => {
                let all = hunk.original.len() + hunk.proposed.len();
                // A hunk with one line only, or with lines that are cut.
                SeenPart::lines(self.lines_of(hunk).min(all.saturating_sub(1)), all.max(1))
            }
            hunks if unseen().next().is_none() => SeenPart::changes(hunks.len(), hunks.len()),
            hunks => SeenPart::changes(hunks.iter().filter(|hunk| self.holds(hunk)).count(), hunks.len()),
        };
        let rest = Review { hunks: unseen().cloned().collect(), ..review.clone() };
        seen.with_hard_to_see(look_alikes::count_hard_to_see(&rest))
    }
}

impl Stretches {
    /// Adds lines, which join those that they touch.
    fn add(&mut self, lines: Lines) {
        if lines.is_empty() {
            return;
        }
        let from = self.0.partition_point(|known| known.end < lines.start);
        let to = self.0.partition_point(|known| known.start <= lines.end);
        let joined = self.0.get(from..to).unwrap_or_default();
        let (first, last) =
            (joined.first().copied().unwrap_or(lines), joined.last().copied().unwrap_or(lines));
        let joined = Lines { start: first.start.min(lines.start), end: last.end.max(lines.end) };
        self.0.splice(from..to.max(from), [joined]);
    }

    /// How many of these lines are there before the first one that is not.
    fn first_of(&self, lines: Lines) -> usize {
        let at = self.0.partition_point(|known| known.end <= lines.start);
        let known = self.0.get(at).filter(|known| known.start <= lines.start);
        known.map_or(0, |known| known.end.min(lines.end).saturating_sub(lines.start))
    }

    /// How many of these lines are there.
    fn count(&self, lines: Lines) -> usize {
        let from = self.0.partition_point(|known| known.end <= lines.start);
        let these = self.0[from..].iter().take_while(|known| known.start < lines.end);
        these.map(|known| known.end.min(lines.end) - known.start.max(lines.start)).sum()
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
    fn a_change_without_lines_is_seen_in_its_place_only() {
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
    fn the_first_lines_that_were_not_printed_are_found_page_by_page() {
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

    proptest::proptest! {
        #[test]
        fn stretches_hold_exactly_what_was_added(
            added in proptest::collection::vec((0..40usize, 0..9usize), 0..12),
            asked in (0..40usize, 0..20usize),
        ) {
            let (mut stretches, mut known) = (Stretches::default(), BTreeSet::new());
            for (start, len) in added {
                stretches.add(lines(start, start + len));
                known.extend(start..start + len);
            }
            let (start, end) = (asked.0, asked.0 + asked.1);
            proptest::prop_assert_eq!(stretches.count(lines(start, end)), known.range(start..end).count());
            let first = (start..end).take_while(|line| known.contains(line)).count();
            proptest::prop_assert_eq!(stretches.first_of(lines(start, end)), first);
            proptest::prop_assert!(stretches.0.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
