//! Sentences that depend on numbers and texts.

use super::*;
use crate::review_model::review_for_tests as review;

#[test]
fn sizes_and_counts_follow_the_review() {
    let mut review = review();
    assert_eq!((size(&review), line_counts(&review)), ("1 change".into(), (1, 1)));
    assert_eq!(hunk_states(&review), "1 kept");
    review.hunks[0].state = HunkState::Dropped;
    assert_eq!((hunk_states(&review), line_counts(&review)), ("1 dropped".into(), (0, 0)));
    review.hunks.clear();
    review.original = None;
    assert_eq!((size(&review), line_counts(&review)), ("a new file".into(), (3, 0)));
    review.whole_file_only = Some("it is no text".into());
    assert_eq!(size(&review), "the whole file");
}

#[test]
fn a_text_without_a_place_is_in_the_message() {
    let said = text_kept("a", "the review has ended", Some("/d"), "x");
    assert_eq!(said, "a: the review has ended. Your text is in /d.");
    let said = text_kept("a", "the review has ended", None, "one\n\x1btwo");
    assert_eq!(said, "a: the review has ended. This is your text:\none\n\\x1btwo");
}

#[test]
fn a_refused_text_has_its_cause_and_its_remedy() {
    let said =
        "a: another desk changed the review while you edited. e opens your text again; a copy is in /d.";
    assert_eq!(text_refused("a", "/d"), said);
}

#[test]
fn reviews_stay_where_a_screen_shows_them() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(stays_open(1, &names(&["Neovim"]), true), "1 review stays open in Neovim.");
    assert_eq!(stays_open(2, &[], true), "2 reviews stay open.");
    let run = names(&["alongside run gemini"]);
    assert_eq!(stays_open(1, &run, false), "1 review still waits; `alongside` opens it again.");
    assert_eq!(stays_open(2, &run, false), "2 reviews still wait; `alongside` opens them again.");
}

#[test]
fn a_split_counts_the_parts() {
    assert_eq!(split(1, 2), "Split into 2 changes.");
    assert_eq!(edit_taken(1), "Edit applied: 1 change.");
}
