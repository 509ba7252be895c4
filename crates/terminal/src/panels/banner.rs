//! The first line of a demo: that it is one, and which key to try next.

use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::scene::Scene;
use crate::demo_guide::DemoStep;
use crate::text::width::columns;

pub(crate) fn draw(scene: &Scene<'_>, frame: &mut Frame<'_>) {
    let area = scene.areas.banner;
    let Some([long, short]) = scene.reviews.demo().map(DemoStep::text) else { return };
    let fits = columns(long) <= usize::from(area.width);
    let line = Line::styled(if fits { long } else { short }, scene.palette.selected);
    frame.render_widget(line.style(scene.palette.selected), area);
}
