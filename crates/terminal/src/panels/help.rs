//! The help: all keys and their actions.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::keys::TABLE;

/// The widest that the keys of a row are.
const KEYS: usize = 11;

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let (main, palette) = (app.areas.main, &app.palette);
    let area = Rect { x: main.x + 1, width: main.width.saturating_sub(1), ..main };
    let room = usize::from(area.height).saturating_sub(1);
    // No further than the last row.
    let top = app.help.unwrap_or(0).min(TABLE.len().saturating_sub(room));
    let mut lines = vec![app.title("Keys. Nothing is written before you accept.")];
    lines.extend(TABLE.iter().skip(top).take(room).map(|row| {
        Line::from(vec![
            Span::styled(format!("{:<KEYS$}", row.shown), palette.key),
            Span::styled(row.help, palette.text),
        ])
    }));
    app.lines(frame, area, lines);
}
