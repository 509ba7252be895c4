//! The parts of each hunk that the lines side by side do not show: differences that are hard to see, and the
//! lines of an edited hunk that still differ from the original.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use alongside_desk::look_alikes::hidden_parts::HiddenParts;
use alongside_desk::look_alikes::{Unseen, sides};
use alongside_desk::{HunkState, Lines, Position, Range, Review, Text};
use serde_json::{Value, json};

use crate::merge::differences;

/// The most lines on a side of an edited hunk that is compared again at each key.
const MAX_COMPARED_LINES: usize = 1000;

/// The findings in the hunks of one review, by their texts: a person types in one hunk at a time.
#[derive(Debug, Default)]
pub(super) struct HunkWords {
    /// By the hash of the texts: those of a new file would keep the whole file in memory once more.
    findings: HashMap<u64, Arc<HunkFindings>>,
    /// The seed of the hashes. No agent knows it, so none can make two texts with the same hash.
    seed: RandomState,
}

/// The findings in a hunk, with lines counted from its first ones.
#[derive(Debug)]
struct HunkFindings {
    hidden: HiddenParts,
    differing: Vec<usize>,
}

impl HunkWords {
    /// Returns the hunks with findings, for the plugin, and a sentence about lines that differ and look the
    /// same, in all hunks that would be accepted.
    pub(super) fn of(&mut self, review: &Review) -> (Vec<Value>, Option<String>) {
        let texts = review.texts();
        let (mut values, mut all_unseen, mut findings) = (Vec::new(), Unseen::default(), HashMap::new());
        for (at, hunk) in review.hunks.iter().enumerate() {
            if hunk.state == HunkState::Dropped {
                continue;
            }
            let (old, new) = sides(hunk, texts.each_ref());
            let is_compared = hunk.state == HunkState::Edited
                && hunk.original.len().max(hunk.current.len()) <= MAX_COMPARED_LINES;
            let key = self.seed.hash_one((is_compared, old, new));
            let found = match findings.get(&key).or_else(|| self.findings.get(&key)) {
                Some(found) => Arc::clone(found),
                None => Arc::new(HunkFindings::of(old, new, is_compared)),
            };
            all_unseen.add(&found.hidden.unseen);
            values.extend(found.value(at, hunk.original.start, hunk.current));
            findings.insert(key, found);
        }
        self.findings = findings;
        (values, all_unseen.sentence())
    }
}

impl HunkFindings {
    fn of(old: &str, new: &str, is_compared: bool) -> Self {
        let differing = if is_compared { differing_lines(old, new) } else { Vec::new() };
        Self { hidden: HiddenParts::of(old, new), differing }
    }

    /// Returns the findings as the plugin gets them, if there are any.
    fn value(&self, at: usize, original: usize, current: Lines) -> Option<Value> {
        let mut value = json!({ "hunk": at });
        if let Some(unseen) = self.hidden.unseen.sentence() {
            value["unseen"] = unseen.into();
        }
        let [removed, added] = &self.hidden.blanks;
        if removed.len() + added.len() > 0 {
            value["blanks"] = json!({
                "removed": moved(removed, original),
                "added": moved(added, current.start),
            });
        }
        if !self.differing.is_empty() {
            let lines = self.differing.iter().map(|line| current.start + line);
            value["differs"] = lines.collect::<Vec<_>>().into();
        }
        (value.as_object().is_some_and(|fields| fields.len() > 1)).then_some(value)
    }
}

/// Returns ranges moved down by `lines`.
fn moved(ranges: &[Range], lines: usize) -> Vec<Range> {
    let lines = u32::try_from(lines).unwrap_or(u32::MAX);
    let down = |at: Position| Position { line: at.line.saturating_add(lines), ..at };
    ranges.iter().map(|range| Range { start: down(range.start), end: down(range.end) }).collect()
}

/// Returns the new lines that differ from the old ones, or that removed ones were below.
fn differing_lines(old: &str, new: &str) -> Vec<usize> {
    let blocks = differences(&Text::new(old), &Text::new(new)).into_iter().map(|(_, new)| new);
    let shown = blocks.map(|lines| match lines.is_empty() {
        true => lines.start.saturating_sub(1)..lines.start.max(1),
        false => lines,
    });
    shown.flatten().collect()
}

#[cfg(test)]
mod tests {
    use alongside_desk::Hunk;

    use super::*;

    #[test]
    fn findings_hold_no_copy_of_the_texts() {
        let text: Arc<str> = "a line of a new file\n".repeat(1_000).into();
        let (original, lines) = (Lines::default(), Lines { start: 0, end: 1_000 });
        let hunks = vec![Hunk { original, proposed: lines, current: lines, ..Hunk::default() }];
        let review = Review { proposed: text.clone(), current: text, hunks, ..Review::default() };
        let mut words = HunkWords::default();
        words.of(&review);
        assert_eq!(words.findings.len(), 1);
        let held = format!("{words:?}");
        assert!(held.len() < 1_000, "{held}");
    }
}
