//! The composition of a review: the current text, and its differences to the original and the proposal.
//!
//! All three texts are one sequence of *segments*: ranges of lines in which they agree, and ranges in which
//! they differ, the hunks. Keeping, dropping and typing only replace lines of the current text. The state of
//! a hunk is computed from the texts, never stored.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{Change, Hunk, HunkState, Limit, Lines, Refusal, Side, Text, Words};

use super::differences::Difference;
use super::line_diff::{COMPARISON_TIME, differences};
use super::original_text::OriginalText;
use super::segment_view::{SegmentView, views};
use super::segments::{Segment, agreeing_segment, splice};
use super::split_hunk;
use super::word_marks::{NotCompared, WordMarks};

/// The largest size of the earlier texts that undo keeps, in bytes. The latest one is kept even if it is
/// larger.
const MAX_HISTORY_BYTES: usize = 256 << 20;

/// The three texts of a review, its segments, and the states for undo and redo.
#[derive(Debug)]
pub(crate) struct Composition {
    original: OriginalText,
    proposed: Text,
    current: Text,
    segments: Vec<Segment>,
    history: Vec<(Text, Vec<Segment>)>,
    /// The states that undo left, the latest last. Any change but undo and redo empties this list.
    undone: Vec<(Text, Vec<Segment>)>,
    marks: WordMarks,
    /// The time limit of a comparison.
    comparison_time: Duration,
}

/// The divisor of the comparison time for comparing the words of all hunks after a change: 50 ms. A new
/// review may use the whole comparison time, because no person types in it yet.
const WORDS_TIME_DIVISOR: u32 = 6;

impl Composition {
    /// Creates the composition of an untouched proposal: the current text is the proposed one.
    pub(crate) fn new(original: impl Into<Arc<str>>, proposed: impl Into<Arc<str>>) -> Self {
        Self::within(COMPARISON_TIME, original, proposed)
    }

    /// Creates the composition of an untouched proposal, with this time limit for comparisons.
    pub(crate) fn within(
        comparison_time: Duration,
        original: impl Into<Arc<str>>,
        proposed: impl Into<Arc<str>>,
    ) -> Self {
        let (original, proposed) = (Text::new(original), Text::new(proposed));
        let mut segments = Vec::new();
        let (mut o, mut p) = (0, 0);
        for Difference { old, new, coarse } in differences(&original, &proposed, comparison_time) {
            segments.push(agreeing_segment(old.start - o));
            let (original, proposed) = (old.len(), new.len());
            segments.push(Segment { same: false, original, proposed, current: proposed, coarse });
            (o, p) = (old.end, new.end);
        }
        debug_assert_eq!(original.len() - o, proposed.len() - p);
        segments.push(agreeing_segment(original.len() - o));
        segments.retain(|segment| segment.original + segment.proposed > 0);
        let mut new = Self {
            current: proposed.clone(),
            original: OriginalText::new(original),
            proposed,
            segments,
            history: Vec::new(),
            undone: Vec::new(),
            marks: WordMarks::default(),
            comparison_time,
        };
        new.mark_words(comparison_time);
        new
    }

    pub(crate) fn original(&self) -> &Arc<str> {
        self.original_text().text()
    }

    fn original_text(&self) -> &Text {
        self.original.whole(&self.proposed)
    }

    /// Packs a large original until it is used again.
    pub(crate) fn pack_original(&mut self) {
        self.original.pack(&self.proposed, &self.segments);
    }

    pub(crate) fn proposed(&self) -> &Arc<str> {
        self.proposed.text()
    }

    pub(crate) fn current(&self) -> &Arc<str> {
        self.current.text()
    }

    /// Whether the current text is the original.
    pub(crate) fn is_original(&self) -> bool {
        match self.current() == self.proposed() {
            true => self.original.is_proposed(&self.proposed),
            false => self.current() == self.original(),
        }
    }

    /// Whether the current text is neither the proposal nor the original.
    pub(crate) fn has_edits(&self) -> bool {
        self.current() != self.proposed() && self.current() != self.original()
    }

    /// Whether the current text has lines that are neither proposed nor original.
    pub(crate) fn has_typed_text(&self) -> bool {
        self.views().any(|view| !view.segment.same && view.state() == HunkState::Edited)
    }

    /// Returns the hunks in order.
    pub(crate) fn hunks(&self) -> Vec<Hunk> {
        self.views()
            .filter(|view| !view.segment.same)
            .map(|view| {
                let state = view.state();
                let words = self.words(&view, state);
                let limit = match (view.segment.coarse, &words) {
                    (true, _) => Some(Limit::Lines),
                    (false, Err(NotCompared)) => Some(Limit::Words),
                    (false, Ok(_)) => None,
                };
                Hunk {
                    state,
                    original: lines(&view.lines.original),
                    proposed: lines(&view.lines.proposed),
                    current: lines(&view.lines.current),
                    words: words.unwrap_or_default(),
                    limit,
                    reason: None,
                }
            })
            .collect()
    }

    fn words(&self, view: &SegmentView<'_>, state: HunkState) -> Result<Option<Words>, NotCompared> {
        let Some((sides, ..)) = view.sides(state)? else { return Ok(None) };
        let lines = &view.lines;
        let other = if state == HunkState::Edited { &lines.current } else { &lines.proposed };
        self.marks.words(&sides, lines.original.start, other.start)
    }

    /// Updates the marked words after the texts have changed.
    fn mark_words(&mut self, time_limit: Duration) {
        let mut marks = std::mem::take(&mut self.marks);
        let hunks = self.views().filter(|view| !view.segment.same);
        marks.refresh(time_limit, hunks.filter_map(|view| view.sides(view.state()).ok().flatten()));
        self.marks = marks;
    }

    /// Replaces the current lines of some hunks with the proposed or the original lines.
    pub(crate) fn keep(&mut self, hunks: &[usize], keep: bool) -> Result<(), Refusal> {
        let differing: Vec<usize> =
            self.segments.iter().enumerate().filter(|(_, s)| !s.same).map(|(at, _)| at).collect();
        let mut chosen = vec![false; self.segments.len()];
        for &hunk in hunks {
            chosen[*differing.get(hunk).ok_or_else(|| no_such_hunk(hunk))?] = true;
        }
        let mut segments = self.segments.clone();
        let mut text = String::with_capacity(self.current.text().len() + 256);
        for (at, SegmentView { segment, current, proposed, original, .. }) in self.views().enumerate() {
            let piece = match (chosen[at], keep) {
                (false, _) => current,
                (true, true) => proposed,
                (true, false) => original,
            };
            if chosen[at] {
                segments[at].current = if keep { segment.proposed } else { segment.original };
            }
            if !piece.is_empty() && !text.is_empty() && !text.ends_with('\n') {
                // The line was the last of its text, and is no longer the last one.
                text.push_str(self.line_ending());
            }
            text.push_str(piece);
        }
        self.replace(Text::new(text), segments);
        Ok(())
    }

    /// Splits a hunk into [parts](split_hunk). `lines`: lines of the hunk around which it is split.
    pub(crate) fn split(&mut self, hunk: usize, lines: Option<(Side, Lines)>) -> Result<(), Refusal> {
        let (at, view) = self
            .views()
            .enumerate()
            .filter(|(_, view)| !view.segment.same)
            .nth(hunk)
            .ok_or_else(|| no_such_hunk(hunk))?;
        let state = view.state();
        if state == HunkState::Edited {
            return Err(Refusal::CannotSplit);
        }
        let texts = (self.original_text(), &self.proposed);
        let parts = match lines {
            Some(chosen) => split_hunk::parts_around(&view, texts, chosen),
            None => split_hunk::parts(&view, texts),
        };
        let parts = parts.ok_or(Refusal::CannotSplit)?;
        if parts.len() < 2 {
            return Err(Refusal::CannotSplit);
        }
        let pieces = parts.into_iter().map(|(original, proposed)| {
            let current = if state == HunkState::Kept { proposed } else { original };
            Segment { same: false, original, proposed, current, coarse: false }
        });
        let mut segments = self.segments.clone();
        segments.splice(at..=at, pieces);
        self.replace(self.current.clone(), segments);
        Ok(())
    }

    /// Applies the person's changes in order. Each applies to the text that the change before it has made.
    pub(crate) fn edit(&mut self, changes: &[Change]) -> Result<(), Refusal> {
        let changed = self.current.changed(changes);
        let text = changed.map_err(|error| Refusal::OutOfRange { place: error.to_string() })?;
        // An editor's own undo arrives as an edit. It restores the segments that the undone edit has merged.
        let known = self.history.iter().rev().find(|(known, _)| known.text() == text.text());
        let segments = known.map_or_else(|| self.segments_after(&text), |(_, segments)| segments.clone());
        self.replace(text, segments);
        Ok(())
    }

    /// Returns the segments for the time after the current text has become `text`.
    fn segments_after(&self, text: &Text) -> Vec<Segment> {
        let mut segments = self.segments.clone();
        // From the last to the first, so that earlier line numbers stay valid.
        for edit in differences(&self.current, text, self.comparison_time).into_iter().rev() {
            segments = splice(&segments, edit);
        }
        segments
    }

    /// Undoes the last edit.
    pub(crate) fn undo(&mut self) -> Result<(), Refusal> {
        let before = self.history.pop().ok_or(Refusal::NothingToUndo)?;
        let now = self.restore(before);
        self.undone.push(now);
        Ok(())
    }

    /// Applies again the change that undo took back last, unless another change has followed.
    pub(crate) fn redo(&mut self) -> Result<(), Refusal> {
        let after = self.undone.pop().ok_or(Refusal::NothingToRedo)?;
        let now = self.restore(after);
        self.history.push(now);
        Ok(())
    }

    /// Restores an earlier or later state. Returns the state before.
    fn restore(&mut self, (text, segments): (Text, Vec<Segment>)) -> (Text, Vec<Segment>) {
        let now =
            (std::mem::replace(&mut self.current, text), std::mem::replace(&mut self.segments, segments));
        self.mark_words(self.comparison_time / WORDS_TIME_DIVISOR);
        now
    }

    fn replace(&mut self, text: Text, segments: Vec<Segment>) {
        let before =
            (std::mem::replace(&mut self.current, text), std::mem::replace(&mut self.segments, segments));
        self.history.push(before);
        self.undone.clear();
        let mut bytes = 0;
        let fits = |(text, _): &&(Text, Vec<Segment>)| {
            bytes += text.text().len() + 1;
            bytes <= MAX_HISTORY_BYTES
        };
        let recent = self.history.iter().rev().take_while(fits).count().max(1);
        self.history.drain(..self.history.len() - recent);
        self.merge_agreeing();
        self.mark_words(self.comparison_time / WORDS_TIME_DIVISOR);
    }

    /// Merges agreeing segments, so that an edit that was undone by hand leaves no hunk.
    fn merge_agreeing(&mut self) {
        let agree: Vec<bool> = self
            .views()
            .map(|SegmentView { segment, original, proposed, current, .. }| {
                segment.same || proposed == current && original == current
            })
            .collect();
        let mut merged: Vec<Segment> = Vec::with_capacity(self.segments.len());
        for (segment, same) in self.segments.iter().zip(agree) {
            match merged.last_mut() {
                Some(last) if last.same && same => {
                    last.original += segment.original;
                    last.proposed += segment.proposed;
                    last.current += segment.current;
                }
                _ => merged.push(Segment { same, coarse: segment.coarse && !same, ..*segment }),
            }
        }
        merged.retain(|segment| segment.original + segment.proposed + segment.current > 0);
        self.segments = merged;
    }

    fn views(&self) -> impl Iterator<Item = SegmentView<'_>> {
        views(&self.segments, self.original_text(), &self.proposed, &self.current)
    }

    fn line_ending(&self) -> &'static str {
        if self.proposed().contains("\r\n") { "\r\n" } else { "\n" }
    }
}

fn no_such_hunk(hunk: usize) -> Refusal {
    Refusal::OutOfRange { place: format!("change {}", hunk.saturating_add(1)) }
}

fn lines(range: &Range<usize>) -> Lines {
    Lines { start: range.start, end: range.end }
}

#[cfg(test)]
mod tests;
