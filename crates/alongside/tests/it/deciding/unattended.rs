//! Line mode without a person: `--accept-all`, `--reject-all`, and answers that are written in advance.

use super::*;

#[tokio::test]
async fn accept_all_and_reject_all_decide_without_a_person() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let (mut desk, agent, diff) = home.proposal(&file, "A\n", home.review(&["--accept-all"])).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    // Agents treat an unchanged text as an error, so the desk rejects the proposal and prints the reason.
    let diff = propose(&agent, &file, "a\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    let accepts = home.dialogue(&mut desk, "is told.\n").await;

    let home = Home::new();
    let (mut desk, _agent, diff) =
        home.proposal(&home.file("a.txt", "a\n"), "A\n", home.review(&["--reject-all"])).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    let rejects = home.dialogue(&mut desk, "is told.\n").await;
    assert_snapshot!(accepts + &rejects + &home.prints(&["review --accept-all --reject-all"]));
}

#[tokio::test]
async fn a_script_can_write_its_answers_ahead() {
    let home = Home::new();
    let (first, second) = (home.file("a.txt", "a\n"), home.file("b.txt", "b\n"));
    let mut desk = home.review(&[]);
    for line in ["y", "a", "r", "q"] {
        desk.types(line);
    }
    let (agent, diff) = home.proposes(&first, "A\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    let diff = propose(&agent, &second, "B\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_eq!(desk.ends().code(), Some(0));
    assert!(desk.out.text().contains("(1/1) keep this change [y,n,s,e,a,r,u,?]? y\n"), "answers are echoed");
}
