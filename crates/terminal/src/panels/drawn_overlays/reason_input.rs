//! Draws the input of a reason on the status line, with a prompt that names the change.

use alongside_desk::harmless;

use crate::overlays::reason_input::{ReasonEdit, ReasonInput, hint, known};
use crate::panels::drawn_state::DrawnState;
use crate::text::fit::cut_start;
use crate::text::width::columns;

/// The least columns for the text beside the hint. With fewer columns, the hint gets a row of its own.
const MIN_TEXT_COLUMNS: usize = 12;

/// The prompt before the text in a row of `width` columns, and the hint if it is in the row above.
fn prompt(drawn: &DrawnState<'_>, input: &ReasonInput, width: usize) -> (Option<&'static str>, String) {
    let Some(view) = drawn.reviews.view(input.id) else { return (None, "The review has ended. ".into()) };
    let prompt = input.prompt(view.review());
    match hint(view.review()) {
        Some(hint) if columns(&prompt) + columns(hint) + 1 + MIN_TEXT_COLUMNS > width => (Some(hint), prompt),
        Some(hint) => (None, format!("{prompt}{hint} ")),
        None => (None, prompt),
    }
}

/// The rows of the input. Of a long text, the end is shown.
pub(crate) fn rows(drawn: &DrawnState<'_>, input: &ReasonInput, width: usize) -> Vec<String> {
    let (hint, prompt) = prompt(drawn, input, width);
    let room = width.saturating_sub(columns(&prompt) + 1);
    let typed = format!("{prompt}{}", cut_start(&harmless::name(&input.text), room));
    hint.map(str::to_owned).into_iter().chain([typed]).collect()
}

/// The column behind the text.
pub(crate) fn cursor(drawn: &DrawnState<'_>, input: &ReasonInput, width: usize) -> usize {
    columns(&prompt(drawn, input, width).1) + columns(&harmless::name(&input.text))
}

/// The keys of the input.
pub(crate) fn keys(drawn: &DrawnState<'_>, input: &ReasonInput) -> Vec<(&'static str, &'static str)> {
    let Some(view) = drawn.reviews.view(input.id) else {
        return vec![("Enter", "keep it"), ("Esc", "cancel")];
    };
    let review = view.review();
    let confirm = match input.edit(review) {
        ReasonEdit::Removed if known(review, input.hunk(review)).is_some() => "remove it",
        ReasonEdit::Removed => "back",
        ReasonEdit::OfChangeToDrop { .. } => "drop it",
        ReasonEdit::OfAll | ReasonEdit::OfChange | ReasonEdit::Restored => "note it",
    };
    let other = if input.hunk(review).is_some() { "the whole proposal" } else { "this change" };
    let switch = input.can_switch().then_some(("Tab", other));
    [("Enter", confirm), ("Esc", "cancel")].into_iter().chain(switch).collect()
}
