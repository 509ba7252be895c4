//! The prompts of line mode, and its answers to lines that are no valid command.

use std::path::PathBuf;

use alongside_desk::review_model::{OpenReview, Question};
use alongside_desk::{HunkState, Review, harmless, messages};

use super::letters::{self, At, Command};

/// Returns the prompt of a question: its text, and the letters of the replies. `about`: the review on which
/// it was asked, and the companion's roots; `waiting`: the number of reviews that wait; `keeps_drafts`:
/// whether edits outlive the desk.
pub(super) fn question(
    question: Question,
    about: Option<(&Review, &[PathBuf])>,
    waiting: usize,
    keeps_drafts: bool,
) -> String {
    let text = question.text(about, waiting, keeps_drafts);
    match question {
        // The reply `n` also shows the unseen part.
        Question::AcceptUnseen(_) => {
            format!("{} (n shows the rest) {}", text.trim_end_matches('?'), replies(question))
        }
        // The letters of this question need an explanation.
        Question::AcceptAhead => {
            let choices: Vec<_> =
                question.choices().iter().map(|(letter, what)| format!("{letter} {what}")).collect();
            format!("{text} {} {}", choices.join(", "), replies(question))
        }
        _ => format!("{} {}", text.trim_end_matches('?'), replies(question)),
    }
}

/// Returns the letters of a question's replies, as in `[y,n]?`.
fn replies(question: Question) -> String {
    let letters: Vec<_> = question.choices().iter().map(|(letter, _)| *letter).collect();
    format!("[{}]?", letters.join(","))
}

/// Returns the request to answer a question with one of its letters.
pub(super) fn invalid_reply(question: Question) -> String {
    format!("Type one of {} and Enter.", replies(question).trim_end_matches('?'))
}

/// Returns the prompt at the person's place in a review. `is_kept`: the person has kept the change by a
/// letter. `has_more`: another page of the change follows.
pub(super) fn place(open: &OpenReview, is_kept: bool, has_more: bool) -> String {
    let (review, at) = (open.review(), At::of(open));
    let omit_if = |command: Command, is_omitted: bool| is_omitted.then_some(command);
    let omitted = [omit_if(Command::Reason, review.reasons.are_lost()), omit_if(Command::More, !has_more)];
    let letters = letters::prompt(at, &omitted.into_iter().flatten().collect::<Vec<_>>());
    let Some(hunk) = review.hunks.get(open.hunk()) else {
        let action = if at == At::Whole { "accept or reject" } else { "accept, reject, or look again" };
        return format!("{action} {letters}");
    };
    let action = match hunk.state {
        HunkState::Edited => "keep this change as you edited it",
        HunkState::Dropped => "dropped",
        HunkState::Kept if is_kept => "kept",
        HunkState::Kept => "keep this change",
    };
    format!("({}/{}) {action} {letters}", open.hunk() + 1, review.hunks.len())
}

/// Returns the known reason, or how to type one. `at_hunk`: the reason is for one change.
pub(super) fn reason(known: Option<&str>, at_hunk: bool) -> String {
    let subject = if at_hunk { "this change" } else { "the whole proposal" };
    let consequence = if at_hunk { "; the change is dropped" } else { "" };
    match known {
        Some(known) => {
            let shown = messages::reason_in_one_line(known);
            let shown = harmless::name(&shown);
            format!(
                "Your reason for {subject}: {shown}\nType R and another text to replace it, R - to remove it."
            )
        }
        None => format!("Type R and your reason for {subject}{consequence}. The agent's model reads it."),
    }
}

/// The text that removes a reason.
pub(super) const REMOVE_REASON: &str = "-";

/// The answer to a reason that the companion has refused.
pub(super) const REASON_COMES_BACK: &str =
    "The companion has not taken your reason. Type R to send it again.";

/// The answer to the removal of a reason that the companion has refused.
pub(super) const REASON_NOT_REMOVED: &str =
    "The companion has not taken the removal. Type R - to send it again.";

/// The line at a terminal while no review waits.
pub(super) const NOTHING_WAITS: &str = "Nothing to review. (l list, z pause context, ? help, q quit)";

/// The answer to a line with an arrow key, or another key without a letter.
pub(super) const KEY_WITHOUT_LETTER: &str =
    "Ignored: an arrow or another key without a letter is in that line.";

/// The answer to `m` if the change has no further page.
pub(super) const NO_NEXT_PAGE: &str = "This change has no further page.";

/// Returns the index of the change with this number, of `count` changes, or the answer to a wrong number.
pub(super) fn index_of(number: &str, count: usize) -> Result<usize, String> {
    let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    index
        .filter(|index| *index < count)
        .ok_or_else(|| format!("Type g and the number of a change, from 1 to {count}."))
}

/// The answer to a first search without a text.
pub(super) const NO_SEARCH_TEXT: &str = "Type / and the text to look for.";

/// Returns the answer to a search for a text that no change contains.
pub(super) fn not_found(text: &str) -> String {
    format!("No change contains {:?}.", harmless::name(text))
}

/// Returns the answer to a search in a turn review that found an earlier change.
pub(super) fn found_earlier(text: &str) -> String {
    format!("No later change contains {:?}; this one does.", harmless::name(text))
}

/// Returns the answer to a search in a proposal: the number of the match, counted from 1, and the number of
/// all matches. `is_earlier`: the match is an earlier change.
pub(super) fn found(text: &str, (number, all): (usize, usize), is_earlier: bool) -> String {
    match is_earlier {
        true => format!("No later change contains {:?}: match {number} of {all}.", harmless::name(text)),
        false => format!("Match {number} of {all}."),
    }
}

/// The answer if everything was printed except the end of a long line.
pub(super) const ONLY_CUT: &str = "Everything was printed except the end of a long line; e shows it.";

/// Returns the answer to a step that has kept or dropped all changes from one on. `changes`: their indexes.
pub(super) fn rest_decided(changes: std::ops::Range<usize>, keep: bool) -> String {
    let state = if keep { "kept" } else { "dropped" };
    let (first, last) = (changes.start + 1, changes.end);
    match last.saturating_sub(first) {
        0 => format!("Change {first} {state}; u undoes that."),
        1 => format!("Changes {first} and {last} {state}; u undoes that."),
        _ => format!("Changes {first} to {last} {state}; u undoes that."),
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Hunk, Reasons};

    use super::*;

    #[test]
    fn the_letter_for_a_reason_shows_the_known_one_or_explains_it() {
        let said = reason(Some("not this\nnor\x1b that"), true);
        let shown = "Your reason for this change: not this; nor\\x1b that\n\
                     Type R and another text to replace it, R - to remove it.";
        assert_eq!(said, shown);
        let how = "Type R and your reason for the whole proposal. The agent's model reads it.";
        assert_eq!(reason(None, false), how);
    }

    #[test]
    fn a_prompt_offers_a_reason_where_the_model_reads_it() {
        let review = |reasons| Review { reasons, ..Review::default() };
        let prompt = |reasons| place(&OpenReview::new(review(reasons)), false, false);
        assert_eq!(prompt(Reasons::Never), "accept, reject, or look again [a,r,b,e,u,?]?");
        assert_eq!(prompt(Reasons::Always), "accept, reject, or look again [a,r,R,b,e,u,?]?");
        let mut whole = review(Reasons::Never);
        whole.whole_file_only = Some("it is no text".into());
        assert_eq!(place(&OpenReview::new(whole), false, true), "accept or reject [m,a,r,?]?");
    }

    #[test]
    fn a_prompt_names_the_state_of_the_change() {
        let prompt = |state, is_kept| {
            let hunks = vec![Hunk { state, ..Hunk::default() }];
            let prompt = place(&OpenReview::new(Review { hunks, ..Review::default() }), is_kept, false);
            prompt.split(" [").next().unwrap().to_owned()
        };
        assert_eq!(prompt(HunkState::Kept, false), "(1/1) keep this change");
        assert_eq!(prompt(HunkState::Kept, true), "(1/1) kept");
        assert_eq!(prompt(HunkState::Dropped, true), "(1/1) dropped");
        assert_eq!(prompt(HunkState::Edited, true), "(1/1) keep this change as you edited it");
    }

    #[test]
    fn the_question_of_accepting_ahead_explains_its_letters() {
        let asked = question(Question::AcceptAhead, None, 1, false);
        assert!(asked.ends_with("? f this file, d its folder, n no [f,d,n]?"), "{asked}");
    }
}
