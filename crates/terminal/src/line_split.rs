//! Lines of a change that the person chooses, to decide them apart: the change is split around them.

use alongside_desk::{Request, ReviewId, Side};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::line_choice::LineChoice;
use crate::output::Output;
use crate::overlays::Overlay;
use crate::pending_edit::EditKind;
use crate::review_page::PageLines;
use crate::review_view::ReviewView;
use crate::reviews::Reviews;

/// See the module.
#[derive(Debug)]
pub(crate) struct LineSplit {
    id: ReviewId,
    /// The revision whose lines these are.
    revision: u64,
    hunk: usize,
    choice: LineChoice,
}

impl LineSplit {
    /// The words on the status line.
    pub(crate) fn prompt(&self) -> String {
        format!("A change of its own: {}", self.choice.words())
    }

    /// The keys of the choice.
    pub(crate) fn keys() -> Vec<(&'static str, &'static str)> {
        vec![("Enter", "split"), ("Esc", "back"), ("j/k", "line"), ("J/K", "more lines")]
    }

    pub(crate) fn on_page(&self) -> Option<PageLines> {
        self.choice.on_page()
    }

    fn request(self, reviews: &Reviews) -> Option<(ReviewId, EditKind, Request)> {
        let Self { id, revision, hunk, choice } = self;
        let before = reviews.view(id)?.review().hunks.len();
        let (side, lines) = choice.lines();
        let kind = EditKind::SplitLines { hunk, before, side, line: lines.start };
        Some((id, kind, Request::SplitHunk { id, revision, hunk, lines: Some(lines), side }))
    }
}

/// Lets the person choose lines of the change where they are.
pub(crate) fn open(view: &mut ReviewView, out: &mut Output) {
    let (id, revision, hunk) = (view.review().id, view.meant_revision(), view.hunk());
    let Some(mut choice) = view.review().hunks.get(hunk).and_then(LineChoice::of) else { return };
    choice.step(true, false);
    let split = LineSplit { id, revision, hunk, choice };
    if let Some(lines) = split.on_page() {
        view.show_lines(&lines);
    }
    out.overlays.open(Overlay::Lines(split));
}

/// Takes a key while the person chooses lines. `counts`: whether the key can mean what is on the screen.
/// Returns the change to ask for.
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
            if let Some(Overlay::Lines(split)) = out.close_input()
                && split.choice.is_part()
            {
                return split.request(reviews);
            }
        }
        KeyCode::Esc | KeyCode::Char('V' | 'q') => drop(out.close_input()),
        KeyCode::Down | KeyCode::Up | KeyCode::Char('j' | 'k' | 'J' | 'K') => {
            let is_down = matches!(key.code, KeyCode::Down | KeyCode::Char('j' | 'J'));
            let is_capital = matches!(key.code, KeyCode::Char('J' | 'K'));
            split.choice.step(is_down, is_capital || key.modifiers.contains(KeyModifiers::SHIFT));
            if let (Some(lines), Some(view)) = (split.on_page(), reviews.view_mut(split.id)) {
                view.show_lines(&lines);
            }
        }
        _ => {}
    }
    None
}

/// The hunk that begins with a line, or holds it.
pub(crate) fn hunk_of(view: &ReviewView, side: Side, line: usize) -> Option<usize> {
    view.review().hunks.iter().position(|hunk| {
        let lines = if side == Side::Old { hunk.original } else { hunk.proposed };
        (lines.start..lines.end).contains(&line)
    })
}
