//! The keys that scroll the review on the screen, change how it is shown, or go to another change of it. They
//! wait for no companion.

use alongside_desk::{harmless, messages};

use super::Reviews;
use crate::keys::{Action, DeskMode};
use crate::output::{Effect, Output};
use crate::review_page::ReviewKind;
use crate::words::messages::{ALL_CONTEXT, LEAST_CONTEXT, NO_CHANGE_HERE, SIDEWAYS, context_lines};
use crate::words::turn_words;

/// The columns that a key scrolls to the side.
const SIDEWAYS_COLUMNS: usize = 8;

/// Scrolls the review on the screen, or changes how it is shown.
pub(crate) fn scroll(reviews: &mut Reviews, action: Action, out: &mut Output) {
    if action == Action::CopyPath {
        return copy_path(reviews, out);
    }
    let Some(view) = reviews.current_mut() else { return };
    let end = isize::MAX / 2;
    match action {
        Action::NextHunk if !view.next_hunk() => out.say(match view.kind() {
            ReviewKind::Proposal => "This is the last change.",
            ReviewKind::TurnFile => turn_words::LAST_CHANGE,
        }),
        Action::PreviousHunk if !view.previous_hunk() => out.say(messages::FIRST_CHANGE),
        Action::PageDown => _ = view.scroll(view.full_screen()),
        Action::PageUp => _ = view.scroll(-view.full_screen()),
        Action::HalfDown => _ = view.scroll(view.half_screen()),
        Action::HalfUp => _ = view.scroll(-view.half_screen()),
        Action::Top => _ = view.scroll(-end),
        Action::Bottom => _ = view.scroll(end),
        Action::Left => view.sideways = view.sideways.saturating_sub(SIDEWAYS_COLUMNS),
        Action::Straight => view.sideways = 0,
        Action::Right => {
            if view.is_at_changes() {
                out.say(SIDEWAYS);
            }
            view.sideways += SIDEWAYS_COLUMNS;
        }
        Action::MoreContext | Action::LessContext => {
            out.say(match view.change_context(action == Action::MoreContext) {
                Some(lines) => context_lines(lines),
                None if action == Action::MoreContext => ALL_CONTEXT.to_owned(),
                None => LEAST_CONTEXT.to_owned(),
            });
        }
        Action::Open if !view.toggle_nearest_fold() => out.say("There is no fold here."),
        _ => {}
    }
}

/// Goes `number` changes on or back, or to the change with this number. A number that is too large goes to
/// the first or last change, with a message.
pub(crate) fn go_to_change(reviews: &mut Reviews, action: Action, number: usize, out: &mut Output) {
    let Some(view) = reviews.current_mut() else { return };
    let (hunk, hunks) = (view.hunk(), view.review().hunks.len());
    let Some(last) = hunks.checked_sub(1) else { return out.say(NO_CHANGE_HERE) };
    let wanted = match action {
        Action::NextHunk => hunk.checked_add(number),
        Action::PreviousHunk => hunk.checked_sub(number),
        _ => number.checked_sub(1),
    };
    let end = if action == Action::PreviousHunk { 0 } else { last };
    let reached = wanted.filter(|wanted| *wanted <= last);
    view.go_to_hunk(reached.unwrap_or(end));
    if reached.is_none() {
        out.say(format!("There {} {}.", if hunks == 1 { "is" } else { "are" }, messages::changes(hunks)));
    }
}

fn copy_path(reviews: &Reviews, out: &mut Output) {
    let file = match reviews.mode() {
        DeskMode::Proposals => reviews.current().map(|view| view.review().file.clone()),
        DeskMode::Turn => reviews.turn().path(),
    };
    if let Some(file) = file {
        out.say(format!("Copied, if your terminal allows it: {}", harmless::name(&file)));
        out.add_effect(Effect::Copy(file));
    }
}
