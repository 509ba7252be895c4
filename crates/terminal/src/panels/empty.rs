//! The screen without a review: what to do next.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::App;
use crate::messages;
use crate::text_fit::wrapped;

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let (main, palette) = (app.areas.main, &app.palette);
    let text =
        if app.companion.status().agents.is_empty() { messages::NO_AGENT } else { messages::NO_REVIEW };
    let width = main.width.saturating_sub(4);
    let rows: Vec<_> = text.iter().flat_map(|line| wrapped(line, usize::from(width))).collect();
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let y = main.y + main.height.saturating_sub(height) / 3;
    let area = Rect { x: main.x + 2, y, width, height }.intersection(main);
    let lines = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| Line::styled(row, if index == 0 { palette.heading } else { palette.text }));
    app.lines(frame, area, lines);
}
