//! The one truth of a review: the current text, and how it lies against the original and the proposal.
//!
//! All three texts are one sequence of *segments*: stretches of lines where they agree, and stretches where
//! they differ. The second kind is what people decide on, the hunks. Keeping, dropping and typing replace
//! lines of the current text and nothing else; what has become of a hunk is read off the texts, never stored.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{Change, Hunk, HunkState, Lines, Refusal, Text, Words};

use super::hunk_view::{Place, Stretch, stretches};
use super::line_diff::{COMPARISON, differences};
use super::segments::{Segment, spliced};
use super::word_diff::Marks;

/// Undo remembers this many bytes of earlier texts, and always the last one.
const HISTORY_BYTES: usize = 256 << 20;
/// A hunk that would fall into more parts stays whole: nobody decides on so many, and each is told to every
/// desk.
const MOST_PARTS: usize = 10_000;
/// Nor is a longer one looked through for parts, while everybody waits.
const MOST_LINES: usize = 200_000;

/// See the module.
#[derive(Debug)]
pub(crate) struct Composition {
    original: Text,
    proposed: Text,
    current: Text,
    segments: Vec<Segment>,
    history: Vec<(Text, Vec<Segment>)>,
    marks: Marks,
    comparison: Duration,
}

impl Composition {
    /// A proposal nobody has touched yet: the current text is the proposed one.
    pub(crate) fn new(original: impl Into<Arc<str>>, proposed: impl Into<Arc<str>>) -> Self {
        Self::within(COMPARISON, original, proposed)
    }

    /// The same where a comparison may take so long.
    pub(crate) fn within(
        comparison: Duration,
        original: impl Into<Arc<str>>,
        proposed: impl Into<Arc<str>>,
    ) -> Self {
        let (original, proposed) = (Text::new(original), Text::new(proposed));
        let mut segments = Vec::new();
        let (mut o, mut p) = (0, 0);
        let same = |lines: usize| Segment { same: true, original: lines, proposed: lines, current: lines };
        for (old, new) in differences(&original, &proposed, comparison) {
            segments.push(same(old.start - o));
            segments.push(Segment {
                same: false,
                original: old.len(),
                proposed: new.len(),
                current: new.len(),
            });
            (o, p) = (old.end, new.end);
        }
        debug_assert_eq!(original.len() - o, proposed.len() - p);
        segments.push(same(original.len() - o));
        segments.retain(|segment| segment.original + segment.proposed > 0);
        let mut new = Self {
            current: proposed.clone(),
            original,
            proposed,
            segments,
            history: Vec::new(),
            marks: Marks::default(),
            comparison,
        };
        new.mark_words();
        new
    }

    pub(crate) fn original(&self) -> &Arc<str> {
        self.original.text()
    }

    pub(crate) fn proposed(&self) -> &Arc<str> {
        self.proposed.text()
    }

    pub(crate) fn current(&self) -> &Arc<str> {
        self.current.text()
    }

    /// Whether the person has made something of the proposal that is neither it nor the original.
    pub(crate) fn has_edits(&self) -> bool {
        self.current() != self.proposed() && self.current() != self.original()
    }

    /// The stretches where the texts differ, in order.
    pub(crate) fn hunks(&self) -> Vec<Hunk> {
        self.stretches()
            .filter(|stretch| !stretch.segment.same)
            .map(|stretch| {
                let state = stretch.state();
                let place = &stretch.place;
                Hunk {
                    state,
                    original: lines(&place.original),
                    proposed: lines(&place.proposed),
                    current: lines(&place.current),
                    words: self.words(&stretch, state),
                }
            })
            .collect()
    }

    fn words(&self, stretch: &Stretch<'_>, state: HunkState) -> Option<Words> {
        let (sides, ..) = stretch.sides(state)?;
        let place = &stretch.place;
        let beside = if state == HunkState::Edited { &place.current } else { &place.proposed };
        self.marks.of(&sides, place.original.start, beside.start)
    }

    /// Follows the texts with the marked words.
    fn mark_words(&mut self) {
        let mut marks = std::mem::take(&mut self.marks);
        let differing = self.stretches().filter(|stretch| !stretch.segment.same);
        marks.refresh(differing.filter_map(|stretch| stretch.sides(stretch.state())));
        self.marks = marks;
    }

    /// Takes the proposal's or the original's lines for some hunks.
    ///
    /// # Errors
    /// [`Refusal::OutOfRange`] for a hunk that does not exist; nothing has changed then.
    pub(crate) fn keep(&mut self, hunks: &[usize], keep: bool) -> Result<(), Refusal> {
        let differing: Vec<usize> =
            self.segments.iter().enumerate().filter(|(_, s)| !s.same).map(|(at, _)| at).collect();
        let mut chosen = vec![false; self.segments.len()];
        for &hunk in hunks {
            let at = *differing
                .get(hunk)
                .ok_or_else(|| Refusal::OutOfRange { place: format!("change {}", hunk.saturating_add(1)) })?;
            chosen[at] = true;
        }
        let mut segments = self.segments.clone();
        let mut text = String::with_capacity(self.current.text().len() + 256);
        for (at, Stretch { segment, current, proposed, original, .. }) in self.stretches().enumerate() {
            let piece = match (chosen[at], keep) {
                (false, _) => current,
                (true, true) => proposed,
                (true, false) => original,
            };
            if chosen[at] {
                segments[at].current = if keep { segment.proposed } else { segment.original };
            }
            if !piece.is_empty() && !text.is_empty() && !text.ends_with('\n') {
                // A line that was the last of its text, and is not any more.
                text.push_str(self.line_ending());
            }
            text.push_str(piece);
        }
        self.replace(Text::new(text), segments);
        Ok(())
    }

    /// Splits a hunk: line by line where lines replace lines, after blank lines where they are only added or
    /// removed.
    ///
    /// # Errors
    /// [`Refusal::CannotSplit`] if there is nothing smaller, or the person has edited it.
    pub(crate) fn split(&mut self, hunk: usize) -> Result<(), Refusal> {
        let (at, stretch) = self
            .stretches()
            .enumerate()
            .filter(|(_, stretch)| !stretch.segment.same)
            .nth(hunk)
            .ok_or_else(|| Refusal::OutOfRange { place: format!("change {}", hunk.saturating_add(1)) })?;
        let state = stretch.state();
        if state == HunkState::Edited {
            return Err(Refusal::CannotSplit);
        }
        let Stretch { segment, place, .. } = stretch;
        let mut parts = self.smaller(segment, &place).ok_or(Refusal::CannotSplit)?;
        // A last line without its line ending must stay last.
        let open_original = place.original.end == self.original.len() && self.original.ends_open();
        let open_proposed = place.proposed.end == self.proposed.len() && self.proposed.ends_open();
        while let [.., before, last] = parts.as_mut_slice() {
            let strands = |open: bool, lines: usize| open && lines == 0;
            if !strands(open_original, last.0) && !strands(open_proposed, last.1) {
                break;
            }
            *before = (before.0 + last.0, before.1 + last.1);
            parts.pop();
        }
        if parts.len() < 2 {
            return Err(Refusal::CannotSplit);
        }
        let pieces = parts.into_iter().map(|(original, proposed)| {
            let current = if state == HunkState::Kept { proposed } else { original };
            Segment { same: false, original, proposed, current }
        });
        let before = self.segments.clone();
        self.segments.splice(at..=at, pieces);
        let segments = std::mem::replace(&mut self.segments, before);
        self.replace(self.current.clone(), segments);
        Ok(())
    }

    /// The line counts (original, proposed) of the parts a hunk falls into, unless they are too many.
    fn smaller(&self, segment: Segment, place: &Place) -> Option<Vec<(usize, usize)>> {
        if segment.original.max(segment.proposed) > MOST_LINES {
            return None;
        }
        let (text, range) = match (segment.original, segment.proposed) {
            (0, _) => (&self.proposed, &place.proposed),
            (_, 0) => (&self.original, &place.original),
            (original, proposed) => {
                let pairs = original.min(proposed);
                if pairs > MOST_PARTS {
                    return None;
                }
                let mut parts = vec![(1, 1); pairs];
                if original != proposed {
                    parts.push((original - pairs, proposed - pairs));
                }
                return Some(parts);
            }
        };
        let blank = |line: usize| text.lines(line..line + 1).trim().is_empty();
        let inner = range.start + 1..range.end;
        let few = |cuts: &mut dyn Iterator<Item = usize>| cuts.take(MOST_PARTS).collect::<Vec<_>>();
        let mut cuts = few(&mut inner.clone().filter(|&line| blank(line - 1) && !blank(line)));
        if cuts.is_empty() {
            cuts = few(&mut inner.clone());
        }
        if cuts.len() == MOST_PARTS {
            return None;
        }
        cuts.push(range.end);
        let mut start = range.start;
        let parts = cuts.into_iter().map(|cut| {
            let lines = cut - std::mem::replace(&mut start, cut);
            if segment.original == 0 { (0, lines) } else { (lines, 0) }
        });
        Some(parts.collect())
    }

    /// What the person typed: changes applied in order, each on the result of the one before.
    ///
    /// # Errors
    /// [`Refusal::OutOfRange`] for a position outside the text; nothing has changed then.
    pub(crate) fn edit(&mut self, changes: &[Change]) -> Result<(), Refusal> {
        let changed = self.current.changed(changes);
        let text = changed.map_err(|error| Refusal::OutOfRange { place: error.to_string() })?;
        // An editor's own undo comes as an edit: what was merged by the one before falls apart again.
        let known = self.history.iter().rev().find(|(known, _)| known.text() == text.text());
        let segments = known.map_or_else(|| self.following(&text), |(_, segments)| segments.clone());
        self.replace(text, segments);
        Ok(())
    }

    /// The segments after the current text has become another.
    fn following(&self, text: &Text) -> Vec<Segment> {
        let mut segments = self.segments.clone();
        // From the last to the first, so that earlier line numbers stay true.
        for (old, new) in differences(&self.current, text, self.comparison).into_iter().rev() {
            segments = spliced(&segments, old, new.len());
        }
        segments
    }

    /// Takes back the last edit.
    ///
    /// # Errors
    /// [`Refusal::NothingToUndo`].
    pub(crate) fn undo(&mut self) -> Result<(), Refusal> {
        let (text, segments) = self.history.pop().ok_or(Refusal::NothingToUndo)?;
        self.current = text;
        self.segments = segments;
        self.mark_words();
        Ok(())
    }

    fn replace(&mut self, text: Text, segments: Vec<Segment>) {
        let before =
            (std::mem::replace(&mut self.current, text), std::mem::replace(&mut self.segments, segments));
        self.history.push(before);
        let mut kept = 0;
        let enough = |(text, _): &(Text, Vec<Segment>)| {
            kept += text.text().len() + 1;
            kept > HISTORY_BYTES
        };
        if let Some(too_old) = self.history.iter().rev().position(enough) {
            let first_kept = (self.history.len() - too_old).min(self.history.len() - 1);
            self.history.drain(..first_kept);
        }
        self.tidy();
        self.mark_words();
    }

    /// Makes agreeing segments one, so that an edit taken back by hand leaves no trace.
    fn tidy(&mut self) {
        let agree: Vec<bool> = self
            .stretches()
            .map(|Stretch { segment, original, proposed, current, .. }| {
                segment.same || proposed == current && original == current
            })
            .collect();
        let mut tidied: Vec<Segment> = Vec::with_capacity(self.segments.len());
        for (segment, same) in self.segments.iter().zip(agree) {
            match tidied.last_mut() {
                Some(last) if last.same && same => {
                    last.original += segment.original;
                    last.proposed += segment.proposed;
                    last.current += segment.current;
                }
                _ => tidied.push(Segment { same, ..*segment }),
            }
        }
        tidied.retain(|segment| segment.original + segment.proposed + segment.current > 0);
        self.segments = tidied;
    }

    fn stretches(&self) -> impl Iterator<Item = Stretch<'_>> {
        stretches(&self.segments, &self.original, &self.proposed, &self.current)
    }

    fn line_ending(&self) -> &'static str {
        if self.proposed().contains("\r\n") { "\r\n" } else { "\n" }
    }
}

fn lines(range: &Range<usize>) -> Lines {
    Lines { start: range.start, end: range.end }
}

#[cfg(test)]
mod tests;
