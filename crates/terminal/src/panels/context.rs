//! What agents are told about the person's files.

use ratatui::Frame;
use ratatui::text::Line;

use crate::app::App;
use crate::screen::cut;
use crate::texts;

/// Rows it would like to have.
pub(crate) fn height(app: &App) -> u16 {
    u16::try_from(app.status.context.len().max(1) + 1).unwrap_or(u16::MAX)
}

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let (area, palette) = (app.areas.context, &app.palette);
    let width = usize::from(area.width);
    let mut lines = vec![app.title("Agents see")];
    if app.status.paused {
        lines.push(Line::styled("nothing: paused", palette.warning));
    } else if app.status.context.is_empty() {
        lines.push(Line::styled("no open file", palette.quiet));
    }
    let shown = app.status.context.iter().filter(|_| !app.status.paused);
    for told in shown {
        let name = texts::file_name(&told.path, app.roots());
        let place = told.cursor.map(|cursor| format!(":{}", u64::from(cursor.line) + 1)).unwrap_or_default();
        let selected =
            if told.selected > 0 { format!(" ({} selected)", told.selected) } else { String::new() };
        let style = if told.active { palette.text } else { palette.quiet };
        lines.push(Line::styled(cut(&format!("{name}{place}{selected}"), width), style));
    }
    app.lines(frame, area, lines);
}
