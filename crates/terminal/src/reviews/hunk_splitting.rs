//! Splits a change around lines that the person chooses.

use alongside_desk::{Request, ReviewId};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Reviews;
use super::edit_kind::EditKind;
use crate::output::Output;
use crate::overlays::Overlay;
use crate::overlays::line_choice::LineChoice;
use crate::overlays::line_split::LineSplit;
use crate::review_view::ReviewView;

/// Opens the choice of lines of the change that keys act on.
pub(crate) fn open(view: &mut ReviewView, out: &mut Output) {
    let (id, revision, hunk) = (view.review().id, view.meant_revision(), view.hunk());
    let Some(mut choice) = view.review().hunks.get(hunk).and_then(LineChoice::of) else { return };
    choice.step(true, false);
    let split = LineSplit { id, revision, hunk, choice };
    if let Some(lines) = split.choice.on_page() {
        view.show_lines(&lines);
    }
    out.overlays.open(Overlay::Lines(split));
}

/// Handles a key while the person chooses lines. `counts`: whether the person had seen the screen before the
/// key. Returns the change to request.
pub(crate) fn take_key(
    key: KeyEvent,
    counts: bool,
    reviews: &mut Reviews,
    out: &mut Output,
) -> Option<(ReviewId, EditKind, Request)> {
    let Some(Overlay::Lines(split)) = out.overlays.front_mut() else { return None };
    match key.code {
        KeyCode::Enter | KeyCode::Char(' ') if !counts => out.show_too_soon(),
        KeyCode::Enter | KeyCode::Char(' ') => {
            if let Some(Overlay::Lines(split)) = out.close_input() {
                return request(&split, reviews);
            }
        }
        KeyCode::Esc | KeyCode::Char('V' | 'q') => drop(out.close_input()),
        KeyCode::Down | KeyCode::Up | KeyCode::Char('j' | 'k' | 'J' | 'K') => {
            let is_down = matches!(key.code, KeyCode::Down | KeyCode::Char('j' | 'J'));
            let is_capital = matches!(key.code, KeyCode::Char('J' | 'K'));
            split.choice.step(is_down, is_capital || key.modifiers.contains(KeyModifiers::SHIFT));
            if let (Some(lines), Some(view)) = (split.choice.on_page(), reviews.view_mut(split.id)) {
                view.show_lines(&lines);
            }
        }
        _ => {}
    }
    None
}

fn request(split: &LineSplit, reviews: &Reviews) -> Option<(ReviewId, EditKind, Request)> {
    let LineSplit { id, revision, hunk, .. } = *split;
    // A choice of the whole change leaves nothing to split.
    let (side, lines) = split.choice.is_part().then(|| split.choice.lines())?;
    let before = reviews.view(id)?.review().hunks.len();
    let kind = EditKind::SplitLines { hunk, before, side, line: lines.start };
    Some((id, kind, Request::SplitHunk { id, revision, hunk, lines: Some(lines), side }))
}
