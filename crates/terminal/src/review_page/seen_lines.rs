//! The lines of changes that have been on the screen. A line is identified by properties that never change,
//! so that a decision on one change does not make other changes unseen.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

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

/// A line that the person wrote, identified by the first line of its change and the hash of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EditedLine(usize, u64);

impl EditedLine {
    /// Creates the line of a change that begins at the line `original` of the original.
    pub(super) fn new(original: usize, text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self(original, hasher.finish())
    }
}

/// All lines that have been on the screen.
#[derive(Debug, Default)]
pub(crate) struct SeenLines {
    pub(super) original: LineSet,
    pub(super) proposed: LineSet,
    pub(super) edited: HashSet<EditedLine>,
    pub(super) hard_to_see: HashSet<(usize, usize)>,
    pub(super) whole: LineSet,
}

impl SeenLines {
    /// Notes that a line is on the screen. Returns true if it was not before.
    pub(crate) fn insert(&mut self, line: ShownLine) -> bool {
        match line {
            ShownLine::Original(line) => self.original.insert(line),
            ShownLine::Proposed(line) => self.proposed.insert(line),
            ShownLine::Edited(line) => self.edited.insert(line),
            ShownLine::HardToSee(original, proposed) => self.hard_to_see.insert((original, proposed)),
            ShownLine::Whole(line) => self.whole.insert(line),
        }
    }
}

/// A set of line numbers, as sorted ranges that do not touch.
#[derive(Debug, Default)]
pub(super) struct LineSet(Vec<Range<usize>>);

impl LineSet {
    fn insert(&mut self, line: usize) -> bool {
        let at = self.0.partition_point(|run| run.end < line);
        match self.0.get_mut(at) {
            Some(run) if run.contains(&line) => return false,
            Some(run) if run.end == line => run.end += 1,
            Some(run) if run.start == line + 1 => run.start = line,
            _ => {
                self.0.insert(at, line..line + 1);
                return true;
            }
        }
        // The range may touch the next one now.
        if let Some(next) = self.0.get(at + 1).filter(|next| next.start == self.0[at].end) {
            self.0[at].end = next.end;
            self.0.remove(at + 1);
        }
        true
    }

    /// The number of these lines that are in the set.
    pub(super) fn count(&self, lines: Range<usize>) -> usize {
        let first = self.0.partition_point(|run| run.end <= lines.start);
        let runs = self.0[first..].iter().take_while(|run| run.start < lines.end);
        runs.map(|run| run.end.min(lines.end) - run.start.max(lines.start)).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_set_of_lines_counts_as_any_set(
            lines in proptest::collection::vec(0..30usize, 0..40), from in 0..30usize, to in 0..32usize,
        ) {
            let (mut set, mut plain) = (LineSet::default(), std::collections::BTreeSet::new());
            for line in lines {
                prop_assert_eq!(set.insert(line), plain.insert(line));
            }
            prop_assert!(set.0.windows(2).all(|pair| pair[0].end < pair[1].start));
            let range = from..to.max(from);
            prop_assert_eq!(set.count(range.clone()), plain.range(range).count());
        }
    }
}
