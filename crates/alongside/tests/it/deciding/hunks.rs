//! Keeping, dropping, splitting and undoing hunks in line mode.

use super::*;

#[tokio::test]
async fn a_person_keeps_one_change_drops_another_and_accepts() {
    let (home, mut desk, _agent, diff) = proposed("src/numbers.txt", ORIGINAL, PROPOSED).await;
    let file = home.in_project("src/numbers.txt");

    for answer in ["k", "d", "k"] {
        desk.answers(HUNK, answer).await;
    }
    desk.answers(END, "a").await;

    let outcome = soon("the outcome", diff.outcome()).await;
    assert_eq!(outcome, accepted("one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nten\n"));
    desk.shows("src/numbers.txt: accepted; Gemini CLI writes it.").await;
    assert_snapshot!(home.stable(desk.out.text()));
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
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    // Keeping what was kept changed nothing; undo still goes back there.
    for (place, answer) in [(1, "d"), (2, "k"), (3, "u"), (2, "u"), (1, "u"), (1, "a")] {
        desk.answers(&format!("({place}/3) keep"), answer).await;
    }
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
    desk.shows("writes it.\n").await;
    assert_snapshot!(home.stable(desk.out.text()));
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
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    // Keeping what was kept changed nothing; redo still goes there.
    for (place, answer) in [(1, "d"), (2, "k"), (3, "u"), (2, "u"), (1, "U"), (1, "U"), (2, "U"), (2, "a")] {
        desk.answers(&format!("({place}/3) keep"), answer).await;
    }
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&PROPOSED.replace("TWO", "two")));
    desk.shows("writes it.\n").await;
    assert_snapshot!(home.stable(desk.out.text()));
}

#[tokio::test]
async fn moving_about_decides_nothing_and_help_and_lists_are_there() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;

    for (place, command) in [(1, "K"), (1, "j"), (2, "J"), (3, "K"), (2, "?"), (2, "l"), (2, "x"), (2, "p")] {
        desk.answers(&format!("({place}/3) keep"), command).await;
    }
    desk.shows("Context is paused").await;
    desk.answers("(2/3) keep", "p").await;
    desk.shows("Context is on").await;
    desk.answers("(2/3) keep", "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("is told.\n").await;
    assert_snapshot!(home.stable(desk.out.text()));
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
