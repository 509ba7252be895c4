//! Agents, context and reviews in one or two lines, for narrow screens.

use alongside_desk::path_fit::shortened;
use alongside_desk::{ReviewId, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::app::App;
use crate::text_fit::both_ends;
use crate::width;

/// The widest a file name gets here.
const NAME: usize = 24;

/// A review in the strip.
fn label(app: &App, id: ReviewId) -> String {
    let Some(view) = app.view(id) else { return String::new() };
    let mark = if app.at == Some(id) { "▸" } else { " " };
    let name = shortened(&messages::file_name(&view.review().file, app.roots()), NAME);
    format!("{mark}{name} {} ", view.size())
}

/// The places of reviews; the one on the screen is always among them.
pub(crate) fn places(app: &App, strip: Rect) -> Vec<(Rect, ReviewId)> {
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    let at = app.reviews.iter().position(|view| Some(view.review().id) == app.at).unwrap_or(0);
    let widths: Vec<usize> =
        app.reviews.iter().map(|view| width::columns(&label(app, view.review().id))).collect();
    let room = usize::from(row.width).saturating_sub(12);
    let mut first = at;
    let mut taken = widths.get(at).copied().unwrap_or(0);
    while first > 0 && taken + widths[first - 1] <= room {
        first -= 1;
        taken += widths[first];
    }
    let mut x = row.x;
    let mut places = Vec::new();
    for (view, width) in app.reviews.iter().zip(widths).skip(first) {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        if usize::from(x.saturating_add(width)) > room && !places.is_empty() {
            break;
        }
        places.push((Rect { x, width, ..row }.intersection(row), view.review().id));
        x = x.saturating_add(width);
    }
    places
}

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let (strip, palette) = (app.areas.strip, &app.palette);
    if strip.height > 1 {
        let name = |agent: &alongside_desk::Agent| {
            let away = if agent.listening { "" } else { " (away)" };
            app.agent(agent) + away
        };
        let agents: Vec<_> = app.companion.status().agents.iter().map(name).collect();
        let agents = if agents.is_empty() { "no agent yet".to_owned() } else { agents.join(", ") };
        let context = match (app.companion.status().paused, app.companion.status().context.len()) {
            (true, _) => "context paused".to_owned(),
            (false, 0) => "no open file".to_owned(),
            (false, 1) => "agents see 1 file".to_owned(),
            (false, n) => format!("agents see {n} files"),
        };
        let styles =
            (palette.text, if app.companion.status().paused { palette.warning } else { palette.quiet });
        app.lines(frame, strip, [both_ends(&agents, styles, &context, strip.width)]);
    }
    let row = Rect { y: strip.bottom().saturating_sub(1), height: 1, ..strip };
    for (place, id) in &app.areas.listed {
        let style = if app.at == Some(*id) { palette.selected } else { palette.text };
        frame.render_widget(Span::styled(label(app, *id), style), *place);
    }
    let hidden = app.reviews.len() - app.areas.listed.len().min(app.reviews.len());
    let right = match (app.reviews.len(), hidden) {
        (0, _) => "no review".to_owned(),
        (_, 0) => return,
        (_, hidden) => format!("{hidden} more"),
    };
    frame.render_widget(Line::styled(right, palette.quiet).right_aligned(), row);
}
