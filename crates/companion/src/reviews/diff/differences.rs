//! The list of differing lines of two texts, as the comparison finds them.

use std::ops::Range;

/// The number of differences from which neighbours are joined: every desk gets each one after every change.
const MAX_DIFFERENCES: usize = 10_000;

/// Two ranges of lines that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The lines in the old text.
    pub(crate) old: Range<usize>,
    /// The lines in the new text.
    pub(crate) new: Range<usize>,
    /// Whether a limit was reached, so that some of these lines may be equal.
    pub(crate) coarse: bool,
}

/// Differences in order, with equal lines between them.
#[derive(Debug, Default)]
pub(crate) struct Differences(Vec<Difference>);

impl Differences {
    /// Adds a difference unless it is empty. Merges it with the last one if no lines are between them.
    pub(crate) fn push(&mut self, next: Difference) {
        if next.old.is_empty() && next.new.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.old.end == next.old.start && last.new.end == next.new.start => {
                (last.old.end, last.new.end) = (next.old.end, next.new.end);
                last.coarse |= next.coarse;
            }
            _ => self.0.push(next),
        }
    }

    /// Joins neighbours if there are too many differences. The neighbours with the fewest lines between them
    /// are joined, and never more of them into one than needed.
    pub(crate) fn join_surplus(self) -> Self {
        let half = MAX_DIFFERENCES / 2;
        if self.0.len() <= MAX_DIFFERENCES {
            return self;
        }
        let group = self.0.len().div_ceil(half);
        let lines_between = |[before, after]: &[Difference; 2]| after.old.start - before.old.end;
        let mut between: Vec<usize> = self.0.array_windows::<2>().map(lines_between).collect();
        let (.., threshold, _) = between.select_nth_unstable_by(half, |a, b| b.cmp(a));
        let threshold = *threshold;
        let (mut joined, mut members) = (Vec::<Difference>::with_capacity(MAX_DIFFERENCES), 0);
        for next in self.0 {
            members += 1;
            match joined.last_mut() {
                Some(last) if members <= group && next.old.start - last.old.end <= threshold => {
                    (last.old.end, last.new.end, last.coarse) = (next.old.end, next.new.end, true);
                }
                _ => {
                    joined.push(next);
                    members = 1;
                }
            }
        }
        Self(joined)
    }
}

impl IntoIterator for Differences {
    type Item = Difference;
    type IntoIter = std::vec::IntoIter<Difference>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns differences of one line each. Each begins `step` lines after the difference before it.
    fn one_line_in(steps: impl IntoIterator<Item = usize>) -> Differences {
        let mut found = Differences::default();
        let mut line = 0;
        for step in steps {
            found.push(Difference { old: line..line + 1, new: line..line + 1, coarse: false });
            line += step;
        }
        found
    }

    #[test]
    fn adjacent_differences_are_merged_and_empty_ones_dropped() {
        let difference = |old, new, coarse| Difference { old, new, coarse };
        let mut found = Differences::default();
        for next in
            [difference(0..1, 0..2, false), difference(1..2, 2..2, true), difference(3..3, 3..3, true)]
        {
            found.push(next);
        }
        assert_eq!(found.0, [difference(0..2, 0..2, true)]);
    }

    #[test]
    fn too_many_differences_are_joined_where_they_are_densest() {
        let few = one_line_in(std::iter::repeat_n(2, MAX_DIFFERENCES)).join_surplus();
        assert!(few.0.len() == MAX_DIFFERENCES && few.0.iter().all(|found| !found.coarse));
        // 1000 differences far apart, then 30,000 on every second line.
        let steps = std::iter::repeat_n(9, 1000).chain(std::iter::repeat_n(2, 30_000));
        let joined = one_line_in(steps).join_surplus().0;
        assert!((4_000..=MAX_DIFFERENCES + 1).contains(&joined.len()), "{}", joined.len());
        assert!(joined[..1000].iter().all(|found| found.old.len() == 1 && !found.coarse));
        assert!(joined[1000..].iter().all(|found| found.old.len() < 20));
        assert_eq!(joined.iter().filter(|found| found.coarse).map(|found| found.old.len()).max(), Some(13));
    }
}
