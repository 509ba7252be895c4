//! The lists of reviews and of the files of a turn: what they list, and the parts of a row: its mark, and the
//! lines that are added and removed, in the colours of such lines.

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use super::drawn_state::DrawnState;
use crate::areas::Listed;
use crate::keys::DeskMode;
use crate::palette::Palette;
use crate::review_view::ReviewView;

/// How many reviews or files the list has, and the place of the one on the screen.
pub(super) fn extent(drawn: &DrawnState<'_>) -> (usize, usize) {
    match (drawn.reviews.mode(), drawn.reviews.turn().files()) {
        (DeskMode::Proposals, _) => (drawn.reviews.all().len(), drawn.reviews.index().unwrap_or(0)),
        (DeskMode::Turn, Some(files)) => (files.all().len(), files.at()),
        (DeskMode::Turn, None) => (0, 0),
    }
}

/// The review or the file at a place in the list.
pub(super) fn listed(drawn: &DrawnState<'_>, index: usize) -> Option<Listed> {
    match drawn.reviews.mode() {
        DeskMode::Proposals => drawn.reviews.all().get(index).map(|view| Listed::Review(view.review().id)),
        DeskMode::Turn => Some(Listed::File(index)),
    }
}

/// `+3 -1`, on a style.
pub(super) fn counts((added, removed): (usize, usize), palette: &Palette, base: Style) -> [Span<'static>; 3] {
    [
        Span::styled(format!("+{added}"), base.patch(palette.added.sign)),
        Span::styled(" ", base),
        Span::styled(format!("-{removed}"), base.patch(palette.removed.sign)),
    ]
}

/// The mark before a review: it is on the screen, or some of it has not been there yet.
pub(super) fn mark(drawn: &DrawnState<'_>, view: &ReviewView) -> &'static str {
    place_mark(drawn.reviews.proposal_id() == Some(view.review().id), view.seen_part().is_all())
}

/// The mark before anything that is on the screen, or of which all has been there.
pub(super) fn place_mark(is_current: bool, is_seen: bool) -> &'static str {
    match is_current {
        true => "▸",
        false if is_seen => " ",
        false => "•",
    }
}
