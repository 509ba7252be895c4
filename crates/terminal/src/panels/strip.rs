//! Agents, context and reviews in one or two lines, for narrow screens.

use alongside_desk::ReviewId;
use alongside_desk::path_fit::shortened;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::listed_review::{counts, mark};
use super::scene::{Scene, draw_lines};
use crate::review_view::ReviewView;
use crate::text_fit::both_ends;
use crate::width;

/// The widest a file name gets here.
const NAME: usize = 24;

/// A review in the strip, without its counts.
fn label(scene: &Scene<'_>, view: &ReviewView) -> String {
    let name = shortened(&scene.reviews.file_name(view.review()), NAME);
    format!("{}{name} ", mark(scene, view))
}

/// The columns of a review in the strip.
fn columns(scene: &Scene<'_>, view: &ReviewView) -> usize {
    width::columns(&label(scene, view)) + view.size().len() + 1
}

/// The places of reviews; the one on the screen is always among them.
pub(crate) fn places(scene: &Scene<'_>, strip: Rect) -> Vec<(Rect, ReviewId)> {
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    let at = scene.reviews.index().unwrap_or(0);
    let widths: Vec<usize> = scene.reviews.all().iter().map(|view| columns(scene, view)).collect();
    let room = usize::from(row.width).saturating_sub(12);
    let mut first = at;
    let mut taken = widths.get(at).copied().unwrap_or(0);
    while first > 0 && taken + widths[first - 1] <= room {
        first -= 1;
        taken += widths[first];
    }
    let mut x = row.x;
    let mut places = Vec::new();
    for (view, width) in scene.reviews.all().iter().zip(widths).skip(first) {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        if usize::from(x.saturating_add(width)) > room && !places.is_empty() {
            break;
        }
        places.push((Rect { x, width, ..row }.intersection(row), view.review().id));
        x = x.saturating_add(width);
    }
    places
}

pub(crate) fn draw(scene: &Scene<'_>, frame: &mut Frame<'_>) {
    let (strip, palette) = (scene.areas.strip, scene.palette);
    if strip.height > 1 {
        let name = |agent: &alongside_desk::Agent| {
            let away = if agent.listening { "" } else { " (away)" };
            scene.reviews.agent(agent) + away
        };
        let hooks = scene.reviews.hook_agents().map(|name| format!("{name} (by its hook)"));
        let agents: Vec<_> = scene.status().agents.iter().map(name).chain(hooks).collect();
        let agents = if agents.is_empty() { "no agent yet".to_owned() } else { agents.join(", ") };
        let context = match (scene.status().paused, scene.status().context.len()) {
            (true, _) => "context paused".to_owned(),
            (false, 0) => "no open file".to_owned(),
            (false, 1) => "agents see 1 file".to_owned(),
            (false, n) => format!("agents see {n} files"),
        };
        let styles = (palette.text, if scene.status().paused { palette.warning } else { palette.quiet });
        draw_lines(frame, strip, [both_ends(&agents, styles, &context, strip.width)]);
    }
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    for (place, id) in &scene.areas.listed {
        let Some(view) = scene.reviews.view(*id) else { continue };
        let style = if scene.reviews.at() == Some(*id) { palette.selected } else { palette.text };
        let name = std::iter::once(Span::styled(label(scene, view), style));
        let line = name.chain(counts(view.counts, palette, style)).chain([Span::styled(" ", style)]);
        frame.render_widget(Line::from_iter(line), *place);
    }
    let hidden = scene.reviews.all().len() - scene.areas.listed.len().min(scene.reviews.all().len());
    let right = match (scene.reviews.all().len(), hidden) {
        (0, _) => "no review".to_owned(),
        (_, 0) => return,
        (_, hidden) => format!("{hidden} more"),
    };
    frame.render_widget(Line::from(Span::styled(right, palette.quiet)).right_aligned(), row);
}
