//! The line desk's prompts, and its answers to lines that it cannot carry out.

use std::path::PathBuf;

use alongside_desk::review_model::{OpenReview, Question};
use alongside_desk::{HunkState, Review, harmless, messages};

use super::letters::{self, At, Command};

/// The prompt of a question: its words, and the letters of the replies.
pub(super) fn question(
    question: Question,
    about: Option<(&Review, &[PathBuf])>,
    waiting: usize,
    keeps_drafts: bool,
) -> String {
    let text = question.text(about, waiting, keeps_drafts);
    match question {
        // A no has an answer of its own.
        Question::AcceptUnseen(_) => {
            format!("{} (n shows the rest) {}", text.trim_end_matches('?'), replies(question))
        }
        // Its letters say nothing by themselves.
        Question::AcceptAhead => {
            let choices: Vec<_> =
                question.choices().iter().map(|(letter, what)| format!("{letter} {what}")).collect();
            format!("{text} {} {}", choices.join(", "), replies(question))
        }
        _ => format!("{} {}", text.trim_end_matches('?'), replies(question)),
    }
}

/// The letters of a question's replies: `[y,n]?`.
fn replies(question: Question) -> String {
    let letters: Vec<_> = question.choices().iter().map(|(letter, _)| *letter).collect();
    format!("[{}]?", letters.join(","))
}

/// The request to answer a question with one of its letters.
pub(super) fn only(question: Question) -> String {
    format!("Type one of {} and Enter.", replies(question).trim_end_matches('?'))
}

/// The prompt at the person's place in a review. `is_kept`: they have kept the change there by a letter;
/// `has_more`: only a part of the place is printed.
pub(super) fn place(open: &OpenReview, is_kept: bool, has_more: bool) -> String {
    let (review, at) = (open.review(), At::of(open));
    let without = |command: Command, is_left_out: bool| is_left_out.then_some(command);
    let left_out = [without(Command::Reason, review.reasons.are_lost()), without(Command::More, !has_more)];
    let letters = letters::prompt(at, &left_out.into_iter().flatten().collect::<Vec<_>>());
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

/// The reason that is noted, and the way to note one. `at_hunk`: for one change.
pub(super) fn reason(known: Option<&str>, at_hunk: bool) -> String {
    let what = if at_hunk { "this change" } else { "the whole proposal" };
    let drops = if at_hunk { "; the change is dropped" } else { "" };
    match known {
        Some(known) => {
            let shown = messages::reason_in_one_line(known);
            let shown = harmless::name(&shown);
            format!(
                "Your reason for {what}: {shown}\nType R and another text to replace it, R - to remove it."
            )
        }
        None => format!("Type R and your reason for {what}{drops}. The agent's model reads it."),
    }
}

/// The text in place of a reason that removes one.
pub(super) const REMOVE: &str = "-";

/// The companion did not take a reason.
pub(super) const REASON_COMES_BACK: &str = "Your reason is kept: R alone gives it again.";

/// Why a reason is in the drafts.
pub(super) const REASON_UNSENT: &str = "the desk was closed before this reason was taken";

/// Shown at a terminal while no review waits.
pub(super) const NOTHING_WAITS: &str = "Nothing to review. (l list, z pause context, ? help, q quit)";

/// The answer to a line with an arrow key, or another one that sends no letter.
pub(super) const NO_LETTER: &str = "Ignored: an arrow or another key without a letter is in that line.";

/// The answer to `m` where all of a change is printed already.
pub(super) const NO_MORE: &str = "Nothing more follows here.";

/// The index of the change that a person names by its number, among so many; or the answer that it is none.
pub(super) fn numbered(number: &str, changes: usize) -> Result<usize, String> {
    let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    index
        .filter(|index| *index < changes)
        .ok_or_else(|| format!("Type g and the number of a change, from 1 to {changes}."))
}

/// The answer to a search without a text, if nothing was searched for before.
pub(super) const NO_TEXT: &str = "Type / and the text to look for.";

/// The answer to a search for a text that no change contains.
pub(super) fn not_found(text: &str) -> String {
    format!("No change contains {:?}.", harmless::name(text))
}

/// The answer to a search that went on from the first change.
pub(super) fn found_before(text: &str) -> String {
    format!("No later change contains {:?}; this one does.", harmless::name(text))
}

/// The answer to a search: the number of the change among those with the text, counted from 1, and how many
/// those are. `is_before`: the search went on from the first change.
pub(super) fn found(text: &str, (number, all): (usize, usize), is_before: bool) -> String {
    match is_before {
        true => format!("No later change contains {:?}: match {number} of {all}.", harmless::name(text)),
        false => format!("Match {number} of {all}."),
    }
}

/// The answer where all lines were printed, but those that are too long only in part.
pub(super) const ONLY_CUT: &str = "All of it was printed but the end of a line that is too long; e shows it.";

/// The answer to a step that has kept or dropped a change and all behind it: these changes, by their indexes.
pub(super) fn rest_decided(changes: std::ops::Range<usize>, keep: bool) -> String {
    let done = if keep { "kept" } else { "dropped" };
    let (first, last) = (changes.start + 1, changes.end);
    match last.saturating_sub(first) {
        0 => format!("Change {first} {done}; u undoes that."),
        1 => format!("Changes {first} and {last} {done}; u undoes that."),
        _ => format!("Changes {first} to {last} {done}; u undoes that."),
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Hunk, Reasons};

    use super::*;

    #[test]
    fn a_reason_alone_is_shown_harmless_or_explained() {
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
    fn a_prompt_says_what_is_decided() {
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
    fn the_letters_for_a_file_and_its_folder_say_so() {
        let asked = question(Question::AcceptAhead, None, 1, false);
        assert!(asked.ends_with("? f this file, d its folder, n no [f,d,n]?"), "{asked}");
    }
}
