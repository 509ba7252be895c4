//! Notes on a page: sentences that stand below a line of a text, or above all of them, and belong to neither
//! text. They hang on the row of their line, so that nothing else of the page has to know them.

use std::collections::BTreeMap;

use super::content::Content;
use super::draw_line::Part;
use super::line_place::row_of;
use super::rows::NotedLines;
use super::texts::Side;
use super::wrapping::{LineRows, Wrap};

/// Of more lines, only the last ones of a note are never folded.
const MOST_SHOWN: usize = 12;

/// A note, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageNote {
    pub(crate) place: NotePlace,
    /// How many lines it is about, the last of which is that of its place; none on top.
    pub(crate) covers: usize,
    pub(crate) lines: Vec<NoteLine>,
}

/// The place of a note. Lines are 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotePlace {
    /// Above the first row.
    Top,
    /// Below a line of the original.
    BelowOld(usize),
    /// Below a line of the proposal.
    BelowNew(usize),
}

/// A line of a note. Any text: it is drawn harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteLine {
    pub(crate) text: String,
    pub(crate) kind: NoteKind,
}

/// The kind of a line of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoteKind {
    /// The person's words.
    Words,
    /// Code that the words are about, and that is not on the page.
    Code,
    /// Something that is wrong with the note.
    Warning,
}

/// Some lines of one text. 0-based; the end is not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageLines {
    /// Whether they are lines of the original, and not of the proposal.
    pub(crate) is_old: bool,
    pub(crate) lines: std::ops::Range<usize>,
}

/// A row of the screen that shows a note, or a part of a line of one.
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

/// All notes of a page, by the unwrapped row that they stand at.
#[derive(Debug, Default)]
pub(super) struct PlacedNotes(BTreeMap<usize, NoteRows>);

impl PlacedNotes {
    /// Places notes on a page that is laid out, and wraps them. A page that wraps nothing has none, for then
    /// each row is one row of the screen.
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
            // A note whose line is not there must not be hidden.
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

    /// How many rows of notes stand above an unwrapped row.
    pub(super) fn above(&self, unwrapped: usize) -> usize {
        self.at(unwrapped).map_or(0, |rows| rows.above.len())
    }

    /// How many stand below it.
    pub(super) fn below(&self, unwrapped: usize) -> usize {
        self.at(unwrapped).map_or(0, |rows| rows.below.len())
    }

    /// How many stand above and below it.
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
        let lines = |last: usize| (last + 1).saturating_sub(note.covers.min(MOST_SHOWN))..=last;
        match note.place {
            NotePlace::Top => {}
            NotePlace::BelowOld(last) => noted.original.extend(lines(last)),
            NotePlace::BelowNew(last) => noted.proposed.extend(lines(last)),
        }
    }
    noted
}
