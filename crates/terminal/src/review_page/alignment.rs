//! The alignment of the two sides of a hunk: a line and the line that it became share a row. Pure arithmetic
//! on line numbers; [`like_lines`](super::like_lines) finds the pairs.

use std::ops::Range;

/// The pairs of a hunk. Lines count from 0 at the first line of the hunk in their text. Between two pairs,
/// old and new lines share rows from the top, and the shorter side has empty rows. In a stacked alignment,
/// old lines are above new lines instead.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    pairs: Vec<Pair>,
    is_stacked: bool,
}

/// Two lines that share a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    row: usize,
    old: usize,
    new: usize,
}

/// The rows between two pairs: the first row, and the lines of both sides.
struct Between {
    row: usize,
    old: Range<usize>,
    new: Range<usize>,
}

/// The alignment without pairs: both sides begin in the first row.
pub(super) static PLAIN: Alignment = Alignment { pairs: Vec::new(), is_stacked: false };

/// The stacked alignment without pairs: all old lines are above all new lines.
pub(super) static STACKED: Alignment = Alignment { pairs: Vec::new(), is_stacked: true };

impl Alignment {
    /// Creates an alignment from pairs in the order of both sides.
    pub(super) fn new(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self::default().with(pairs)
    }

    /// Creates a stacked alignment from pairs in the order of both sides, for the one-column layout.
    pub(super) fn stacked(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self { is_stacked: true, ..Self::default() }.with(pairs)
    }

    fn with(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        for (old, new) in pairs {
            let before = self.behind(self.pairs.last(), (old, new));
            self.pairs.push(Pair { row: before.row + self.rows_of(&before), old, new });
        }
        self
    }

    /// The pairs, as lines of both sides.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pairs.iter().map(|pair| (pair.old, pair.new))
    }

    fn rows_of(&self, between: &Between) -> usize {
        match self.is_stacked {
            true => between.old.len() + between.new.len(),
            false => between.old.len().max(between.new.len()),
        }
    }

    /// The rows after a pair and before the lines `(old, new)`. Without a pair, they start at the first row.
    fn behind(&self, pair: Option<&Pair>, (old, new): (usize, usize)) -> Between {
        let (row, from) = pair.map_or((0, (0, 0)), |pair| (pair.row + 1, (pair.old + 1, pair.new + 1)));
        Between { row, old: from.0..old.max(from.0), new: from.1..new.max(from.1) }
    }

    /// The number of rows for these numbers of old and new lines.
    pub(super) fn rows(&self, lines: (usize, usize)) -> usize {
        let end = self.behind(self.pairs.last(), lines);
        end.row + self.rows_of(&end)
    }

    /// The old and the new line in a row. `lines`: the numbers of old and new lines.
    pub(super) fn lines_in(&self, row: usize, lines: (usize, usize)) -> (Option<usize>, Option<usize>) {
        let next = self.pairs.partition_point(|pair| pair.row <= row);
        let pair = next.checked_sub(1).and_then(|at| self.pairs.get(at));
        if let Some(pair) = pair.filter(|pair| pair.row == row) {
            return (Some(pair.old), Some(pair.new));
        }
        let between = self.behind(pair, self.pairs.get(next).map_or(lines, |next| (next.old, next.new)));
        let below = row.saturating_sub(between.row);
        let line = |lines: &Range<usize>, at: usize| lines.clone().nth(at);
        let first_new = if self.is_stacked { between.old.len() } else { 0 };
        let new = below.checked_sub(first_new).and_then(|at| line(&between.new, at));
        (line(&between.old, below), new)
    }

    /// The row of an old line.
    pub(super) fn row_of_old(&self, line: usize) -> usize {
        let after = self.pairs.partition_point(|pair| pair.old <= line);
        let pair = after.checked_sub(1).and_then(|at| self.pairs.get(at));
        pair.map_or(line, |pair| pair.row + (line - pair.old))
    }

    /// The row of a new line. `lines`: the numbers of old and new lines.
    pub(super) fn row_of_new(&self, line: usize, lines: (usize, usize)) -> usize {
        let after = self.pairs.partition_point(|pair| pair.new <= line);
        let pair = after.checked_sub(1).and_then(|at| self.pairs.get(at));
        if let Some(pair) = pair.filter(|pair| pair.new == line) {
            return pair.row;
        }
        let between = self.behind(pair, self.pairs.get(after).map_or(lines, |next| (next.old, next.new)));
        let above = if self.is_stacked { between.old.len() } else { 0 };
        between.row + above + line.saturating_sub(between.new.start)
    }

    /// The line that an old line became.
    pub(super) fn new_of(&self, old: usize) -> Option<usize> {
        let at = self.pairs.binary_search_by_key(&old, |pair| pair.old).ok()?;
        self.pairs.get(at).map(|pair| pair.new)
    }

    /// The old line from which a new line was made.
    pub(super) fn old_of(&self, new: usize) -> Option<usize> {
        let at = self.pairs.binary_search_by_key(&new, |pair| pair.new).ok()?;
        self.pairs.get(at).map(|pair| pair.old)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All rows for these numbers of lines, each as `old/new`.
    fn rows(pairs: &[(usize, usize)], lines: (usize, usize)) -> String {
        let alignment = Alignment::new(pairs.iter().copied());
        let line = |line: Option<usize>| line.map_or_else(String::new, |line| line.to_string());
        let shown = (0..alignment.rows(lines)).map(|row| {
            let (old, new) = alignment.lines_in(row, lines);
            format!("{}/{}", line(old), line(new))
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pairs_share_rows_and_the_shorter_side_waits_for_them() {
        assert_eq!(rows(&[], (2, 3)), "0/0 1/1 /2");
        assert_eq!(rows(&[(0, 3), (1, 4)], (2, 5)), "/0 /1 /2 0/3 1/4");
        assert_eq!(rows(&[(2, 1)], (4, 2)), "0/0 1/ 2/1 3/");
        assert_eq!(rows(&[(0, 0)], (1, 1)), "0/0");
        assert_eq!(rows(&[], (0, 0)), "");
    }

    proptest! {
        #[test]
        fn every_line_has_one_row_in_order(
            steps in proptest::collection::vec((0..4usize, 0..4usize), 0..6), rest in (0..4usize, 0..4usize),
        ) {
            let (mut pairs, mut at) = (Vec::new(), (0, 0));
            for (old, new) in steps {
                pairs.push((at.0 + old, at.1 + new));
                at = (at.0 + old + 1, at.1 + new + 1);
            }
            let lines = (at.0 + rest.0, at.1 + rest.1);
            let alignment = Alignment::new(pairs.iter().copied());
            let all: Vec<_> = (0..alignment.rows(lines)).map(|row| alignment.lines_in(row, lines)).collect();
            prop_assert!(all.iter().all(|(old, new)| old.is_some() || new.is_some()), "no row is empty");
            let olds: Vec<_> = all.iter().filter_map(|row| row.0).collect();
            let news: Vec<_> = all.iter().filter_map(|row| row.1).collect();
            prop_assert_eq!(olds, (0..lines.0).collect::<Vec<_>>());
            prop_assert_eq!(news, (0..lines.1).collect::<Vec<_>>());
            for (row, (old, new)) in all.iter().enumerate() {
                prop_assert!(old.is_none_or(|old| alignment.row_of_old(old) == row));
                prop_assert!(new.is_none_or(|new| alignment.row_of_new(new, lines) == row));
            }
            let stacked = Alignment::stacked(pairs.iter().copied());
            let rows: Vec<_> = (0..stacked.rows(lines)).map(|row| stacked.lines_in(row, lines)).collect();
            prop_assert!(rows.iter().all(|(old, new)| old.is_some() || new.is_some()), "no row is empty");
            for (row, (old, new)) in rows.iter().enumerate() {
                prop_assert!(old.is_none_or(|old| stacked.row_of_old(old) == row));
                prop_assert!(new.is_none_or(|new| stacked.row_of_new(new, lines) == row));
                if let (Some(old), Some(new)) = (old, new) {
                    prop_assert!(pairs.contains(&(*old, *new)), "only pairs share a row");
                }
            }
            prop_assert_eq!(rows.iter().filter(|(old, _)| old.is_some()).count(), lines.0);
            prop_assert_eq!(rows.iter().filter(|(_, new)| new.is_some()).count(), lines.1);
            for (old, new) in pairs {
                prop_assert_eq!((alignment.new_of(old), alignment.old_of(new)), (Some(new), Some(old)));
            }
        }
    }
}
