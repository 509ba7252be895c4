//! Draws the help: all keys and their actions in groups, in two columns if they do not fit into one.

use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::keys::{self, DeskMode, Group};
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::text::width;

/// The columns of the keys of a row, with a space.
const KEYS_COLUMNS: usize = 11;

/// The width of a column of the help.
const COLUMN_WIDTH: usize = 36;

/// The gap between the two columns of the help.
const GAP_COLUMNS: usize = 2;

/// A heading, or keys and their action.
#[derive(Debug, Clone, Copy)]
enum HelpRow {
    Blank,
    Heading(&'static str),
    Keys(&'static str, &'static str),
}

/// The rows of each group.
fn groups(mode: DeskMode) -> Vec<Vec<HelpRow>> {
    let group = |(group, title): &(Group, &'static str)| {
        let rows = keys::bindings(mode).filter(|row| row.action.group() == *group && !row.help.is_empty());
        let keys = rows.map(|row| HelpRow::Keys(row.shown, row.help));
        let mouse = (*group == Group::Moving).then_some(HelpRow::Keys("mouse", "scroll; click to open"));
        std::iter::once(HelpRow::Heading(title)).chain(keys).chain(mouse).collect()
    };
    Group::ALL.iter().map(group).collect()
}

/// The groups in one column.
fn stacked(groups: &[Vec<HelpRow>]) -> Vec<HelpRow> {
    groups.join(&HelpRow::Blank)
}

/// The rows of one column, or of two if the groups do not fit into one and the width allows it.
fn columns(area: Rect, mode: DeskMode) -> (Vec<HelpRow>, Vec<HelpRow>) {
    let groups = groups(mode);
    let all = stacked(&groups);
    if all.len() < usize::from(area.height) || usize::from(area.width) < 2 * COLUMN_WIDTH + GAP_COLUMNS {
        return (all, Vec::new());
    }
    let halves = (1..groups.len()).map(|at| (stacked(&groups[..at]), stacked(&groups[at..])));
    halves.min_by_key(|(left, right)| left.len().max(right.len())).unwrap_or((all, Vec::new()))
}

fn area(main: Rect) -> Rect {
    Rect { x: main.x + 1, width: main.width.saturating_sub(1), ..main }
}

/// The number of rows that do not fit below the title, which is the most by which the help scrolls.
pub(crate) fn excess(main: Rect, mode: DeskMode) -> usize {
    let (left, right) = columns(area(main), mode);
    left.len().max(right.len()).saturating_sub(usize::from(main.height).saturating_sub(1))
}

pub(crate) fn draw(drawn: &DrawnState<'_>, top: usize, frame: &mut Frame<'_>) {
    let (main, palette) = (drawn.areas.main, drawn.palette);
    let mode = drawn.reviews.mode();
    let (left, right) = columns(area(main), mode);
    let spans = |row: Option<&HelpRow>| match row {
        None | Some(HelpRow::Blank) => [Span::raw(""), Span::raw("")],
        Some(HelpRow::Heading(text)) => [Span::styled(*text, palette.heading), Span::raw("")],
        Some(HelpRow::Keys(keys, text)) => {
            let gap = " ".repeat(KEYS_COLUMNS.saturating_sub(width::columns(keys)));
            [Span::styled(format!("{keys}{gap}"), palette.key), Span::styled(*text, palette.text)]
        }
    };
    let row = |index: usize| {
        let mut line = Line::from(spans(left.get(index)).to_vec());
        if !right.is_empty() {
            let used: usize = line.spans.iter().map(|span| width::columns(&span.content)).sum();
            line.push_span(Span::raw(" ".repeat((COLUMN_WIDTH + GAP_COLUMNS).saturating_sub(used))));
            line.spans.extend(spans(right.get(index)));
        }
        line
    };
    let top = top.min(excess(main, mode));
    let mut lines = vec![drawn.title(match mode {
        DeskMode::Proposals => "Keys. Nothing is written before you accept.",
        DeskMode::Turn => "Keys. Nothing is written before you finish.",
    })];
    lines.extend((top..left.len().max(right.len())).map(row));
    draw_lines(frame, area(main), lines);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_fits_into_a_column() {
        for row in [DeskMode::Proposals, DeskMode::Turn].into_iter().flat_map(groups).flatten() {
            if let HelpRow::Keys(keys, text) = row {
                assert!(width::columns(keys) < KEYS_COLUMNS, "{keys}");
                assert!(width::columns(text) <= COLUMN_WIDTH - KEYS_COLUMNS, "{text}");
            }
        }
    }

    #[test]
    fn the_help_fits_on_a_terminal_of_24_rows() {
        // The strip, the status line and the keys use the other rows.
        for mode in [DeskMode::Proposals, DeskMode::Turn] {
            let excess = |width, height| excess(Rect { width, height, ..Rect::ZERO }, mode);
            assert_eq!((excess(80, 20), excess(75, 22)), (0, 0));
            assert!(excess(60, 20) > 0, "it scrolls where it is narrow");
        }
    }
}
