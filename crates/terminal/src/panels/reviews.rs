//! The panel of the open reviews: file, size and agent. Signs show the review on the screen, and reviews with
//! parts that have not been on the screen.

use alongside_desk::Review;
use alongside_desk::path_fit::shortened;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::drawn_state::{DrawnState, draw_lines};
use super::list_rows::{counts, list_extent, listed, review_sign};
use crate::areas::{Areas, Listed, Lists};
use crate::text::fit::both_ends;
use crate::text::width;

/// Rows of one review.
const ROWS_PER_REVIEW: u16 = 2;

/// Returns the areas of the rows that a click selects: reviews, or the files of a turn, in the column or in
/// the strip.
pub(crate) fn clickable_rows(drawn: &DrawnState<'_>, areas: &Areas) -> Vec<(Rect, Listed)> {
    match areas.lists {
        Lists::Hidden => return Vec::new(),
        Lists::Strip => return super::list_strip::clickable_rows(drawn, areas.strip),
        Lists::Column => {}
    }
    let list = Rect {
        y: areas.reviews.y.saturating_add(1),
        height: areas.reviews.height.saturating_sub(1),
        ..areas.reviews
    };
    let fit = usize::from(list.height / ROWS_PER_REVIEW).max(1);
    let (all, at) = list_extent(drawn);
    let first = (at + 1).saturating_sub(fit);
    let place = |(row, index): (usize, usize)| {
        let y = list.y + u16::try_from(row).unwrap_or(0) * ROWS_PER_REVIEW;
        Some((Rect { y, height: ROWS_PER_REVIEW, ..list }.intersection(list), listed(drawn, index)?))
    };
    (first..all).take(fit).enumerate().filter_map(place).collect()
}

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let (area, palette) = (drawn.areas.reviews, drawn.palette);
    let title = match drawn.reviews.all().len() {
        0 => "Reviews".to_owned(),
        n => format!("Reviews ({n})"),
    };
    draw_lines(frame, area, [drawn.title(title)]);
    if drawn.reviews.all().is_empty() {
        let below = Rect { y: area.y + 1, height: 1, ..area }.intersection(area);
        draw_lines(frame, below, [Line::styled("none", palette.quiet)]);
    }
    for (place, listed) in &drawn.areas.listed {
        let Listed::Review(id) = listed else { continue };
        let Some(view) = drawn.reviews.view(*id) else { continue };
        let read = drawn.reviews.proposal_id() == Some(*id);
        let name = drawn.reviews.file_name(view.review());
        let size = view.size_words();
        let room = usize::from(place.width).saturating_sub(size.len() + 3);
        let name = format!("{} {}", review_sign(drawn, view), shortened(&name, room));
        let styles = if read { (palette.selected, palette.selected) } else { (palette.text, palette.quiet) };
        let mut first = both_ends(&name, styles, &size, place.width);
        // The coloured counts replace the plain text of the same width.
        first.spans.pop();
        first.spans.extend(counts(view.counts, palette, styles.1));
        if read {
            first = first.style(palette.selected);
        }
        let agent = drawn.reviews.agent(&view.review().agent);
        let second = match note(view.review()) {
            None => vec![Span::styled(agent, palette.quiet)],
            Some(note) if width::columns(&agent) + note.len() + 4 <= usize::from(place.width) => {
                vec![Span::styled(format!("{agent}, "), palette.quiet), Span::styled(note, palette.warning)]
            }
            // The header of the review names its agent, so only the note is shown.
            Some(note) => vec![Span::styled(note, palette.warning)],
        };
        let second = Line::from_iter(std::iter::once(Span::raw("  ")).chain(second));
        draw_lines(frame, *place, [first, second]);
    }
}

/// Returns the reason why the file differs from the text that the agent saw. It fits into the narrowest list.
pub(super) fn note(review: &Review) -> Option<&'static str> {
    match (review.stale, review.dirty) {
        (true, true) => Some("file changed, unsaved"),
        (true, false) => Some("file changed since"),
        (false, true) => Some("unsaved in an editor"),
        (false, false) => None,
    }
}
