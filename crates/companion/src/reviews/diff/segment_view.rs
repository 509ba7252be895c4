//! Segments with their lines and texts. The views are computed in order, so that the end of each segment is
//! searched once. With hundreds of hunks, this search is most of the cost of a key press.

use std::ops::Range;

use alongside_desk::{HunkState, Text, without_ending};

use super::segments::Segment;
use super::word_marks::{HunkSides, NotCompared};

/// A segment with its lines and text on each side.
#[derive(Debug)]
pub(super) struct SegmentView<'a> {
    pub(super) segment: Segment,
    pub(super) lines: SegmentLines,
    pub(super) original: &'a str,
    pub(super) proposed: &'a str,
    pub(super) current: &'a str,
}

/// The lines of a segment in each text.
#[derive(Debug, Clone)]
pub(super) struct SegmentLines {
    pub(super) original: Range<usize>,
    pub(super) proposed: Range<usize>,
    pub(super) current: Range<usize>,
}

/// A position in a text, before the next segment.
struct TextCursor<'a> {
    text: &'a Text,
    line: usize,
    byte: usize,
}

impl<'a> TextCursor<'a> {
    fn new(text: &'a Text) -> Self {
        Self { text, line: 0, byte: 0 }
    }

    /// Takes the next lines. Returns their range and text.
    fn take(&mut self, lines: usize) -> (Range<usize>, &'a str) {
        let (line, byte) = (self.line, self.byte);
        self.byte = self.text.start_after(line, byte, lines);
        self.line += lines;
        (line..self.line, &self.text.text()[byte..self.byte])
    }
}

/// Iterates over the views of all segments, in order.
pub(super) fn views<'a>(
    segments: &'a [Segment],
    original: &'a Text,
    proposed: &'a Text,
    current: &'a Text,
) -> impl Iterator<Item = SegmentView<'a>> {
    let mut cursors = [original, proposed, current].map(TextCursor::new);
    segments.iter().map(move |segment| {
        let [o, p, c] = &mut cursors;
        let (original, proposed, current) =
            (o.take(segment.original), p.take(segment.proposed), c.take(segment.current));
        SegmentView {
            segment: *segment,
            lines: SegmentLines { original: original.0, proposed: proposed.0, current: current.0 },
            original: original.1,
            proposed: proposed.1,
            current: current.1,
        }
    })
}

impl<'a> SegmentView<'a> {
    pub(super) fn state(&self) -> HunkState {
        let Self { original, proposed, current, .. } = *self;
        // A line ending that `keep` had to add does not make a hunk an edited one.
        let agrees_with = |other: &str| {
            !current.is_empty() && !other.is_empty() && without_ending(current) == without_ending(other)
        };
        match current {
            _ if current == proposed => HunkState::Kept,
            _ if current == original => HunkState::Dropped,
            _ if agrees_with(proposed) && !agrees_with(original) => HunkState::Kept,
            _ if agrees_with(original) && !agrees_with(proposed) => HunkState::Dropped,
            _ => HunkState::Edited,
        }
    }

    /// Returns the two sides of a hunk whose words are compared, and their texts; `None` if the hunk needs no
    /// marks.
    pub(super) fn sides(
        &self,
        state: HunkState,
    ) -> Result<Option<(HunkSides, &'a str, &'a str)>, NotCompared> {
        let Self { lines, original, proposed, current, .. } = self;
        let edited = (state == HunkState::Edited).then_some(*current);
        let sides =
            HunkSides::new((lines.original.clone(), original), (lines.proposed.clone(), proposed), edited)?;
        Ok(sides.map(|sides| (sides, *original, edited.unwrap_or(proposed))))
    }
}
