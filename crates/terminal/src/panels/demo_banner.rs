//! The first line of a demo, which names the key to try next.

use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::drawn_state::DrawnState;
use crate::demo_guide::DemoStep;
use crate::text::width::columns;

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let area = drawn.areas.banner;
    let Some([long, short]) = drawn.reviews.demo().map(DemoStep::text) else { return };
    let fits = columns(long) <= usize::from(area.width);
    let line = Line::styled(if fits { long } else { short }, drawn.palette.selected);
    frame.render_widget(line.style(drawn.palette.selected), area);
}
