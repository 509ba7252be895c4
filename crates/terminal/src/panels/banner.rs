//! The first line of a demo: that it is one, and which key to press first. It goes once that is done.

use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::app::App;
use crate::messages::{DEMO, DEMO_BRIEFLY};
use crate::width::columns;

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = app.areas.banner;
    let fits = columns(DEMO) <= usize::from(area.width);
    let line = Line::styled(if fits { DEMO } else { DEMO_BRIEFLY }, app.palette.selected);
    frame.render_widget(line.style(app.palette.selected), area);
}
