//! Segments where they lie: their lines in each of the three texts, and what stands there. They are gone
//! through from the first to the last, so that each end is looked for once: with hundreds of hunks that is
//! most of what a keystroke costs.

use std::ops::Range;

use alongside_desk::{HunkState, Text};

use super::segments::Segment;
use super::word_diff::Sides;

/// A segment where it lies.
#[derive(Debug)]
pub(super) struct Stretch<'a> {
    pub(super) segment: Segment,
    pub(super) place: Place,
    pub(super) original: &'a str,
    pub(super) proposed: &'a str,
    pub(super) current: &'a str,
}

/// The lines of a segment in each text.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) original: Range<usize>,
    pub(super) proposed: Range<usize>,
    pub(super) current: Range<usize>,
}

/// What has not been gone through of a text.
struct Rest<'a> {
    text: &'a Text,
    line: usize,
    start: usize,
}

impl<'a> Rest<'a> {
    fn of(text: &'a Text) -> Self {
        Self { text, line: 0, start: 0 }
    }

    fn take(&mut self, lines: usize) -> (Range<usize>, &'a str) {
        let (line, start) = (self.line, self.start);
        if lines > 0 {
            self.line += lines;
            self.start = self.text.start(self.line);
        }
        (line..self.line, &self.text.text()[start..self.start])
    }
}

/// The segments of three texts.
pub(super) fn stretches<'a>(
    segments: &'a [Segment],
    original: &'a Text,
    proposed: &'a Text,
    current: &'a Text,
) -> impl Iterator<Item = Stretch<'a>> {
    let mut rest = [original, proposed, current].map(Rest::of);
    segments.iter().map(move |segment| {
        let [o, p, c] = &mut rest;
        let (original, proposed, current) =
            (o.take(segment.original), p.take(segment.proposed), c.take(segment.current));
        Stretch {
            segment: *segment,
            place: Place { original: original.0, proposed: proposed.0, current: current.0 },
            original: original.1,
            proposed: proposed.1,
            current: current.1,
        }
    })
}

impl<'a> Stretch<'a> {
    /// What has become of a hunk.
    pub(super) fn state(&self) -> HunkState {
        let Self { original, proposed, current, .. } = *self;
        // A line ending that `keep` had to add does not make a hunk edited.
        let is = |other: &str| {
            !current.is_empty() && !other.is_empty() && without_ending(current) == without_ending(other)
        };
        match current {
            _ if current == proposed => HunkState::Kept,
            _ if current == original => HunkState::Dropped,
            _ if is(proposed) && !is(original) => HunkState::Kept,
            _ if is(original) && !is(proposed) => HunkState::Dropped,
            _ => HunkState::Edited,
        }
    }

    /// What stands beside what in a hunk, if words of it are to be marked.
    pub(super) fn sides(&self, state: HunkState) -> Option<(Sides, &'a str, &'a str)> {
        let Self { place, original, proposed, current, .. } = self;
        let written = (state == HunkState::Edited).then_some(*current);
        let sides =
            Sides::new((place.original.clone(), original), (place.proposed.clone(), proposed), written)?;
        Some((sides, original, written.unwrap_or(proposed)))
    }
}

/// A text without its last line ending.
fn without_ending(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
}
