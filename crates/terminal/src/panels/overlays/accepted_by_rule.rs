//! The list of what rules have accepted, and of what the person has accepted ahead.

use alongside_desk::{harmless, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::overlays::accepted_by_rule::{AcceptedList, AcceptedRow};
use crate::panels::scene::{Scene, draw_lines};
use crate::text::fit::beginning;
use crate::words::messages::ago;

pub(crate) fn draw(scene: &Scene<'_>, list: &AcceptedList, frame: &mut Frame<'_>) {
    let main = scene.areas.main;
    let area = Rect { x: main.x + 1, width: main.width.saturating_sub(1), ..main };
    let (shown, rows) = (list.rows_on_screen(main.height), list.rows());
    let rows = rows.into_iter().enumerate().skip(shown.start).take(shown.len());
    let lines = rows.map(|(index, (_, row))| {
        let line = line(scene, row, usize::from(area.width));
        if index == list.at() { line.style(scene.palette.selected) } else { line }
    });
    draw_lines(frame, area, lines);
}

fn line(scene: &Scene<'_>, row: AcceptedRow<'_>, width: usize) -> Line<'static> {
    let (palette, roots) = (scene.palette, scene.reviews.roots());
    let (text, style) = match row {
        AcceptedRow::Blank => (String::new(), palette.text),
        AcceptedRow::Heading(heading) => return scene.title(heading),
        AcceptedRow::Grant(grant) => {
            let place = messages::granted_place(grant, roots);
            (format!("  {place}: {}", harmless::name(&grant.agent)), palette.text)
        }
        AcceptedRow::Entry(entry, is_open) => {
            let fold = if is_open { "▾" } else { "▸" };
            let ago = ago(entry.at, scene.now);
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
pub(crate) fn keys(list: &AcceptedList) -> Vec<(&'static str, &'static str)> {
    let mut keys = vec![("j/k", "move"), ("Enter", "show, hide"), ("Esc", "back")];
    if list.has_grants() {
        keys.insert(2, ("x", "accept nothing ahead"));
    }
    keys
}
