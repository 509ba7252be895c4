//! The first line of a demo: that it is one, and which key to press first. It goes once that is done.

use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::scene::Scene;
use crate::messages::{DEMO, DEMO_BRIEFLY};
use crate::width::columns;

pub(crate) fn draw(scene: &Scene<'_>, frame: &mut Frame<'_>) {
    let area = scene.areas.banner;
    let fits = columns(DEMO) <= usize::from(area.width);
    let line = Line::styled(if fits { DEMO } else { DEMO_BRIEFLY }, scene.palette.selected);
    frame.render_widget(line.style(scene.palette.selected), area);
}
