//! The letters of line mode that go to a change or decide several changes at once, and keys that send no
//! letter.

use super::*;

#[tokio::test]
async fn letters_that_were_renamed_print_a_hint() {
    let (_home, mut desk, _agent, diff) = proposed("a.txt", "one\n", "ONE\n").await;
    for letter in ["k", "d"] {
        desk.answers("(1/1) keep this change [y,n,s,e,a,r,u,?]? ", letter).await;
        desk.shows("k and d mean nothing here any more: y keeps a change, n drops it.\n").await;
    }
    desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("ONE\n"));
}

#[tokio::test]
async fn p_and_f_explain_their_new_meanings() {
    let (_home, mut desk, _agent, diff) = proposed("a.txt", "one\n", "ONE\n").await;
    let printed = desk.answers_all(&["p", "p", "f", "f -"]).await;
    let hint = "p shows the change, as in git add -p; z pauses context.\n";
    assert_eq!(printed.matches(hint).count(), 1, "{printed}");
    assert_eq!(printed.matches("-one\n+ONE\n").count(), 3, "{printed}");
    desk.shows("f only finishes the review of a turn: F accepts ahead, F - takes that back.\n").await;
    desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("ONE\n"));
    desk.types("p");
    desk.shows("p shows a change, and none is here: z pauses context.\n").await;
}

#[tokio::test]
async fn lines_of_another_change_are_explained_once() {
    let (original, text) = ("one\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nTHREE\nfour\nFIVE\n");
    let (_home, mut desk, _agent, _diff) = proposed("a.txt", original, text).await;
    desk.shows("Lines with ~ belong to another change, near this one.\n(1/3) keep this change").await;
    let printed = desk.answers_all(&["j", "j"]).await;
    assert!(printed.contains("~ by changes 1 and 3"), "{printed}");
    assert!(!printed.contains("Lines with ~ belong"), "the explanation is repeated: {printed}");
}

#[tokio::test]
async fn a_person_goes_to_a_change_by_its_number_or_its_text() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    let shown = desk.answers_all(&["g 3", "/ new B", "/ new b", "/", "/one", "g 4", "g", "g1", "r"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn a_change_and_all_after_it_are_decided_at_once() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    let shown = desk.answers_all(&["j", "N", "u", "K", "n", "Y", "l", "a", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&PROPOSED.replace("TWO", "two")));
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn dropping_the_rest_is_undone_in_one_step() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all_and_shows(&["N"], "Changes 1 to 3 dropped; u undoes that.\n").await;
    desk.shows("nothing is left of the proposal; the file would stay as it is.\n").await;
    desk.answers_all_and_shows(&["u"], "Undone.\n").await;
    desk.answers_all_and_shows(&["Y"], "numbers.txt: 3 changes: 3 kept; seen 1 of 3 changes.\n").await;
    desk.answers_all(&["a", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
}

#[tokio::test]
async fn arrow_keys_answer_nothing_and_ctrl_l_reprints_the_change() {
    let home = Home::new();
    let (mut desk, _agent, diff) =
        home.proposal(&home.file("a.txt", "one\n"), "ONE\n", home.at_terminal(&["review"])).await;
    desk.reads("keep this change [y,n,s,e,a,r,u,?]? ").await;
    desk.types("\x1b[Ar");
    desk.shows("Ignored: an arrow or another key without a letter is in that line.\r\n").await;
    desk.reads("keep this change [y,n,s,e,a,r,u,?]? ").await;
    // Ctrl-L takes effect without Enter.
    desk.presses("\x0c");
    desk.shows("a.txt: Gemini CLI proposes 1 change (+1 -1)\r\n@@ -1 +1 @@\r\n-one\r\n+ONE\r\n").await;
    desk.reads("keep this change [y,n,s,e,a,r,u,?]? ").await;
    desk.types("a");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("ONE\n"));
}

#[tokio::test]
async fn an_arrow_key_confirms_nothing() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all(&["a", "\x1b[C"]).await;
    desk.shows("Ignored: an arrow or another key without a letter is in that line.\n").await;
    desk.answers("Accept all the same (n shows the rest) [y,n]? ", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
}
