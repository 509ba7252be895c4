//! The lines that differ between two texts, and the place in the newer text of lines of the older one.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::DiffTag;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// The time for which a comparison searches for the smallest difference. After that, it returns a larger one.
const PATIENCE: Duration = Duration::from_millis(300);

/// All changes between two texts, in the order of their lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LineChanges {
    all: Vec<Change>,
}

/// A run of lines of the old text, and the lines of the new text in its place. Either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Splits a text into lines, each with its line end.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

impl LineChanges {
    /// Compares two texts.
    pub(crate) fn between(old: &str, new: &str) -> Self {
        if old == new {
            return Self::default();
        }
        let (old, new) = (lines(old), lines(new));
        let mut ops = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
        let until = Some(Instant::now() + PATIENCE);
        let Ok(()) = myers::diff_deadline(&mut ops, &old[..], 0..old.len(), &new[..], 0..new.len(), until);
        let ops = ops.into_inner().into_inner().into_ops();
        let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
        Self { all: changed.map(|op| Change { old: op.old_range(), new: op.new_range() }).collect() }
    }

    pub(crate) fn all(&self) -> &[Change] {
        &self.all
    }

    /// Whether a change replaces or removes one of these lines of the old text, or inserts lines between
    /// them. With `beside`, lines that are inserted directly above or below them count, too.
    pub(crate) fn touches(&self, lines: &Range<usize>, beside: bool) -> bool {
        self.all.iter().any(|Change { old, .. }| match (old.is_empty(), lines.is_empty()) {
            (_, true) => old.start <= lines.start && lines.start <= old.end,
            (true, false) if beside => lines.start <= old.start && old.start <= lines.end,
            (true, false) => lines.start < old.start && old.start < lines.end,
            (false, false) => old.start < lines.end && lines.start < old.end,
        })
    }

    /// Returns the lines of the new text that correspond to these lines of the old text. Where some of them
    /// have changed, the lines in their place belong to the result.
    pub(crate) fn place(&self, lines: &Range<usize>) -> Range<usize> {
        let (mut start, mut end) = (lines.start as isize, lines.end as isize);
        for Change { old, new } in &self.all {
            let by = new.len() as isize - old.len() as isize;
            match () {
                () if old.end <= lines.start => (start, end) = (start + by, end + by),
                () if old.start >= lines.end => break,
                () => {
                    start -= lines.start.saturating_sub(old.start) as isize;
                    end += by + old.end.saturating_sub(lines.end) as isize;
                }
            }
        }
        let start = usize::try_from(start).unwrap_or(0);
        start..usize::try_from(end).unwrap_or(0).max(start)
    }
}

/// Counts the occurrences of the run of lines `wanted` in a text.
pub(crate) fn count(text: &[&str], wanted: &[&str]) -> usize {
    if wanted.is_empty() { 0 } else { text.windows(wanted.len()).filter(|found| *found == wanted).count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_touched_where_they_changed() {
        let text = "a\nb\nc\nd\n";
        let touched = |new: &str, lines: Range<usize>| LineChanges::between(text, new).touches(&lines, true);
        assert!(touched("a\nB\nc\nd\n", 1..2) && touched("a\nc\nd\n", 1..2));
        assert!(!touched("A\nb\nc\nd\n", 1..2) && !touched("a\nb\nc\nD\n", 1..3) && !touched(text, 0..4));
        assert!(touched("a\nnew\nb\nc\nd\n", 1..2) && touched("a\nb\nnew\nc\nd\n", 1..2), "beside it");
        assert!(!touched("new\na\nb\nc\nd\n", 1..2));
        let beside = LineChanges::between(text, "a\nnew\nb\nc\nd\n");
        assert!(!beside.touches(&(1..2), false) && beside.touches(&(0..2), false));
        assert!(
            beside.touches(&(1..1), false) && !beside.touches(&(2..2), false),
            "where lines were removed"
        );
    }

    #[test]
    fn the_place_of_lines_moves_with_changes_above_and_in_them() {
        let changes = LineChanges::between("a\nb\nc\nd\n", "x\ny\na\nB\nB\nc\nd\n");
        assert_eq!((changes.place(&(2..4)), changes.place(&(0..1))), (5..7, 2..3));
        assert_eq!(changes.place(&(1..2)), 3..5);
        let gone = LineChanges::between("a\nb\nc\n", "a\nc\n");
        assert_eq!((gone.place(&(1..2)), gone.place(&(0..3)), gone.place(&(2..3))), (1..1, 0..2, 1..2));
    }

    #[test]
    fn only_runs_of_adjacent_lines_are_counted() {
        let text = lines("a\nb\na\nb\nb\n");
        assert_eq!((count(&text, &["a\n", "b\n"]), count(&text, &["b\n"]), count(&text, &[])), (2, 3, 0));
        assert_eq!(count(&["a\n"], &["a\n", "b\n"]), 0);
    }
}
