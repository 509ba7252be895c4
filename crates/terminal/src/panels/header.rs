//! The header of the review on the screen: file, agent, size, state, and the notes.

use alongside_desk::messages;
use alongside_desk::path_fit::shortened;
use alongside_desk::review_model::{Note, notes as review_notes};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::listed_review::counts;
use super::scene::{Scene, draw_lines};
use crate::areas::Lists;
use crate::review_view::ReviewView;
use crate::text_fit::wrapped;
use crate::width;

/// A file name with less room than this gets the room of the agent's name.
const NAME: usize = 16;

/// A title and the notes; the page keeps two thirds of the room.
pub(crate) fn height(scene: &Scene<'_>, main: Rect) -> u16 {
    let Some(view) = scene.reviews.current() else { return 0 };
    let rows = 1 + notes(scene, view, main.width).len();
    u16::try_from(rows).unwrap_or(u16::MAX).min((main.height / 3).max(1))
}

pub(crate) fn draw(scene: &Scene<'_>, view: &ReviewView, frame: &mut Frame<'_>) {
    let area = scene.areas.header;
    let mut lines = vec![title(scene, view, area.width)];
    lines.extend(notes(scene, view, area.width));
    draw_lines(frame, area, lines);
}

fn title(scene: &Scene<'_>, view: &ReviewView, width: u16) -> Line<'static> {
    let (review, palette) = (view.review(), scene.palette);
    let width = usize::from(width);
    let new = if review.original.is_none() && review.whole_file_only.is_none() { "new file, " } else { "" };
    let unlisted = unlisted(scene);
    let mut about = format!("  {}  {new}", scene.reviews.agent(&review.agent));
    let size = view.size().len();
    if !unlisted.is_empty() && width::columns(&about) + size + width::columns(&unlisted) + NAME > width {
        about = format!("  {new}");
    }
    let mut state = Vec::new();
    if !review.hunks.is_empty() {
        state.push(format!("change {} of {}", view.hunk() + 1, review.hunks.len()));
        state.push(messages::hunk_states(review));
    }
    let mut state = state.join(": ");
    let name = scene.reviews.file_name(review);
    // The name stays; what does not fit beside it goes.
    let room = width.saturating_sub(width::columns(&about) + size + width::columns(&unlisted) + 2);
    if width::columns(&name) + width::columns(&state) > room {
        state = state.split(": ").next().unwrap_or_default().to_owned();
    }
    if width::columns(&name).min(NAME) + width::columns(&state) > room {
        state.clear();
    }
    let name = shortened(&name, room.saturating_sub(width::columns(&state)));
    let used: usize = [&name, &about, &unlisted, &state].map(|part| width::columns(part)).iter().sum();
    let gap = " ".repeat(width.saturating_sub(used + size));
    let before = [Span::styled(name, palette.heading), Span::styled(about, palette.text)];
    let after = [Span::styled(unlisted, palette.warning), Span::raw(gap), Span::styled(state, palette.quiet)];
    Line::from_iter(before.into_iter().chain(counts(view.counts, palette, palette.text)).chain(after))
}

/// The facts that the lists would show, while they are hidden.
fn unlisted(scene: &Scene<'_>) -> String {
    if scene.areas.lists != Lists::Hidden {
        return String::new();
    }
    let at = scene.reviews.index().map_or(0, |at| at + 1);
    let mut facts = String::new();
    if scene.reviews.all().len() > 1 {
        facts += &format!("  review {at} of {}", scene.reviews.all().len());
    }
    if scene.status().paused {
        facts += "  paused";
    }
    facts
}

fn notes(scene: &Scene<'_>, view: &ReviewView, width: u16) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for Note { text, warning } in review_notes(view.review(), scene.reviews.roots()) {
        let style = if warning { scene.palette.warning } else { scene.palette.quiet };
        let sign = if warning { "! " } else { "  " };
        let rows = wrapped(&text, usize::from(width.saturating_sub(2)));
        lines.extend(rows.into_iter().map(|row| Line::styled(format!("{sign}{row}"), style)));
    }
    lines
}
