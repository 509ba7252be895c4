//! Accepting all reviews in line mode: only what the list names, as it names it.

use super::*;

/// Line mode with a review of each of these files, by one agent, at the first one.
async fn reviews(names: &[&str]) -> (Home, Running, Session, Vec<PendingDiff>) {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
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
    desk.answers("(1/1) keep", "2").await;
    desk.shows("b.txt: Gemini CLI proposes").await;
    let list = desk.answers("(1/1) keep", "A").await;
    assert!(!list.contains("To accept"), "nothing is listed unasked: {list}");
    let list = desk.shows("Accept these 2 reviews [y,n]?").await;
    let rows = "To accept, as they stand now:\n  \
        a.txt: +1 -1, Gemini CLI, 1 kept\n  b.txt: +1 -1, Gemini CLI, 1 kept\n\
        Not accepted; these wait on:\n  c.txt: +1 -1, Gemini CLI, 1 kept\n    not seen yet\n";
    assert!(list.contains(rows), "{list}");
    // A review that comes now is not accepted with them.
    let _late = propose(&agent, &home.file("late.txt", "old\n"), "new\n").await;
    desk.shows("New review: late.txt").await;
    desk.answers("Accept these 2 reviews [y,n]?", "maybe").await;
    desk.answers("Type one of [y,n] and Enter.\nAccept these 2 reviews [y,n]?", "y").await;
    desk.shows("2 accepted; 1 arrived meanwhile and waits; 1 other waits.").await;
    for diff in diffs.into_iter().take(2) {
        assert_eq!(soon("the outcome", diff.outcome()).await, accepted("new\n"));
    }
    desk.shows("c.txt: Gemini CLI proposes").await;
    desk.answers("(1/1) keep", "l").await;
    desk.shows("1. c.txt (Gemini CLI, 1 change) - you are here\n2. late.txt").await;
}

#[tokio::test]
async fn a_review_that_changes_behind_the_list_waits() {
    let (home, mut desk, _agent, mut diffs) = reviews(&["a.txt", "b.txt"]).await;
    let (Some(b), Some(a)) = (diffs.pop(), diffs.pop()) else { panic!("two diffs") };
    desk.answers("(1/1) keep", "2").await;
    desk.shows("b.txt: Gemini CLI proposes").await;
    desk.answers("(1/1) keep", "A").await;
    desk.shows("Accept these 2 reviews [y,n]?").await;
    let mut other = home.review_with_editor("sed -i s/new/newer/");
    other.answers("(1/1) keep", "e").await;
    other.shows("Edit applied").await;
    // Nobody sees in line mode that the listed review changed; the revision tells.
    desk.types("y");
    desk.shows("1 accepted; 1 changed meanwhile and waits.").await;
    assert_eq!(soon("the outcome", b.outcome()).await, accepted("new\n"));
    desk.shows("+newer").await;
    // No list accepts a review that was never printed.
    let list = desk.answers("(1/1) keep", "A").await;
    assert!(!list.contains("edited at another desk"), "{list}");
    desk.answers("Accept this review [y,n]?", "n").await;
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", a.outcome()).await, accepted("newer\n"));
}

#[tokio::test]
async fn a_review_is_not_accepted_with_others_before_each_of_its_changes_is_printed() {
    let (_home, mut desk, _agent, diff) = proposed("a.txt", ORIGINAL, PROPOSED).await;
    desk.answers(HUNK, "A").await;
    let rows = "Not accepted; these wait on:\n  a.txt: +3 -2, Gemini CLI, 3 kept\n    \
        not all of its changes are seen yet\nNo review can be accepted from this list.\n";
    desk.shows(rows).await;
    desk.answers(HUNK, "k").await;
    desk.answers(HUNK, "d").await;
    desk.answers(HUNK, "A").await;
    desk.shows("To accept, as they stand now:\n  a.txt: +1 -2, Gemini CLI, 2 kept, 1 dropped\n").await;
    desk.answers("Accept this review [y,n]?", "y").await;
    let expected = PROPOSED.replace("new a\nnew b\n", "");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&expected));
}

#[tokio::test]
async fn a_change_made_at_another_desk_is_printed_before_it_is_accepted_with_others() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", ORIGINAL, PROPOSED).await;
    desk.answers(HUNK, "k").await;
    desk.answers(HUNK, "k").await;
    let mut other = home.review(&[]);
    other.answers("(1/3) keep", "k").await;
    other.answers("(2/3) keep", "d").await;
    // The other desk changed the second change; this one prints the third.
    desk.shows("changed at another desk").await;
    desk.answers("(3/3)", "A").await;
    desk.shows("not all of its changes are seen yet").await;
    drop(diff);
}
