//! The lines of changes that have been on the screen. A line is identified by properties that never change,
//! so that a decision on one change does not make other changes unseen.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use alongside_desk::review_model::{LineSet, SeenPart};
use alongside_desk::{Hunk, HunkState, Lines};

use super::content::Content;
use super::page::Page;
use super::sentences::Sentence;
use super::texts::Side;
use super::unwrapped_row::{Row, Sign};

/// A line of a change, or of a review without changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownLine {
    Original(usize),
    Proposed(usize),
    Edited(EditedLine),
    /// The sentence on the hard-to-see difference in the change that begins at these lines of the original
    /// and the proposal.
    HardToSee(usize, usize),
    /// A line of a text without changes.
    Whole(usize),
}

impl ShownLine {
    /// The lines of changes whose last row is among these rows; of a text without changes, all such lines.
    pub(crate) fn all_in(page: &Page, rows: Range<usize>) -> Vec<Self> {
        let (content, mut shown) = (page.content(), Vec::new());
        page.for_each_row(rows.clone(), |unwrapped, _, row| {
            if page.rows_of_line(unwrapped).end > rows.end {
                return;
            }
            if let Row::Sentence(hunk, number) = row
                && let (Some(Sentence::HardToSee(_)), Some(hunk)) =
                    (content.sentence(hunk, number), content.hunks.get(hunk))
            {
                shown.push(Self::HardToSee(hunk.original.start, hunk.proposed.start));
            }
            for cell in row.cells() {
                let hunk = cell.hunk.and_then(|hunk| content.hunks.get(hunk));
                if let (Some(hunk), Sign::Same, Some(line)) = (hunk, cell.sign, cell.current)
                    && hunk.state == HunkState::Edited
                {
                    shown.push(Self::Edited(EditedLine::of(content, hunk, line)));
                }
                shown.extend(match (hunk, cell.sign) {
                    (None, _) if content.hunks.is_empty() => cell.current.map(Self::Whole),
                    (None, _) => None,
                    (Some(_), Sign::Same | Sign::Removed) => cell.original.map(Self::Original),
                    (Some(_), Sign::Added | Sign::Dropped) => Some(Self::Proposed(cell.twin.1)),
                    (Some(hunk), Sign::Edited) => {
                        Some(Self::Edited(EditedLine::of(content, hunk, cell.line)))
                    }
                });
            }
        });
        shown
    }
}

/// A line that the person wrote, identified by the first line of its change and the hash of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EditedLine(usize, u64);

impl EditedLine {
    /// The line of an edited change, by its number in the current text.
    fn of(content: &Content, hunk: &Hunk, line: usize) -> Self {
        let mut hasher = DefaultHasher::new();
        content.texts.line(Side::Current, line).hash(&mut hasher);
        Self(hunk.original.start, hasher.finish())
    }
}

/// All lines that have been on the screen.
#[derive(Debug, Default)]
pub(crate) struct SeenLines {
    original: LineSet,
    proposed: LineSet,
    edited: HashSet<EditedLine>,
    hard_to_see: HashSet<(usize, usize)>,
    whole: LineSet,
}

impl SeenLines {
    /// Notes that a line is on the screen. Returns true if it was not before.
    pub(crate) fn insert(&mut self, line: ShownLine) -> bool {
        let one = |line| Lines { start: line, end: line + 1 };
        match line {
            ShownLine::Original(line) => self.original.add(one(line)),
            ShownLine::Proposed(line) => self.proposed.add(one(line)),
            ShownLine::Edited(line) => self.edited.insert(line),
            ShownLine::HardToSee(original, proposed) => self.hard_to_see.insert((original, proposed)),
            ShownLine::Whole(line) => self.whole.add(one(line)),
        }
    }

    /// The part of a review that has been on the screen: a number of whole changes, or of lines if the review
    /// has at most one change.
    pub(crate) fn part_of(&self, page: &Page) -> SeenPart {
        let content = page.content();
        let is_whole = |index: usize, hunk: &Hunk| {
            let (seen, all) = self.lines_of(content, index, hunk);
            seen >= all
        };
        let each = || content.hunks.iter().enumerate();
        let unseen = each().filter(|(index, hunk)| !is_whole(*index, hunk));
        let hard_to_see = unseen.filter(|(index, _)| content.is_hard_to_see(*index)).count();
        match &*content.hunks {
            [] => {
                let all = content.texts.text(Side::Current).len();
                SeenPart::lines(self.whole.count((0..all).into()), all)
            }
            [hunk] => {
                let (seen, all) = self.lines_of(content, 0, hunk);
                SeenPart::lines(seen, all).with_hard_to_see(hard_to_see)
            }
            hunks => {
                let seen = each().filter(|(index, hunk)| is_whole(*index, hunk)).count();
                SeenPart::changes(seen, hunks.len()).with_hard_to_see(hard_to_see)
            }
        }
    }

    /// The number of a change's lines that have been on the screen, and of all its lines.
    fn lines_of(&self, content: &Content, index: usize, hunk: &Hunk) -> (usize, usize) {
        let old = self.original.count(hunk.original);
        let (new, all) = match hunk.state {
            HunkState::Edited => {
                let lines = hunk.current.start..hunk.current.end;
                let is_seen = |line: &usize| self.edited.contains(&EditedLine::of(content, hunk, *line));
                (lines.filter(is_seen).count(), hunk.current.len())
            }
            HunkState::Kept | HunkState::Dropped => (self.proposed.count(hunk.proposed), hunk.proposed.len()),
        };
        let (lines, all) = (old + new, hunk.original.len() + all);
        if content.is_folded(index) {
            // A hunk that was accepted before the write counts as seen.
            return (all, all);
        }
        // The sentence on a hard-to-see difference must have been on the screen, too.
        let is_said = content.is_hard_to_see(index);
        let is_read = !is_said || self.hard_to_see.contains(&(hunk.original.start, hunk.proposed.start));
        (if is_read { lines } else { lines.min(all.saturating_sub(1)) }, all)
    }
}
