//! Draws the preview of a change of an agent's settings, with the question whether to make it.

use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::overlays::settings_offer::OpenOffer;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::text::fit::wrapped;

pub(crate) fn draw(drawn: &DrawnState<'_>, open: &OpenOffer, frame: &mut Frame<'_>) {
    let (main, palette, offer) = (drawn.areas.main, drawn.palette, open.offer());
    let area = Rect { x: main.x + 1, width: main.width.saturating_sub(2), ..main };
    let width = usize::from(area.width);
    let mut rows = vec![drawn.title(offer.question.clone())];
    rows.extend(wrapped(&offer.fact, width).into_iter().map(|row| Line::styled(row, palette.text)));
    rows.push(Line::default());
    for line in offer.preview.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++") => palette.added.line,
            Some(b'-') if !line.starts_with("---") => palette.removed.line,
            _ => palette.quiet,
        };
        // Wrapping splits at spaces, so the indentation is kept apart.
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        let pieces = wrapped(text, width.saturating_sub(indent.len()).max(1));
        rows.extend(pieces.into_iter().map(|piece| Line::styled(format!("{indent}{piece}"), style)));
    }
    let room = usize::from(area.height);
    let top = open.top().min(rows.len().saturating_sub(room));
    draw_lines(frame, area, rows.into_iter().skip(top));
}
