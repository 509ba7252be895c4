//! The texts by which an agent's model learns of a decision. They name the changes that the person dropped or
//! rewrote, and the reasons.

use std::fmt::Write as _;

use alongside_desk::{ChangeKind, Closing, Hunk, HunkState, Lines, Review, Text};

/// The largest number of changes that are listed one by one.
const MAX_LISTED: usize = 50;
/// The largest number of characters of a line that identifies its change.
const MAX_QUOTED: usize = 80;

/// Returns the text about an accepted review; `None` if the agent's own text was accepted without reasons.
pub(crate) fn acceptance(review: &Review) -> Option<String> {
    if !review.is_edited() && review.reason.is_none() && review.hunks.iter().all(|hunk| hunk.reason.is_none())
    {
        return None;
    }
    let count = |state| review.hunks.iter().filter(|hunk| hunk.state == state).count();
    let (dropped, edited) = (count(HunkState::Dropped), count(HunkState::Edited));
    let kept = review.hunks.len().saturating_sub(dropped + edited);
    let parts = [(kept, "kept"), (dropped, "dropped"), (edited, "rewrote")];
    let parts: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, did)| format!("{did} {n}")).collect();
    let mut words = match review.hunks.len() {
        _ if !review.is_edited() => "The person accepted this change.".to_owned(),
        _ if review.kind == Some(ChangeKind::Move) && kept + edited == 0 => {
            "The person accepted the move without its changes to the text.".to_owned()
        }
        0 | 1 => "The person rewrote this change.".to_owned(),
        all => format!("The person reviewed the {all} changes in this edit: {}.", parts.join(", ")),
    };
    let did = |hunk: &Hunk| match hunk.state {
        HunkState::Kept => hunk.reason.is_some().then_some("Kept"),
        HunkState::Dropped => Some("Dropped"),
        HunkState::Edited => Some("Rewritten"),
    };
    add_reasons(&mut words, review, did);
    Some(words)
}

/// Returns the text about a rejected review.
pub(crate) fn rejection(review: &Review) -> String {
    let mut words = "The person reviewed this change and rejected all of it.".to_owned();
    add_reasons(&mut words, review, |hunk| hunk.reason.is_some().then_some("Rejected"));
    words
}

/// Returns the text about a review that ended without a decision.
pub(crate) fn undecided(closing: Closing) -> &'static str {
    match closing {
        Closing::Replaced => "A newer proposal for the same file has replaced this one.",
        Closing::TimedOut => "The person has not decided on this change in time.",
        _ => "The review of this change was broken off before the person decided.",
    }
}

/// Returns the reasons alone, for the draft of a review whose agent does not get them; empty without reasons.
pub(super) fn reasons(review: &Review) -> String {
    let mut words = String::new();
    if review.reason.is_some() || review.hunks.iter().any(|hunk| hunk.reason.is_some()) {
        add_reasons(&mut words, review, |hunk| hunk.reason.is_some().then_some("For"));
    }
    words.trim().to_owned()
}

/// Adds the reason for the review, and the changes for which `did` has a word.
fn add_reasons(words: &mut String, review: &Review, did: impl Fn(&Hunk) -> Option<&'static str>) {
    if let Some(reason) = &review.reason {
        let _ = write!(words, " Reason: {reason}");
    }
    let listed: Vec<_> = review.hunks.iter().filter_map(|hunk| Some((hunk, did(hunk)?))).collect();
    let [original, proposed, current] =
        [review.original.clone().unwrap_or_default(), review.proposed.clone(), review.current.clone()]
            .map(Text::new);
    for (hunk, did) in listed.iter().take(MAX_LISTED) {
        let _ = match (hunk.proposed.is_empty(), hunk.original.is_empty()) {
            (false, _) => write!(words, "\n- {did}: {}", quote(&proposed, hunk.proposed)),
            (true, false) => write!(words, "\n- {did}: the removal of {}", quote(&original, hunk.original)),
            // Only the person's text has lines at this place.
            (true, true) => {
                write!(words, "\n- {did}: {}, which the person added", quote(&current, hunk.current))
            }
        };
        if let Some(reason) = &hunk.reason {
            let _ = write!(words, ". Reason: {reason}");
        }
    }
    if let Some(more @ 1..) = listed.len().checked_sub(MAX_LISTED) {
        let _ = write!(words, "\n- and {more} more");
    }
}

/// Returns the 1-based number of the first line, and its text.
fn quote(text: &Text, lines: Lines) -> String {
    let line = text.lines(lines.start..lines.start + 1).trim();
    let short: String = line.chars().take(MAX_QUOTED).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    match lines.len() {
        0 | 1 => format!("line {} (`{short}{more}`)", lines.start + 1),
        _ => format!("lines {} to {} (`{short}{more}` …)", lines.start + 1, lines.end),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use alongside_desk::Change;

    use super::*;
    use crate::reviews::diff::composition::Composition;

    const ORIGINAL: &str = "a\nb\nc\nd\ne\nf\ng\nh\n";
    const PROPOSED: &str = "A\nb\nc\nD\ne\nf\nG\n";

    /// Three changes, of which some are dropped.
    fn review(dropped: &[usize], reason: Option<&str>) -> Review {
        let mut composition = Composition::new(Arc::from(ORIGINAL), Arc::from(PROPOSED));
        composition.keep(dropped, false).unwrap();
        let (current, hunks) = (composition.current().clone(), composition.hunks());
        let (original, proposed) = (Some(ORIGINAL.into()), PROPOSED.into());
        Review { original, proposed, current, hunks, reason: reason.map(str::to_owned), ..Review::default() }
    }

    #[test]
    fn the_model_reads_which_changes_were_dropped_and_why() {
        let mut review = review(&[1], Some("only what I asked for"));
        review.hunks[1].reason = Some("D is public".into());
        assert_eq!(
            acceptance(&review).unwrap(),
            "The person reviewed the 3 changes in this edit: kept 2, dropped 1. Reason: only what I asked \
             for\n- Dropped: line 4 (`D`). Reason: D is public"
        );
    }

    #[test]
    fn the_model_reads_no_removal_of_lines_that_only_the_person_wrote() {
        let mut composition = Composition::new(Arc::from("a\nb\n"), Arc::from("A\nb\n"));
        composition.edit(&[Change { range: None, text: "A\nb\nmine\n".into() }]).unwrap();
        let (current, hunks) = (composition.current().clone(), composition.hunks());
        let (original, proposed) = (Some("a\nb\n".into()), "A\nb\n".into());
        let mut review = Review { original, proposed, current, hunks, ..Review::default() };
        review.hunks[1].reason = Some("a last word".into());
        assert_eq!(
            acceptance(&review).unwrap(),
            "The person reviewed the 2 changes in this edit: kept 1, rewrote 1.\n- Rewritten: line 3 \
             (`mine`), which the person added. Reason: a last word"
        );
    }

    #[test]
    fn the_model_reads_that_the_changes_of_a_move_were_dropped() {
        let dropped = Review { kind: Some(ChangeKind::Move), ..review(&[0, 1, 2], None) };
        let message = acceptance(&dropped).unwrap();
        assert!(
            message.starts_with("The person accepted the move without its changes to the text.\n- Dropped")
        );
    }

    #[test]
    fn an_acceptance_without_a_change_or_a_reason_has_no_text() {
        assert_eq!(acceptance(&review(&[], None)), None);
        let message = acceptance(&review(&[], Some("good")));
        assert_eq!(message.unwrap(), "The person accepted this change. Reason: good");
    }

    #[test]
    fn a_rejection_names_only_the_changes_with_a_reason() {
        let mut review = review(&[], None);
        assert_eq!(rejection(&review), "The person reviewed this change and rejected all of it.");
        review.hunks[2].reason = Some("h stays".into());
        assert!(
            rejection(&review).ends_with("of it.\n- Rejected: line 7 (`G`). Reason: h stays"),
            "{review:?}"
        );
    }
}
