//! Draws the list of past messages. Messages that the person has not read have a sign.

use alongside_desk::review_model::MessageKind;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::overlays::message_list::MessageList;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::text::fit::wrapped;

/// The columns of the sign before a message.
const SIGN_COLUMNS: u16 = 2;

pub(crate) fn draw(drawn: &DrawnState<'_>, list: &MessageList, frame: &mut Frame<'_>) {
    let area = drawn.list_area();
    let room = usize::from(area.width.saturating_sub(SIGN_COLUMNS));
    let mut lines = vec![drawn.title("Messages, the newest first:")];
    for (message, is_news) in list.shown() {
        let style = match message.kind {
            MessageKind::Warning => drawn.palette.warning,
            MessageKind::Notice => drawn.palette.text,
        };
        let rows = message.text.lines().flat_map(|line| wrapped(line, room));
        let sign = |row: usize| if row == 0 && *is_news { "•" } else { " " };
        lines
            .extend(rows.enumerate().map(|(row, text)| Line::styled(format!("{} {text}", sign(row)), style)));
        if lines.len() >= usize::from(area.height) {
            break;
        }
    }
    draw_lines(frame, area, lines);
}

/// The keys of the list.
pub(crate) const KEYS: [(&str, &str); 2] = [("j/k", "more"), ("Esc", "back")];
