//! Keeping, dropping, splitting and undoing hunks in line mode.

use super::*;

#[tokio::test]
async fn a_person_keeps_one_change_drops_another_and_accepts() {
    let (home, mut desk, _agent, diff) = proposed("src/numbers.txt", ORIGINAL, PROPOSED).await;
    let file = home.in_project("src/numbers.txt");

    desk.answers_all(&["y", "n", "y", "a"]).await;
    let outcome = soon("the outcome", diff.outcome()).await;
    assert_eq!(outcome, accepted("one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nten\n"));
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), ORIGINAL, "the companion writes no file");
}

#[tokio::test]
async fn a_person_splits_a_change_and_takes_half_of_it() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "one\ntwo\nthree\n", "ONE\nTWO\nthree\n").await;
    desk.answers_all(&["s", "n", "y", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nTWO\nthree\n"));
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await);
}

#[tokio::test]
async fn undo_reverts_step_by_step_and_returns_to_each_change() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    // Keeping a kept change changes nothing, but undo still returns to that change.
    desk.answers_all(&["n", "y"]).await;
    let shown = desk.answers_all(&["u", "u", "u", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn undo_shows_the_change_that_another_desk_made() {
    let (home, mut first, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    first.answers_all_and_shows(&["j", "n"], "(3/3) keep").await;
    let mut second = home.review(&[]);
    second.answers_all(&["u"]).await;
    let undone = second.answers_all(&["a", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
    assert_snapshot!(home.stable(undone));
}

#[tokio::test]
async fn redo_makes_undone_steps_again_until_there_is_a_new_one() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    // Keeping a kept change changes nothing, but redo still goes to that change.
    desk.answers_all(&["n", "y", "u", "u"]).await;
    let shown = desk.answers_all(&["U", "U", "U", "a", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&PROPOSED.replace("TWO", "two")));
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn moving_decides_nothing_and_help_and_lists_are_printed() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all_and_shows(&["K", "j", "J", "K", "?", "l", "x", "z"], "Context is paused").await;
    desk.answers_all_and_shows(&["z"], "Context is on").await;
    desk.answers_all(&["r"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_snapshot!(home.dialogue(&mut desk, "is told.\n").await);
}

#[tokio::test]
async fn dropped_changes_are_listed_before_the_rest_is_accepted() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all(&["n", "a"]).await;
    let asked = "  dropped: numbers.txt:2 +TWO\n\
                 1 of 3 changes was not on the screen yet. Accept all the same (n shows the rest) [y,n]? ";
    desk.answers(asked, "n").await;
    desk.answers_all(&["n"]).await;
    let summary = "numbers.txt: 3 changes: 1 kept, 2 dropped.\n  dropped: numbers.txt:2 +TWO\n  \
                   dropped: numbers.txt:11 -nine\naccept, reject, or look again [a,r,b,e,u,?]? ";
    desk.answers(summary, "u").await;
    // After the undo, another change is dropped.
    desk.answers_all(&["a"]).await;
    desk.answers("numbers.txt:2 +TWO\nAccept without the change that you dropped [y,n]? ", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&PROPOSED.replace("TWO", "two")));
}

#[tokio::test]
async fn rejecting_asks_if_a_change_was_dropped() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all(&["n", "r"]).await;
    desk.answers("You dropped 1 of 3 changes. Reject the proposal [y,n]? ", "n").await;
    desk.answers_all(&["r"]).await;
    desk.answers("Reject the proposal [y,n]? ", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

/// An edit of the person between the proposed changes leaves no hunk when it is dropped.
#[tokio::test]
async fn dropping_an_edit_of_the_person_skips_no_hunk() {
    let home = Home::new();
    let desk = home.review_with_editor("sed -i s/seven/SEVEN/");
    let (mut desk, _agent, diff) = home.proposal(&home.file("numbers.txt", ORIGINAL), PROPOSED, desk).await;
    desk.answers_all_and_shows(&["e"], "Edit applied: 4 changes.").await;
    desk.answers_all(&["y", "y"]).await;
    let shown = desk.answers_all(&["n", "n", "a"]).await;
    let text = "one\nTWO\nthree\nfour\nfive\nnew a\nnew b\nsix\nseven\neight\nnine\nten\n";
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(text));
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn empty_and_unchanged_texts_are_refused_with_a_reason() {
    let home = Home::new();
    let desk = home.review_with_editor("truncate -s 0");
    let (mut desk, agent, diff) = home.proposal(&home.file("a.txt", "a\nb\n"), "a\nB\n", desk).await;
    desk.answers_all(&["n", "a", "e", "a", "", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("\n"));

    // The message offers to reject the proposal, so r is an answer too.
    let diff = propose(&agent, &home.in_project("new.txt"), "new\n").await;
    desk.answers_all(&["n", "a", "r"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_snapshot!(home.dialogue(&mut desk, "is told.\n").await);
}
