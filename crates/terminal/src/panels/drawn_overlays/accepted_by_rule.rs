//! Draws the list of the changes that rules and grants have accepted, and of the person's grants.

use alongside_desk::{harmless, messages};
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::overlays::accepted_by_rule::{AcceptedByRule, AcceptedRow};
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::text::fit::beginning;
use crate::words::messages::ago;

pub(crate) fn draw(drawn: &DrawnState<'_>, list: &AcceptedByRule, frame: &mut Frame<'_>) {
    let area = drawn.list_area();
    let (shown, rows) = (list.rows_on_screen(area.height), list.rows());
    let rows = rows.into_iter().enumerate().skip(shown.start).take(shown.len());
    let lines = rows.map(|(index, (_, row))| {
        let line = line(drawn, row, usize::from(area.width));
        if index == list.at() { line.style(drawn.palette.selected) } else { line }
    });
    draw_lines(frame, area, lines);
}

fn line(drawn: &DrawnState<'_>, row: AcceptedRow<'_>, width: usize) -> Line<'static> {
    let (palette, roots) = (drawn.palette, drawn.reviews.roots());
    let (text, style) = match row {
        AcceptedRow::Blank => (String::new(), palette.text),
        AcceptedRow::Heading(heading) => return drawn.title(heading),
        AcceptedRow::Grant(grant) => {
            let place = messages::granted_place(grant, roots);
            (format!("  {place}: {}", harmless::name(&grant.agent)), palette.text)
        }
        AcceptedRow::Entry(entry, is_open) => {
            let fold = if is_open { "▾" } else { "▸" };
            let ago = ago(entry.at, drawn.now);
            (format!("{fold} {ago:<6} {}", messages::acceptance(entry, roots)), palette.text)
        }
        AcceptedRow::Line(line) => {
            let style = match line.as_bytes().first() {
                Some(b'+') => palette.added.line,
                Some(b'-') => palette.removed.line,
                _ => palette.quiet,
            };
            (format!("  {}", harmless::name(line)), style)
        }
        AcceptedRow::Cut => ("  … the end is too long to be kept".to_owned(), palette.quiet),
    };
    Line::styled(beginning(&text, width).to_owned(), style)
}

/// The keys of the list.
pub(crate) fn keys(list: &AcceptedByRule) -> Vec<(&'static str, &'static str)> {
    let mut keys = vec![("j/k", "move"), ("Enter", "show, hide"), ("Esc", "back")];
    if list.has_grants() {
        keys.insert(2, ("x", "accept nothing ahead"));
    }
    keys
}
