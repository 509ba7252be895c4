//! The line desk's prompts and helps: which letters the person can type, and their meaning.

use std::path::PathBuf;

use alongside_desk::review_model::{OpenReview, Question};
use alongside_desk::{HunkState, Review, harmless, messages};

/// The prompt of a question: its words, and the letters of the replies.
pub(super) fn question(
    question: Question,
    about: Option<(&Review, &[PathBuf])>,
    waiting: usize,
    keeps_drafts: bool,
) -> String {
    let text = question.text(about, waiting, keeps_drafts);
    format!("{} {}", text.trim_end_matches('?'), letters(question))
}

/// The letters of a question's replies: `[y,n]?`.
fn letters(question: Question) -> String {
    let letters: Vec<_> = question.choices().iter().map(|(letter, _)| *letter).collect();
    format!("[{}]?", letters.join(","))
}

/// The request to answer a question with one of its letters.
pub(super) fn only(question: Question) -> String {
    format!("Type one of {} and Enter.", letters(question).trim_end_matches('?'))
}

/// The prompt at the person's place in a review.
pub(super) fn place(open: &OpenReview) -> String {
    let (review, hunk) = (open.review(), open.hunk());
    let why = if review.reasons.are_lost() { "" } else { "R," };
    if review.whole_file_only.is_some() {
        return format!("accept or reject [a,r,{why}?]?");
    }
    let Some(state) = review.hunks.get(hunk).map(|hunk| hunk.state) else {
        return format!("accept, reject, or look again [a,r,{why}b,e,u,?]?");
    };
    let action = match state {
        HunkState::Edited => "keep this change as you edited it",
        HunkState::Kept | HunkState::Dropped => "keep this change",
    };
    format!("({}/{}) {action} [k,d,s,e,a,r,{why}u,?]?", hunk + 1, review.hunks.len())
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

/// The reason behind `R`: empty if that stands alone.
pub(super) fn reason_in(line: &str) -> Option<&str> {
    let (command, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    matches!(command, "R" | "reason").then_some(text.trim())
}

/// Whether a line means something while no review waits.
pub(super) fn needs_no_review(line: &str) -> bool {
    matches!(line, "l" | "L" | "p" | "q" | "?" | "" | "f -") || accepted_in(line).is_some()
}

/// The number behind `L`, of a change that a rule has accepted.
pub(super) fn accepted_in(line: &str) -> Option<usize> {
    line.strip_prefix("L ")?.trim().parse().ok()
}

/// The help at a hunk.
pub(super) const AT_A_HUNK: &str = "\
Type one of these, then Enter:
k  keep this change, as edited if it was (also: y)
d  drop it: the file's own lines stay (also: n)
s  split it into smaller changes
e  edit the whole text in your editor, at this place
a  accept the file as it stands now
r  reject the whole proposal
R  drop this change and say why, for the agent's model: R and a text (R alone shows it)
A  accept all reviews that you have seen, after one list of them
f  take all that this agent still proposes, for this file or its folder; f - takes that back
u  undo the last step; U redoes it
j  next change, without deciding (also: J)
K  previous change
b  the first change
l  list the waiting reviews; a number goes to that one
L  list what was accepted without you; L 1 shows the first
p  pause or resume context: agents learn about your files
q  quit, also Ctrl-D; asks first if that rejects waiting reviews
?  this help
Nothing is accepted before you type a, A or f; keeping and dropping only change the text.";

/// The help at the end of a review.
pub(super) const AT_THE_END: &str = "\
a  accept the file as it stands now: the agent writes it
r  reject the whole proposal
R  say why, for the agent's model: R and a text, and then a or r (R alone shows it)
A  accept all reviews that you have seen, after one list of them
f  take all that this agent still proposes, for this file or its folder; f - takes that back
b  look again from the first change (K goes to the last one)
e  edit the whole text in your editor
u  undo the last step; U redoes it
l  list the waiting reviews; a number goes to that one
L  list what was accepted without you; L 1 shows the first
p  pause or resume context: agents learn about your files
q  quit; asks first if that rejects waiting reviews
?  this help";

/// Shown at a terminal while no review waits.
pub(super) const NOTHING_WAITS: &str = "Nothing to review. (l list, p pause context, ? help, q quit)";

/// The help while no review waits.
pub(super) const IDLE: &str = "\
Reviews appear here as soon as an agent proposes a change.
l  list the waiting reviews, and the agents
L  list what was accepted without you; L 1 shows the first
p  pause or resume context: agents learn about your files
q  quit
?  this help";

#[cfg(test)]
mod tests {
    use alongside_desk::Reasons;

    use super::*;

    #[test]
    fn the_help_names_every_letter_that_accepts() {
        let rows = AT_A_HUNK.lines().filter_map(|row| row.split_once("  accept "));
        let letters: Vec<_> = rows.map(|(letter, _)| letter).collect();
        let said = format!("Nothing is accepted before you type {} or f;", letters.join(", "));
        assert!(AT_A_HUNK.contains(&said), "{said}");
    }

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
        let prompt = |reasons| place(&OpenReview::new(review(reasons)));
        assert_eq!(prompt(Reasons::Never), "accept, reject, or look again [a,r,b,e,u,?]?");
        assert_eq!(prompt(Reasons::Always), "accept, reject, or look again [a,r,R,b,e,u,?]?");
    }

    #[test]
    fn every_letter_of_the_help_stands_in_the_readme() {
        let readme = include_str!("../../../../README.md");
        let (_, letters) = readme.split_once("| letter | action |").unwrap();
        let (letters, _) = letters.split_once("\n\n").unwrap();
        let rows = [AT_A_HUNK, AT_THE_END, IDLE].into_iter().flat_map(str::lines);
        for letter in rows.filter_map(|row| row.split_once("  ").map(|(letter, _)| letter)) {
            assert!(letters.contains(&format!("`{letter}`")), "{letter}");
        }
    }

    #[test]
    fn every_letter_of_the_readme_stands_in_the_help_at_a_hunk() {
        let readme = include_str!("../../../../README.md");
        let (_, letters) = readme.split_once("| letter | action |").unwrap();
        let (letters, _) = letters.split_once("\n\n").unwrap();
        for letter in letters.split('`').skip(1).step_by(2).filter(|letter| letter.chars().count() == 1) {
            let is_named = |row: &str| {
                row.starts_with(&format!("{letter}  "))
                    || row.contains(&format!("(also: {letter})"))
                    || row.contains(&format!("; {letter} redoes it"))
            };
            assert!(AT_A_HUNK.lines().any(is_named), "{letter}");
        }
    }

    #[test]
    fn a_reason_is_the_text_behind_its_letter() {
        assert_eq!(reason_in("R too early "), Some("too early"));
        assert_eq!(reason_in("reason\tno"), Some("no"));
        assert_eq!(reason_in("R"), Some(""));
        assert_eq!(reason_in("Rtoo early"), None);
        assert_eq!(reason_in("r too early"), None, "a rejection takes no text");
    }
}
