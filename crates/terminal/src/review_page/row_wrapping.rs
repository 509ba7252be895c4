//! The rows of the screen that an unwrapped row gets: wrapped, or one row that is cut.

use super::columns::Columns;
use super::content::Content;
use super::rows::BlockKind;
use super::sentences::Sentence;
use super::texts::{NO_NEWLINE_SIGN, byte_of};
use super::unwrapped_row::{Cell, Row, Sign};
use super::wrapping::{LineRows, MAX_WRAPPED_ROWS, Wrap, Wrapping, may_fit};
use crate::options::Layout;
use crate::text::width;

/// Computes the rows of all lines. `around` returns the number of rows of notes around an unwrapped row.
pub(super) fn wrap_rows(content: &Content, wrap: Wrap, around: impl Fn(usize) -> usize) -> Wrapping {
    let (columns, mut next) = (content.columns_in(wrap.width().unwrap_or(u16::MAX)), 0);
    let mut starts = Vec::with_capacity(content.rows() + 1);
    for block in &content.blocks {
        let is_cut = matches!(wrap, Wrap::Changes(_)) && !matches!(block.kind, BlockKind::Hunk(_));
        for row in block.row..block.end() {
            starts.push(next);
            let shown = if is_cut { None } else { Some(content.row_in(block, row)) };
            let wrapped = shown.and_then(|shown| wrapped_row(content, &shown, wrap, &columns));
            next += wrapped.map_or(1, |(left, right)| left.len().max(right.len()).max(1));
            next += around(row);
        }
    }
    starts.push(next);
    Wrapping { starts }
}

/// The rows of an unwrapped row on both sides; `None` if it is cut. A row that can be wrapped but fits into
/// one row counts as wrapped, too.
pub(super) fn wrapped_row(
    content: &Content,
    row: &Row,
    wrap: Wrap,
    columns: &Columns,
) -> Option<(LineRows, LineRows)> {
    let rows = || line_rows(content, row, columns);
    match (wrap, row) {
        (Wrap::Nothing, _) | (Wrap::Changes(_), Row::Fold { .. } | Row::FoldedHunk(_)) => None,
        (Wrap::All(_), _) | (Wrap::Changes(_), Row::Sentence(..) | Row::Dropped(_)) => Some(rows()),
        (Wrap::Changes(_), Row::One(_) | Row::Two(..)) => {
            let fits = |cell: Cell| may_fit(content.texts.line(cell.side, cell.line), columns.room());
            // The lines that stay after a drop belong to their hunk, and are wrapped as well.
            let may_wrap = row.cells().any(|cell| cell.hunk.is_some()) && row.cells().all(fits);
            may_wrap.then(rows).filter(|(left, right)| left.len().max(right.len()) <= MAX_WRAPPED_ROWS)
        }
    }
}

/// Wraps an unwrapped row on both sides.
fn line_rows(content: &Content, row: &Row, columns: &Columns) -> (LineRows, LineRows) {
    let (left, right) = columns.rooms();
    let rows = |cell: &Cell, room: usize| {
        let mark = if content.texts.ends_open(cell.side, cell.line) { NO_NEWLINE_SIGN.len() } else { 0 };
        LineRows::new(content.texts.line(cell.side, cell.line), mark, room)
    };
    let none = LineRows::default;
    match row {
        Row::Fold { .. } | Row::FoldedHunk(_) => (LineRows::new("", 0, left), none()),
        Row::Sentence(hunk, number) => {
            let text = content.sentence(*hunk, *number).map_or("", Sentence::text);
            (LineRows::new(text, 0, columns.reason_room()), none())
        }
        Row::Dropped(hunk) => match content.effective_layout() {
            Layout::SideBySide => (none(), LineRows::new(&content.dropped_text(*hunk), 0, right)),
            Layout::OneColumn => (LineRows::new(&content.dropped_text(*hunk), 0, left), none()),
        },
        Row::One(cell) => (rows(cell, left), none()),
        Row::Two(before, after) => (
            before.as_ref().map_or_else(none, |cell| rows(cell, left)),
            after.as_ref().map_or_else(none, |cell| rows(cell, right)),
        ),
    }
}

/// The first column that a cut row shows, on a page that wraps changes: a third of the room before the first
/// word that differs, if that word is beyond the edge.
pub(super) fn first_column(content: &Content, row: &Row, columns: &Columns) -> usize {
    let room = columns.room();
    let first = |cell: Cell| {
        let line = content.texts.line(cell.side, cell.line);
        let word = *content.words(cell).first()?;
        let byte = byte_of(line, word.start.character);
        // The sign of the cut needs a column.
        let end = width::columns(&line[..byte_of(line, word.end.character)]) + 1;
        Some((width::columns(&line[..byte]), end))
    };
    let changed = row.cells().filter(|cell| cell.sign != Sign::Same);
    let word = changed.filter_map(first).min_by_key(|(start, _)| *start);
    word.filter(|(_, end)| *end > room).map_or(0, |(start, _)| start.saturating_sub(room / 3))
}
