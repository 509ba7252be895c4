//! The parts of a review in a list: its mark, and the lines that accepting it adds and removes, in the
//! colours of such lines.

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use super::scene::Scene;
use crate::palette::Palette;
use crate::review_view::ReviewView;

/// `+3 -1`, on a style.
pub(super) fn counts((added, removed): (usize, usize), palette: &Palette, base: Style) -> [Span<'static>; 3] {
    [
        Span::styled(format!("+{added}"), base.patch(palette.added.sign)),
        Span::styled(" ", base),
        Span::styled(format!("-{removed}"), base.patch(palette.removed.sign)),
    ]
}

/// The mark before a review: it is on the screen, or some of it has not been there yet.
pub(super) fn mark(scene: &Scene<'_>, view: &ReviewView) -> &'static str {
    match scene.reviews.at() == Some(view.review().id) {
        true => "▸",
        false if view.seen_part().is_all() => " ",
        false => "•",
    }
}
