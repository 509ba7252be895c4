//! The common parts of the lists of reviews and of the files of a turn: the listed items, the sign before an
//! item, and the numbers of added and removed lines in their colours.

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use super::drawn_state::DrawnState;
use crate::areas::Listed;
use crate::keys::DeskMode;
use crate::palette::Palette;
use crate::review_view::ReviewView;

/// The number of listed reviews or files, and the index of the item on the screen.
pub(super) fn list_extent(drawn: &DrawnState<'_>) -> (usize, usize) {
    match (drawn.reviews.mode(), drawn.reviews.turn().files()) {
        (DeskMode::Proposals, _) => (drawn.reviews.all().len(), drawn.reviews.index().unwrap_or(0)),
        (DeskMode::Turn, Some(files)) => (files.all().len(), files.at()),
        (DeskMode::Turn, None) => (0, 0),
    }
}

/// The review or file at an index of the list.
pub(super) fn listed(drawn: &DrawnState<'_>, index: usize) -> Option<Listed> {
    match drawn.reviews.mode() {
        DeskMode::Proposals => drawn.reviews.all().get(index).map(|view| Listed::Review(view.review().id)),
        DeskMode::Turn => Some(Listed::File(index)),
    }
}

/// The numbers of lines, as in `+3 -1`, on the style `base`.
pub(super) fn counts((added, removed): (usize, usize), palette: &Palette, base: Style) -> [Span<'static>; 3] {
    [
        Span::styled(format!("+{added}"), base.patch(palette.added.sign)),
        Span::styled(" ", base),
        Span::styled(format!("-{removed}"), base.patch(palette.removed.sign)),
    ]
}

/// The sign before a review: whether it is on the screen, or has parts that were not there yet.
pub(super) fn review_sign(drawn: &DrawnState<'_>, view: &ReviewView) -> &'static str {
    item_sign(drawn.reviews.proposal_id() == Some(view.review().id), view.seen_part().is_all())
}

/// The sign before a listed item: whether it is on the screen, or has parts that were not there yet.
pub(super) fn item_sign(is_current: bool, is_seen: bool) -> &'static str {
    match is_current {
        true => "▸",
        false if is_seen => " ",
        false => "•",
    }
}
