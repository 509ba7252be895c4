//! Notes on a page: sentences below a line, or above the first line, that belong to no text of the review. A
//! note is attached to the unwrapped row of its line, so that the other parts of a page do not depend on
//! notes.

use std::collections::BTreeMap;

use super::content::Content;
use super::line_place::row_of;
use super::rows::NotedLines;
use super::texts::Side;
use super::wrapping::{LineRows, Part, Wrap};

/// The most lines of a note that are never folded. Of more lines, only the last ones stay visible.
const MAX_VISIBLE_LINES: usize = 12;

/// A note and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageNote {
    pub(crate) place: NotePlace,
    /// The number of lines that the note is about. The last of them is the line of `place`; 0 at the top.
    pub(crate) covers: usize,
    pub(crate) lines: Vec<NoteLine>,
}

/// The location of a note. Lines count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotePlace {
    /// Above the first row.
    Top,
    /// Below a line of the original.
    BelowOld(usize),
    /// Below a line of the proposal.
    BelowNew(usize),
}

/// A line of a note. The text may come from outside: it is escaped when it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteLine {
    pub(crate) text: String,
    pub(crate) kind: NoteKind,
}

/// The kind of a line of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoteKind {
    /// The person's comment.
    Words,
    /// The code that the comment is about, if it is not on the page.
    Code,
    /// A problem with the note.
    Warning,
}

/// A range of lines of one text. Lines count from 0, and the end is excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageLines {
    /// Whether the lines belong to the original (true) or to the proposal (false).
    pub(crate) is_old: bool,
    pub(crate) lines: std::ops::Range<usize>,
}

/// A row of the screen that shows a line of a note, or a part of one.
#[derive(Debug)]
pub(super) struct NoteRow {
    pub(super) text: String,
    pub(super) kind: NoteKind,
    pub(super) part: Part,
}

/// The rows of notes around an unwrapped row.
#[derive(Debug, Default)]
pub(super) struct NoteRows {
    pub(super) above: Vec<NoteRow>,
    pub(super) below: Vec<NoteRow>,
}

/// All notes of a page, by their unwrapped row.
#[derive(Debug, Default)]
pub(super) struct PlacedNotes(BTreeMap<usize, NoteRows>);

impl PlacedNotes {
    /// Places and wraps the notes of a page that is laid out. A page without wrapping shows no notes, because
    /// each of its unwrapped rows is one row of the screen.
    pub(super) fn new(notes: &[PageNote], content: &Content, wrap: Wrap) -> Self {
        let mut placed = Self::default();
        let Some(width) = wrap.width() else { return placed };
        let room = content.columns_in(width).reason_room();
        for note in notes {
            let below = match note.place {
                NotePlace::Top => None,
                NotePlace::BelowOld(line) => row_of(content, Side::Original, line),
                NotePlace::BelowNew(line) => row_of(content, Side::Proposed, line),
            };
            // A note whose line is not on the page must not be hidden, so it is at the top.
            let rows = placed.0.entry(below.unwrap_or(0)).or_default();
            let rows = if below.is_some() { &mut rows.below } else { &mut rows.above };
            rows.extend(note.lines.iter().flat_map(|line| wrapped(line, room)));
        }
        placed
    }

    /// The rows of notes around an unwrapped row.
    pub(super) fn at(&self, unwrapped: usize) -> Option<&NoteRows> {
        self.0.get(&unwrapped)
    }

    /// The number of rows of notes above an unwrapped row.
    pub(super) fn above(&self, unwrapped: usize) -> usize {
        self.at(unwrapped).map_or(0, |rows| rows.above.len())
    }

    /// The number of rows of notes below an unwrapped row.
    pub(super) fn below(&self, unwrapped: usize) -> usize {
        self.at(unwrapped).map_or(0, |rows| rows.below.len())
    }

    /// The number of rows of notes above and below an unwrapped row.
    pub(super) fn around(&self, unwrapped: usize) -> usize {
        self.above(unwrapped) + self.below(unwrapped)
    }
}

/// The rows of a line of a note.
fn wrapped(line: &NoteLine, room: usize) -> Vec<NoteRow> {
    let rows = LineRows::new(&line.text, 0, room);
    let row = |part: Part| NoteRow { text: line.text.clone(), kind: line.kind, part };
    (0..rows.len()).filter_map(|row| Part::of(&rows, row, room)).map(row).collect()
}

/// The lines that notes are about.
pub(super) fn noted_lines(notes: &[PageNote]) -> NotedLines {
    let mut noted = NotedLines::default();
    for note in notes {
        let lines = |last: usize| (last + 1).saturating_sub(note.covers.min(MAX_VISIBLE_LINES))..=last;
        match note.place {
            NotePlace::Top => {}
            NotePlace::BelowOld(last) => noted.original.extend(lines(last)),
            NotePlace::BelowNew(last) => noted.proposed.extend(lines(last)),
        }
    }
    noted
}
