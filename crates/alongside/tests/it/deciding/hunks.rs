//! Keeping, dropping, splitting and undoing hunks in line mode.

use super::*;

#[tokio::test]
async fn a_person_keeps_one_change_drops_another_and_accepts() {
    let (home, mut desk, _agent, diff) = proposed("src/numbers.txt", ORIGINAL, PROPOSED).await;
    let file = home.in_project("src/numbers.txt");

    let first = desk.answers(HUNK, "k").await;
    assert!(first.contains("src/numbers.txt: Gemini CLI proposes 3 changes (+3 -2)\n"), "{first}");
    assert!(first.ends_with(
        "@@ -1,5 +1,5 @@\n one\n-two\n+TWO\n three\n four\n five\n(1/3) keep this change [k,d,s,e,a,r,u,?]?"
    ), "{first}");
    let second = desk.answers(HUNK, "d").await;
    assert!(
        second.contains("@@ -3,6 +3,8 @@\n three\n four\n five\n+new a\n+new b\n six\n seven\n eight\n(2/3)"),
        "{second}"
    );
    desk.answers(HUNK, "k").await;
    let summary = desk.answers(END, "a").await;
    assert!(summary.contains("src/numbers.txt: 3 changes: 2 kept, 1 dropped.\n"), "{summary}");

    let outcome = soon("the outcome", diff.outcome()).await;
    assert_eq!(outcome, accepted("one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nten\n"));
    desk.shows("src/numbers.txt: accepted; Gemini CLI writes it.").await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), ORIGINAL, "the companion writes no file");
}

#[tokio::test]
async fn a_person_splits_a_change_and_takes_half_of_it() {
    let (_home, mut desk, _agent, diff) = proposed("a.txt", "one\ntwo\nthree\n", "ONE\nTWO\nthree\n").await;

    desk.answers("(1/1) keep", "s").await;
    desk.shows("Split into 2 changes.").await;
    desk.answers("(1/2) keep", "d").await;
    desk.answers("(2/2) keep", "k").await;
    desk.answers(END, "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nTWO\nthree\n"));
}

#[tokio::test]
async fn undo_takes_back_step_by_step_and_goes_back_to_each_place() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    desk.answers("(1/3) keep", "d").await;
    desk.answers("(2/3) keep", "k").await;
    desk.answers("(3/3) keep", "u").await;
    // Keeping what was kept changed nothing; undo still goes back there.
    let back = desk.answers("(2/3) keep", "u").await;
    assert!(back.contains("Undone.\n"), "{back}");
    let back = desk.answers("(1/3) keep", "u").await;
    assert!(back.contains("Undone.\n") && !back.contains("dropped so far"), "{back}");
    desk.shows("There is nothing to undo.").await;
    desk.answers("(1/3) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
}

#[tokio::test]
async fn undo_shows_the_change_that_another_desk_made() {
    let (home, mut first, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    first.answers("(1/3) keep", "j").await;
    first.answers("(2/3) keep", "d").await;
    first.shows("(3/3) keep").await;
    let mut second = home.review(&[]);
    second.answers("(1/3) keep", "u").await;
    let undone = second.answers("(2/3) keep", "a").await;
    assert!(undone.contains("Undone.\n") && !undone.contains("dropped so far"), "{undone}");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
}

#[tokio::test]
async fn redo_makes_undone_steps_again_until_there_is_a_new_one() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    desk.answers("(1/3) keep", "d").await;
    desk.answers("(2/3) keep", "k").await;
    desk.answers("(3/3) keep", "u").await;
    desk.answers("(2/3) keep", "u").await;
    desk.answers("(1/3) keep", "U").await;
    // Keeping what was kept changed nothing; redo still goes there.
    let again = desk.answers("(1/3) keep", "U").await;
    assert!(again.contains("Redone.\n"), "{again}");
    desk.answers("(2/3) keep", "U").await;
    desk.shows("There is nothing to redo.").await;
    desk.answers("(2/3) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&PROPOSED.replace("TWO", "two")));
}

#[tokio::test]
async fn moving_about_decides_nothing_and_help_and_lists_are_there() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    desk.answers("(1/3) keep", "K").await;
    desk.shows("This is the first change.").await;
    desk.answers("(1/3) keep", "j").await;
    desk.answers("(2/3) keep", "J").await;
    desk.answers("(3/3) keep", "K").await;
    desk.answers("(2/3) keep", "?").await;
    desk.shows("d  drop it: the file's own lines stay").await;
    desk.answers("(2/3) keep", "l").await;
    desk.shows("1. numbers.txt (Gemini CLI, 3 changes) - you are here\nAgents connected: Gemini CLI.\n")
        .await;
    desk.answers("(2/3) keep", "x").await;
    desk.shows("\"x\" is no command here; ? lists them.").await;
    desk.answers("(2/3) keep", "p").await;
    desk.shows("Context is paused: agents learn nothing about your files (p resumes).").await;
    desk.answers("(2/3) keep", "p").await;
    desk.shows("Context is on: agents learn about your files.").await;
    desk.answers("(2/3) keep", "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("numbers.txt: rejected; Gemini CLI is told.").await;
}

/// A change of one's own, between those that are proposed, leaves no hunk behind when it is dropped.
#[tokio::test]
async fn dropping_an_own_edit_skips_no_hunk() {
    let home = Home::new();
    let (mut desk, _agent, diff) = home
        .proposal(
            &home.file("numbers.txt", ORIGINAL),
            PROPOSED,
            home.review_with_editor("sed -i s/seven/SEVEN/"),
        )
        .await;

    desk.answers("(1/3) keep", "e").await;
    desk.shows("Edit applied: 4 changes.").await;
    desk.answers("(1/4) keep", "k").await;
    desk.answers("(2/4) keep", "k").await;
    let own = desk.answers("(3/4) keep this change as you edited it", "d").await;
    assert!(own.contains("+SEVEN\n"), "{own}");
    let last = desk.answers("(3/3) keep", "d").await;
    assert!(last.contains("-nine\n"), "the change after it is asked about: {last}");
    desk.answers(END, "a").await;
    let text = "one\nTWO\nthree\nfour\nfive\nnew a\nnew b\nsix\nseven\neight\nnine\nten\n";
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(text));
}

#[tokio::test]
async fn empty_and_unchanged_texts_are_refused_with_a_reason() {
    let home = Home::new();
    let file = home.file("a.txt", "a\nb\n");
    let (mut desk, agent, diff) =
        home.proposal(&file, "a\nB\n", home.review_with_editor("truncate -s 0")).await;

    desk.answers("(1/1) keep", "d").await;
    desk.answers(END, "a").await;
    desk.shows("There is nothing to accept: the file holds this text already; reject it instead.").await;
    desk.answers(END, "e").await;
    desk.answers(END, "a").await;
    desk.shows("An empty text cannot be accepted").await;
    desk.answers("The text is empty. Accept one empty line, or reject the proposal [y,n,r]?", "").await;
    desk.shows("Type one of [y,n,r] and Enter.").await;
    desk.answers("[y,n,r]?", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("\n"));

    // The message speaks of rejecting, so that is taken for an answer too.
    let diff = propose(&agent, &home.project.join("new.txt").to_string_lossy(), "new\n").await;
    desk.answers("(1/1) keep", "d").await;
    desk.answers(END, "a").await;
    desk.answers("or reject the proposal [y,n,r]?", "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}
