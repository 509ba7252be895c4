//! Draws the list of the open reviews. Each has a row with its size, its agent and the state of its file.

use alongside_desk::path_fit::shortened;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::overlays::review_list::ReviewList;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::panels::list_rows::{counts, review_sign};
use crate::panels::reviews::note;
use crate::review_view::ReviewView;
use crate::text::fit::cut_end;
use crate::text::width;

pub(crate) fn draw(drawn: &DrawnState<'_>, list: &ReviewList, frame: &mut Frame<'_>) {
    let area = drawn.list_area();
    let (all, columns) = (drawn.reviews.all(), usize::from(area.width));
    let chosen = list.chosen(all.len());
    let rows = usize::from(area.height.saturating_sub(1)).max(1);
    let shown = all.iter().enumerate().skip((chosen + 1).saturating_sub(rows)).take(rows);
    let rows = shown.map(|(at, view)| row(drawn, view, at == chosen, columns));
    let title = match all.len() {
        0 => "No review waits any more.".to_owned(),
        all => format!("Reviews that wait ({} of {all}):", chosen + 1),
    };
    draw_lines(frame, area, std::iter::once(drawn.title(title)).chain(rows));
}

fn row(drawn: &DrawnState<'_>, view: &ReviewView, is_chosen: bool, columns: usize) -> Line<'static> {
    let (review, palette) = (view.review(), drawn.palette);
    let style = if is_chosen { palette.selected } else { palette.text };
    let size = format!("+{} -{}", view.counts.0, view.counts.1);
    let name = shortened(&drawn.reviews.file_name(review), columns / 2);
    let gap = (columns / 2).saturating_sub(width::columns(&name)) + 2;
    let label = format!("{} {name}{}", review_sign(drawn, view), " ".repeat(gap));
    let room = columns.saturating_sub(width::columns(&label) + size.len() + 2);
    let (agent, note) = (drawn.reviews.agent(&review.agent), note(review));
    let behind = note.map_or_else(|| agent.clone(), |note| format!("{note}, {agent}"));
    let about = if note.is_some() { palette.warning } else { palette.quiet };
    let spans = std::iter::once(Span::styled(label, style)).chain(counts(view.counts, palette, style));
    Line::from_iter(spans.chain([Span::raw("  "), Span::styled(cut_end(&behind, room), about)]))
}

/// The keys of the list.
pub(crate) const KEYS: [(&str, &str); 3] = [("j/k", "choose"), ("Enter", "go there"), ("Esc", "back")];
