//! A set of lines: those of a review that a person has seen.

use crate::review::Lines;

/// A set of lines, as ordered ranges that do not touch each other.
#[derive(Debug, Default)]
pub struct LineSet(Vec<Lines>);

impl LineSet {
    /// Adds lines, and joins them with the ranges that they touch. Returns whether any of them is new.
    pub fn add(&mut self, lines: Lines) -> bool {
        if lines.is_empty() || self.count(lines) == lines.len() {
            return false;
        }
        let from = self.0.partition_point(|known| known.end < lines.start);
        let to = self.0.partition_point(|known| known.start <= lines.end);
        let joined = self.0.get(from..to).unwrap_or_default();
        let (first, last) =
            (joined.first().copied().unwrap_or(lines), joined.last().copied().unwrap_or(lines));
        let joined = Lines { start: first.start.min(lines.start), end: last.end.max(lines.end) };
        self.0.splice(from..to.max(from), [joined]);
        true
    }

    /// Returns the number of these lines in the set before the first one that is not in it.
    pub fn count_first(&self, lines: Lines) -> usize {
        let at = self.0.partition_point(|known| known.end <= lines.start);
        let known = self.0.get(at).filter(|known| known.start <= lines.start);
        known.map_or(0, |known| known.end.min(lines.end).saturating_sub(lines.start))
    }

    /// Returns the number of these lines in the set.
    pub fn count(&self, lines: Lines) -> usize {
        let from = self.0.partition_point(|known| known.end <= lines.start);
        let overlapping = self.0[from..].iter().take_while(|known| known.start < lines.end);
        let both = |known: &Lines| known.end.min(lines.end).saturating_sub(known.start.max(lines.start));
        overlapping.map(both).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    proptest::proptest! {
        #[test]
        fn a_line_set_has_exactly_the_added_lines(
            added in proptest::collection::vec((0..40usize, 0..9usize), 0..40),
            asked in (0..40usize, 0..20usize),
        ) {
            let (mut set, mut known) = (LineSet::default(), BTreeSet::new());
            for (start, len) in added {
                let is_new = (start..start + len).any(|line| !known.contains(&line));
                proptest::prop_assert_eq!(set.add((start..start + len).into()), is_new);
                known.extend(start..start + len);
            }
            let (start, end) = (asked.0, asked.0 + asked.1);
            proptest::prop_assert_eq!(set.count((start..end).into()), known.range(start..end).count());
            let first = (start..end).take_while(|line| known.contains(line)).count();
            proptest::prop_assert_eq!(set.count_first((start..end).into()), first);
            proptest::prop_assert!(set.0.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
