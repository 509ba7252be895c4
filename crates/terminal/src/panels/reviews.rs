//! The list of reviews that wait: file, size and agent. The one on the screen is marked.

use alongside_desk::path_fit::shortened;
use alongside_desk::{Review, ReviewId, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::app::App;
use crate::areas::{Areas, Lists};
use crate::review_view::ReviewView;
use crate::text_fit::both_ends;
use crate::width;

/// Rows of one review.
const ROWS: u16 = 2;

/// Where reviews are listed, in the column or in the strip.
pub(crate) fn places(app: &App, areas: &Areas) -> Vec<(Rect, ReviewId)> {
    match areas.lists {
        Lists::Hidden => return Vec::new(),
        Lists::Strip => return super::strip::places(app, areas.strip),
        Lists::Column => {}
    }
    let list = Rect {
        y: areas.reviews.y.saturating_add(1),
        height: areas.reviews.height.saturating_sub(1),
        ..areas.reviews
    };
    let fit = usize::from(list.height / ROWS).max(1);
    let at = app.reviews.iter().position(|view| Some(view.review().id) == app.at).unwrap_or(0);
    let first = (at + 1).saturating_sub(fit);
    let place = |(index, view): (usize, &ReviewView)| {
        let y = list.y + u16::try_from(index).unwrap_or(0) * ROWS;
        (Rect { y, height: ROWS, ..list }.intersection(list), view.review().id)
    };
    app.reviews.iter().skip(first).take(fit).enumerate().map(place).collect()
}

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let (area, palette) = (app.areas.reviews, &app.palette);
    let title = match app.reviews.len() {
        0 => "Reviews".to_owned(),
        n => format!("Reviews ({n})"),
    };
    app.lines(frame, area, [app.title(title)]);
    if app.reviews.is_empty() {
        let below = Rect { y: area.y + 1, height: 1, ..area }.intersection(area);
        app.lines(frame, below, [Line::styled("none", palette.quiet)]);
    }
    for (place, id) in &app.areas.listed {
        let Some(view) = app.view(*id) else { continue };
        let read = app.at == Some(*id);
        let name = messages::file_name(&view.review().file, app.roots());
        let size = view.size();
        let room = usize::from(place.width).saturating_sub(size.len() + 3);
        let name = format!("{} {}", if read { "▸" } else { " " }, shortened(&name, room));
        let styles = if read { (palette.selected, palette.selected) } else { (palette.text, palette.quiet) };
        let mut first = both_ends(&name, styles, &size, place.width);
        if read {
            first = first.style(palette.selected);
        }
        let agent = app.agent(&view.review().agent);
        let second = match note(view.review()) {
            None => vec![Span::styled(agent, palette.quiet)],
            Some(note) if width::columns(&agent) + note.len() + 4 <= usize::from(place.width) => {
                vec![Span::styled(format!("{agent}, "), palette.quiet), Span::styled(note, palette.warning)]
            }
            // The review itself names its agent.
            Some(note) => vec![Span::styled(note, palette.warning)],
        };
        let second = Line::from_iter(std::iter::once(Span::raw("  ")).chain(second));
        app.lines(frame, *place, [first, second]);
    }
}

/// Why the file is not what the agent saw. The narrowest list has room for it.
fn note(review: &Review) -> Option<&'static str> {
    match (review.stale, review.dirty) {
        (true, true) => Some("file changed, unsaved"),
        (true, false) => Some("file changed since"),
        (false, true) => Some("unsaved in an editor"),
        (false, false) => None,
    }
}
