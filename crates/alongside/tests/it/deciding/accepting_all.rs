//! Accepting all reviews in line mode: only those that the list names are accepted, at the revision of the
//! list.

use super::*;

/// Starts line mode with a review of each of these files by one agent. Line mode shows the first review.
async fn reviews(names: &[&str]) -> (Home, Running, Session, Vec<PendingDiff>) {
    let home = Home::new();
    let mut desk = home.serving().await;
    let agent = home.agent().await;
    let mut diffs = Vec::new();
    for name in names {
        diffs.push(propose(&agent, &home.file(name, "old\n"), "new\n").await);
        desk.shows(name).await;
    }
    (home, desk, agent, diffs)
}

#[tokio::test]
async fn all_seen_reviews_are_accepted_after_one_list() {
    let (home, mut desk, agent, diffs) = reviews(&["a.txt", "b.txt", "c.txt"]).await;
    desk.answers_all_and_shows(&["2", "A"], "Accept these 2 reviews [y,n]? ").await;
    // A review that is opened after the list is printed is not accepted.
    let _late = propose(&agent, &home.file("late.txt", "old\n"), "new\n").await;
    desk.shows("New review: late.txt").await;
    desk.answers_all_and_shows(&["maybe", "y"], "2 accepted; ").await;
    desk.answers_all(&["l"]).await;
    for diff in diffs.into_iter().take(2) {
        assert_eq!(soon("the outcome", diff.outcome()).await, accepted("new\n"));
    }
    assert_snapshot!(home.dialogue(&mut desk, "]? ").await);
}

#[tokio::test]
async fn a_review_that_changed_after_the_list_is_not_accepted() {
    let (home, mut desk, _agent, mut diffs) = reviews(&["a.txt", "b.txt"]).await;
    let (Some(b), Some(a)) = (diffs.pop(), diffs.pop()) else { panic!("two diffs") };
    desk.answers_all_and_shows(&["2", "A"], "Accept these 2 reviews [y,n]? ").await;
    let mut other = home.review_with_editor("sed -i s/new/newer/");
    other.answers_all_and_shows(&["e"], "Edit applied").await;
    // Line mode does not print the edited review while it asks. The revision shows that the review changed,
    // and a review that was never printed is not accepted.
    desk.types_and_shows("y", "1 accepted; ").await;
    desk.answers_all(&["A", "n", "a"]).await;
    assert_eq!(soon("the outcome", b.outcome()).await, accepted("new\n"));
    assert_eq!(soon("the outcome", a.outcome()).await, accepted("newer\n"));
    assert_snapshot!(home.dialogue(&mut desk, "a.txt: accepted; Gemini CLI writes it.\n").await);
}

#[tokio::test]
async fn accepting_all_skips_reviews_with_changes_not_yet_printed() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all(&["A"]).await;
    let shown = desk.answers_all(&["y", "n", "A", "y"]).await;
    let expected = PROPOSED.replace("new a\nnew b\n", "");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&expected));
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn accepting_all_first_prints_changes_of_another_desk() {
    let (home, mut desk, _agent, _diff) = proposed("a.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all_and_shows(&["y", "y"], "]? ").await;
    let mut other = home.review(&[]);
    other.answers_all(&["y", "n"]).await;
    // The other desk drops the second change while this desk prints the third one.
    let shown = desk.shows("changed at another desk").await + &desk.answers_all(&["A"]).await;
    assert_snapshot!(home.stable(shown + &desk.shows("]? ").await));
}
