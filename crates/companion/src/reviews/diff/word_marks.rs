//! The marked words of all hunks of a review, and the limits of comparing words.
//!
//! Sizes decide which hunks are compared, so the same texts have the same marks on every machine. The time
//! limit is only the last resort.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use alongside_desk::Words;

use super::line_pairs::candidates;
use super::word_diff::differing_words;

/// The largest side, in bytes, whose words are compared.
const MAX_BYTES: usize = 128 << 10;
/// The largest cost of comparing the words of a hunk, in pairs of lines plus bytes: enough for 2,000 lines
/// that became 2,000 other lines.
const MAX_HUNK_COST: usize = 1 << 19;
/// The largest cost of comparing the words of all hunks of a review.
const MAX_COST: usize = 1 << 20;

/// The marked words of a review's hunks, kept while a hunk has the same lines: a decision on one of four
/// hundred hunks compares at most that hunk again. Line numbers are relative to the hunk.
#[derive(Debug, Default)]
pub(super) struct WordMarks(HashMap<HunkSides, Option<Words>>);

/// The words of a hunk were not compared, because a limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotCompared;

/// The two sides of a hunk that are compared, as the key of its marks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct HunkSides {
    original: Range<usize>,
    other: OtherSide,
}

/// The side that is compared with the original.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum OtherSide {
    /// Lines of the proposed text, which never changes.
    Proposed(Range<usize>),
    /// The person's edit, which may move and change.
    Edited(String),
}

impl HunkSides {
    /// Creates the key; `None` for lines that are only added or removed. `edited`: the current text of an
    /// edited hunk.
    pub(super) fn new(
        original: (Range<usize>, &str),
        proposed: (Range<usize>, &str),
        edited: Option<&str>,
    ) -> Result<Option<Self>, NotCompared> {
        let other = edited.unwrap_or(proposed.1);
        if original.1.is_empty() || other.is_empty() {
            return Ok(None);
        }
        if cost(original.1, other).is_none() {
            return Err(NotCompared);
        }
        let other = edited.map_or(OtherSide::Proposed(proposed.0), |text| OtherSide::Edited(text.to_owned()));
        Ok(Some(Self { original: original.0, other }))
    }
}

/// Returns the cost of comparing two texts; `None` if they are too large.
pub(crate) fn cost(original: &str, other: &str) -> Option<usize> {
    if original.len().max(other.len()) > MAX_BYTES {
        return None;
    }
    let lines = |text: &str| text.split_inclusive('\n').count();
    let cost = candidates(lines(original), lines(other)) + original.len() + other.len();
    (cost <= MAX_HUNK_COST).then_some(cost)
}

impl WordMarks {
    /// Computes the marks for these hunks, each with its two texts, and drops all other marks. Hunks that are
    /// left after the time limit are not compared until the next change.
    pub(super) fn refresh<'a>(
        &mut self,
        time_limit: Duration,
        hunks: impl Iterator<Item = (HunkSides, &'a str, &'a str)>,
    ) {
        let mut known = std::mem::take(&mut self.0);
        let deadline = Instant::now() + time_limit;
        let mut remaining_cost = MAX_COST;
        for (sides, original, other) in hunks {
            let Some(rest) = cost(original, other).and_then(|cost| remaining_cost.checked_sub(cost)) else {
                continue;
            };
            remaining_cost = rest;
            let words = match known.remove(&sides) {
                Some(words) => words,
                None if Instant::now() < deadline => {
                    let words = differing_words(original, other, deadline);
                    if Instant::now() >= deadline {
                        continue;
                    }
                    words
                }
                None => continue,
            };
            self.0.insert(sides, words);
        }
    }

    /// Returns the words of a hunk whose lines begin at `original` and, on the other side, at `other`.
    pub(super) fn words(
        &self,
        sides: &HunkSides,
        original: usize,
        other: usize,
    ) -> Result<Option<Words>, NotCompared> {
        let Some(mut words) = self.0.get(sides).ok_or(NotCompared)?.clone() else { return Ok(None) };
        for (ranges, first) in [(&mut words.removed, original), (&mut words.added, other)] {
            let first = u32::try_from(first).unwrap_or(u32::MAX);
            for range in ranges {
                range.start.line = range.start.line.saturating_add(first);
                range.end.line = range.end.line.saturating_add(first);
            }
        }
        Ok(Some(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn sides(original: &str, proposed: &str) -> Result<Option<HunkSides>, NotCompared> {
        HunkSides::new((0..1, original), (0..1, proposed), None)
    }

    fn key(at: usize) -> HunkSides {
        HunkSides::new((at..at + 1, "x 1\n"), (at..at + 1, "x 2\n"), None).unwrap().unwrap()
    }

    #[test]
    fn added_lines_need_no_comparison_and_large_hunks_get_none() {
        assert!(sides("a\n", "b\n").unwrap().is_some());
        assert_eq!((sides("", "b\n"), sides("a\n", "")), (Ok(None), Ok(None)));
        let lines = "a\n".repeat(2_000);
        assert!(sides(&lines, &lines).unwrap().is_some());
        let more = "a\n".repeat(4_000);
        assert_eq!(sides(&more, &more), Err(NotCompared));
        assert_eq!(sides("b\n", &"a".repeat(MAX_BYTES + 1)), Err(NotCompared));
    }

    #[test]
    fn an_unchanged_hunk_is_not_compared_again() {
        let mut marks = WordMarks::default();
        marks.refresh(MINUTE, [(key(0), "x 1\n", "x 2\n"), (key(5), "x 1\n", "x 2\n")].into_iter());
        // Other texts under the same key show that the texts are not compared.
        marks.refresh(MINUTE, [(key(5), "same\n", "same\n")].into_iter());
        assert_eq!(marks.words(&key(0), 0, 0), Err(NotCompared), "the marks are dropped");
        let words = marks.words(&key(5), 5, 7).unwrap().unwrap();
        assert_eq!((words.removed[0].start.line, words.added[0].end.line), (5, 7));
        assert_ne!(
            HunkSides::new((5..6, "x 1\n"), (5..6, "x 2\n"), Some("x 3\n")),
            Ok(Some(key(5))),
            "edited"
        );
    }

    #[test]
    fn first_hunks_are_compared_until_the_review_costs_too_much() {
        let texts = (format!("{}1\n", "x ".repeat(5_000)), format!("{}2\n", "x ".repeat(5_000)));
        let hunks = || (0..100).map(|at| (key(at), texts.0.as_str(), texts.1.as_str()));
        let compared = |marks: &WordMarks| (0..100).filter(|at| marks.words(&key(*at), 0, 0).is_ok()).count();
        let mut marks = WordMarks::default();
        marks.refresh(MINUTE, hunks());
        assert_eq!(compared(&marks), MAX_COST / (2 * texts.0.len() + 1));
        assert!(marks.words(&key(0), 0, 0).is_ok() && marks.words(&key(99), 0, 0).is_err());
        // Hunks whose marks are known cost as well, so that a change elsewhere brings no further marks.
        marks.refresh(MINUTE, hunks());
        assert_eq!(compared(&marks), MAX_COST / (2 * texts.0.len() + 1));
        marks.refresh(Duration::ZERO, [(key(100), "x 1\n", "x 2\n")].into_iter());
        assert_eq!(marks.words(&key(100), 0, 0), Err(NotCompared), "there was no time");
    }
}
