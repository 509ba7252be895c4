//! Long lines on several rows: where each row of a line begins. Pure arithmetic on columns.

use std::ops::Range;

use crate::width::Units;

/// Which lines are wrapped, on a page of so many columns. The others are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    Nothing,
    /// Changed lines, and what is said of them: no change is hidden behind the edge. Lines that would take
    /// more than [`MOST_ROWS`] rows are cut.
    Changes(u16),
    All(u16),
}

/// The most rows that a changed line takes before it is cut.
pub(super) const MOST_ROWS: usize = 8;

impl Wrap {
    /// The width of the page.
    pub(super) fn width(self) -> Option<u16> {
        match self {
            Self::Nothing => None,
            Self::Changes(width) | Self::All(width) => Some(width),
        }
    }
}

/// How a page is wrapped.
#[derive(Debug)]
pub(super) struct Wrapping {
    /// The first row of each unwrapped row, and after the last one the number of all rows.
    pub(super) starts: Vec<usize>,
}

impl Wrapping {
    /// The first row of an unwrapped row.
    pub(super) fn first_row(&self, unwrapped: usize) -> usize {
        self.starts.get(unwrapped).or(self.starts.last()).copied().unwrap_or(0)
    }

    /// The unwrapped row that a row belongs to; beyond the end, one that does not exist.
    pub(super) fn unwrapped(&self, row: usize) -> usize {
        let before = self.starts.partition_point(|start| *start <= row);
        before.saturating_sub(1)
    }
}

/// The columns of a line at which its rows begin; the first is 0. Behind the line there are so many columns
/// of a mark. A row ends behind a blank if there is one in its second half.
pub(super) fn row_starts(line: &str, mark: usize, room: usize) -> Vec<usize> {
    let (room, mut starts) = (room.max(1), vec![0]);
    let (mut start, mut end) = (0, 0);
    let begin = |at: usize, start: &mut usize, starts: &mut Vec<usize>| {
        *start = at;
        starts.push(at);
    };
    if mark == 0 && (is_short(line, room) || Units::from(line, room).is_at_end()) {
        return starts;
    }
    let mut behind_blank = 0;
    for unit in Units::from(line, 0) {
        end = unit.column + unit.width;
        while end > start + room {
            let at = match behind_blank {
                blank if blank > start + room / 2 => blank,
                // A unit wider than a row is split.
                _ if unit.column > start && unit.width <= room => unit.column,
                _ => start + room,
            };
            begin(at, &mut start, &mut starts);
        }
        if matches!(&line[unit.bytes], " " | "\t") {
            behind_blank = end;
        }
    }
    // The mark stays in one piece if it can.
    if end + mark > start + room && end > start && mark > 0 {
        begin(end, &mut start, &mut starts);
    }
    while end + mark > start + room {
        begin(start + room, &mut start, &mut starts);
    }
    starts
}

/// Whether a line of plain characters has room, without measuring them.
fn is_short(line: &str, room: usize) -> bool {
    line.len() <= room && line.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a line may be wrapped to few rows, as far as its length tells: no character has more than four
/// bytes.
pub(super) fn is_moderate(line: &str, room: usize) -> bool {
    line.len() <= MOST_ROWS * room.max(1) * 4
}

/// The row of a line, counted from its first, that shows a column of it.
pub(super) fn row_of(starts: &[usize], column: usize) -> usize {
    starts.partition_point(|start| *start <= column).saturating_sub(1)
}

/// The columns that a row of a line shows, in a room of so many; none if the line has fewer rows.
pub(super) fn columns_of(starts: &[usize], row: usize, room: usize) -> Option<Range<usize>> {
    let start = *starts.get(row)?;
    Some(start..starts.get(row + 1).copied().unwrap_or(start + room))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::width::columns;

    #[test]
    fn rows_end_behind_blanks_and_at_whole_characters() {
        assert_eq!(row_starts("", 0, 8), [0]);
        assert_eq!(row_starts("12345678", 0, 8), [0]);
        assert_eq!(row_starts("123456789", 0, 8), [0, 8]);
        assert_eq!(row_starts("one two three four", 0, 8), [0, 8, 14]);
        assert_eq!(row_starts("a bcdefghijk", 0, 8), [0, 8], "a blank in the first half would waste the row");
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
            prop_assert!(starts.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= most));
            prop_assert!(end <= last + most);
            prop_assert!(starts.len() == 1 || last < end, "no row is empty");
        }
    }
}
