//! Wraps long lines: finds the columns at which the rows of a line begin. Pure arithmetic on columns.

use std::ops::Range;

use crate::text::width::Units;

/// The lines that are wrapped. Other lines are cut. The number is the width of the page in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    Nothing,
    /// Changed lines and the sentences about them, so that the edge hides no change. Lines that would need
    /// more than [`MAX_WRAPPED_ROWS`] rows are cut.
    Changes(u16),
    All(u16),
}

/// The most rows of a wrapped changed line. A longer line is cut.
pub(super) const MAX_WRAPPED_ROWS: usize = 8;

impl Wrap {
    /// The width of the page.
    pub(super) fn width(self) -> Option<u16> {
        match self {
            Self::Nothing => None,
            Self::Changes(width) | Self::All(width) => Some(width),
        }
    }
}

/// The rows of a wrapped page.
#[derive(Debug)]
pub(super) struct Wrapping {
    /// The first row of each unwrapped row, and at the end the number of all rows.
    pub(super) starts: Vec<usize>,
}

impl Wrapping {
    /// The first row of an unwrapped row.
    pub(super) fn first_row(&self, unwrapped: usize) -> usize {
        self.starts.get(unwrapped).or(self.starts.last()).copied().unwrap_or(0)
    }

    /// The unwrapped row that contains a row. Beyond the end, a row that does not exist.
    pub(super) fn unwrapped(&self, row: usize) -> usize {
        let before = self.starts.partition_point(|start| *start <= row);
        before.saturating_sub(1)
    }
}

/// The rows of one line. All rows but the first are indented as the line is.
#[derive(Debug, Default)]
pub(super) struct LineRows {
    /// The columns of the line at which its rows begin; the first is 0.
    starts: Vec<usize>,
    indent: usize,
}

impl LineRows {
    /// Wraps a line in rows of `room` columns. `mark`: the columns of a sign behind the line.
    pub(super) fn new(line: &str, mark: usize, room: usize) -> Self {
        let room = room.max(1);
        if mark == 0 && (is_short(line, room) || Units::from(line, room).is_at_end()) {
            return Self { starts: vec![0], indent: 0 };
        }
        let whitespace =
            Units::from(line, 0).take_while(|unit| matches!(&line[unit.bytes.clone()], " " | "\t"));
        let indent = whitespace.take(room).last().map_or(0, |last| last.column + last.width);
        // A deep indentation would leave no room for words.
        let indent = if indent > room / 2 { 0 } else { indent };
        Self { starts: row_starts(line, mark, (room, room - indent)), indent }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The columns that stay empty before all rows but the first.
    pub(super) fn indent(&self) -> usize {
        self.indent
    }

    /// The column at which a row begins.
    pub(super) fn start(&self, row: usize) -> Option<usize> {
        self.starts.get(row).copied()
    }

    /// The row that shows a column.
    pub(super) fn row_of(&self, column: usize) -> usize {
        self.starts.partition_point(|start| *start <= column).saturating_sub(1)
    }

    /// The columns of the line that a row of `room` columns shows; `None` if the line has fewer rows.
    pub(super) fn columns_of(&self, row: usize, room: usize) -> Option<Range<usize>> {
        let start = self.start(row)?;
        Some(start..self.start(row + 1).unwrap_or(start + room))
    }
}

/// The part of a line that a row shows.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) columns: Range<usize>,
    /// Whether the line began in a row above.
    pub(super) is_continuation: bool,
    /// The columns that stay empty before the part.
    pub(super) indent: usize,
}

impl Part {
    /// The part in a row of a wrapped line; `None` if the line has fewer rows.
    pub(super) fn of(rows: &LineRows, row: usize, room: usize) -> Option<Self> {
        let (columns, is_continuation) = (rows.columns_of(row, room)?, row > 0);
        Some(Self { columns, is_continuation, indent: if is_continuation { rows.indent() } else { 0 } })
    }

    /// The part of an unwrapped line from the column `sideways` on. The line is cut at the end of the room.
    pub(super) fn cut(sideways: usize) -> Self {
        Self { columns: sideways..usize::MAX, is_continuation: false, indent: 0 }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.columns.end == usize::MAX
    }
}

/// The columns at which a row may end: behind the last space, and at the last sign.
#[derive(Default)]
struct Breaks {
    space: usize,
    sign: usize,
}

impl Breaks {
    /// The best column at which to end a row of `room` columns from `start` on: behind a space in the second
    /// half of the row, or else at a sign there, or else behind a space in the second quarter.
    fn best(&self, start: usize, room: usize) -> Option<usize> {
        let behind = |at: usize, least: usize| (at > start + least).then_some(at);
        let half = behind(self.space, room / 2).or_else(|| behind(self.sign, room / 2));
        half.or_else(|| behind(self.space, room / 4))
    }
}

/// The columns of a line at which its rows begin. `first` and `others`: the columns of the first row and of
/// the other rows.
fn row_starts(line: &str, mark: usize, (first, others): (usize, usize)) -> Vec<usize> {
    let mut starts = vec![0];
    let (mut start, mut end, mut room) = (0, 0, first);
    let mut breaks = Breaks::default();
    let mut start_row = |at: usize, start: &mut usize, room: &mut usize| {
        (*start, *room) = (at, others.max(1));
        starts.push(at);
    };
    let mut before = ' ';
    for unit in Units::from(line, 0) {
        end = unit.column + unit.width;
        let behind = line[unit.bytes.end..].chars().next();
        let text = &line[unit.bytes];
        let (is_space, c) = (matches!(text, " " | "\t"), text.chars().next().unwrap_or(' '));
        if can_break_between(before, c) {
            breaks.sign = unit.column;
        }
        before = c;
        // A single space between words may fall behind the edge, where it is not missed.
        if is_space && end == start + room + 1 && behind.is_some_and(|next| !next.is_whitespace()) {
            start_row(end, &mut start, &mut room);
            continue;
        }
        while end > start + room {
            let at = match breaks.best(start, room) {
                Some(at) => at,
                // A unit that is wider than a row is split.
                None if unit.column > start && unit.width <= others => unit.column,
                None => start + room,
            };
            start_row(at, &mut start, &mut room);
        }
        if is_space {
            breaks.space = end;
        }
    }
    // The sign behind the line is not split if it fits into one row.
    if end + mark > start + room && end > start && mark > 0 {
        start_row(end, &mut start, &mut room);
    }
    while end + mark > start + room {
        start_row(start + room, &mut start, &mut room);
    }
    starts
}

/// Whether a row may end between two characters: behind a sign such as a comma, or before one that opens a
/// bracket.
fn can_break_between(before: char, c: char) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match (is_word(before), is_word(c)) {
        (false, true) => {
            matches!(before, ',' | ';' | ':' | '=' | '/' | '-' | '+' | '*' | '&' | '|' | ')' | '>')
        }
        (true, false) => matches!(c, '(' | '[' | '{' | '.'),
        (true, true) | (false, false) => false,
    }
}

/// Whether a line is ASCII and fits, which needs no measuring.
fn is_short(line: &str, room: usize) -> bool {
    line.len() <= room && line.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a line may fit into [`MAX_WRAPPED_ROWS`] rows, as far as its length in bytes tells: no character
/// has more than four bytes.
pub(super) fn may_fit(line: &str, room: usize) -> bool {
    line.len() <= MAX_WRAPPED_ROWS * room.max(1) * 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::width::columns;

    /// The columns at which the rows of a line begin.
    fn row_starts(line: &str, mark: usize, room: usize) -> Vec<usize> {
        LineRows::new(line, mark, room).starts
    }

    #[test]
    fn rows_end_at_words_and_stand_below_the_indentation() {
        let rows = |line: &str, room: usize| {
            let rows = LineRows::new(line, 0, room);
            let part = |row: usize| {
                let columns = rows.columns_of(row, room).unwrap();
                let indent = " ".repeat(if row > 0 { rows.indent() } else { 0 });
                let text: String = line.chars().skip(columns.start).take(columns.len()).collect();
                indent + text.trim_end()
            };
            (0..rows.len()).map(part).collect::<Vec<_>>()
        };
        assert_eq!(rows("  let before = after;", 12), ["  let before", "  = after;"]);
        assert_eq!(rows("  alpha.beta(gamma, delta)", 14), ["  alpha.beta", "  (gamma,", "  delta)"]);
        assert_eq!(rows("ab abcdefghij abc", 10), ["ab", "abcdefghij", "abc"]);
        assert_eq!(rows("        deep and long", 12), ["        deep", "and long"], "no room for words");
    }

    #[test]
    fn rows_end_behind_spaces_and_at_whole_characters() {
        assert_eq!(row_starts("", 0, 8), [0]);
        assert_eq!(row_starts("12345678", 0, 8), [0]);
        assert_eq!(row_starts("123456789", 0, 8), [0, 8]);
        assert_eq!(row_starts("one two three four", 0, 8), [0, 8, 14]);
        assert_eq!(row_starts("a bcdefghijk", 0, 8), [0, 8], "a space in the first half would waste the row");
        assert_eq!(row_starts("漢字漢字", 0, 5), [0, 4]);
        assert_eq!(row_starts("a\u{1b}b", 0, 2), [0, 2, 4], "an escape wider than a row is split");
        assert_eq!(row_starts("漢", 0, 1), [0, 1]);
        assert_eq!(row_starts("123", 4, 8), [0]);
        assert_eq!(row_starts("123456", 4, 8), [0, 6], "the mark stays in one piece");
        assert_eq!(row_starts("", 10, 8), [0, 8]);
    }

    proptest! {
        #[test]
        fn rows_hold_the_whole_line_in_order(
            line in "[a-z 漢\t\u{1b}😀]{0,60}", mark in 0..30usize, room in 0..20usize,
        ) {
            let (starts, most) = (row_starts(&line, mark, room), room.max(1));
            let (last, end) = (starts[starts.len() - 1], columns(&line) + mark);
            prop_assert_eq!(starts[0], 0);
            prop_assert!(starts.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= most + 1));
            prop_assert!(end <= last + most);
            prop_assert!(starts.len() == 1 || last < end, "no row is empty");
        }
    }
}
