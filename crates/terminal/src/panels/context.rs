//! The panel of the files that agents know about.

use alongside_desk::messages;
use alongside_desk::path_fit::shortened;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::drawn_state::{DrawnState, draw_lines};
use crate::text::fit::cut_start;
use crate::text::width::columns;

/// The rows that the panel needs.
pub(crate) fn height(drawn: &DrawnState<'_>) -> u16 {
    u16::try_from(drawn.status().context.len().max(1) + 1).unwrap_or(u16::MAX)
}

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let (area, palette) = (drawn.areas.context, drawn.palette);
    let width = usize::from(area.width);
    let mut lines = vec![drawn.title("Agents see")];
    if drawn.status().paused {
        lines.push(Line::styled("nothing: paused", palette.warning));
    } else if drawn.status().context.is_empty() {
        lines.push(Line::styled("no open file", palette.quiet));
    }
    let shown = drawn.status().context.iter().filter(|_| !drawn.status().paused);
    for file in shown {
        let name = messages::file_name(&file.path, drawn.reviews.roots());
        let place = file.cursor.map(|cursor| format!(":{}", u64::from(cursor.line) + 1)).unwrap_or_default();
        let selected =
            if file.selected > 0 { format!(" ({} selected)", file.selected) } else { String::new() };
        let style = if file.active { palette.text } else { palette.quiet };
        let place = format!("{place}{selected}");
        let name = shortened(&name, width.saturating_sub(columns(&place)));
        lines.push(Line::styled(cut_start(&format!("{name}{place}"), width), style));
    }
    draw_lines(frame, area, lines);
}
