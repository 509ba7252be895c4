//! The panel of the files that agents know about.

use alongside_desk::messages;
use alongside_desk::path_fit::shortened;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::app::App;
use crate::text_fit::cut;
use crate::width::columns;

/// Rows it would like to have.
pub(crate) fn height(app: &App) -> u16 {
    u16::try_from(app.companion.status().context.len().max(1) + 1).unwrap_or(u16::MAX)
}

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let (area, palette) = (app.areas.context, &app.palette);
    let width = usize::from(area.width);
    let mut lines = vec![app.title("Agents see")];
    if app.companion.status().paused {
        lines.push(Line::styled("nothing: paused", palette.warning));
    } else if app.companion.status().context.is_empty() {
        lines.push(Line::styled("no open file", palette.quiet));
    }
    let shown = app.companion.status().context.iter().filter(|_| !app.companion.status().paused);
    for file in shown {
        let name = messages::file_name(&file.path, app.roots());
        let place = file.cursor.map(|cursor| format!(":{}", u64::from(cursor.line) + 1)).unwrap_or_default();
        let selected =
            if file.selected > 0 { format!(" ({} selected)", file.selected) } else { String::new() };
        let style = if file.active { palette.text } else { palette.quiet };
        let place = format!("{place}{selected}");
        let name = shortened(&name, width.saturating_sub(columns(&place)));
        lines.push(Line::styled(cut(&format!("{name}{place}"), width), style));
    }
    app.lines(frame, area, lines);
}
