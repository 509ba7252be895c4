//! Reviews and files that change outside of line mode while it shows a review.

use rustix::process::Signal;

use super::*;

#[tokio::test]
async fn a_review_answered_in_the_agent_is_followed_by_the_next() {
    let home = Home::new();
    let (first, second) = (home.file("a.txt", "a\n"), home.file("b.txt", "b\n"));
    let mut desk = home.review(&[]);
    let (first_agent, second_agent) = (home.agent().await, home.agent().await);
    let _first_diff = propose(&first_agent, &first, "A\n").await;
    desk.shows("(1/1) keep").await;
    let second_diff = propose(&second_agent, &second, "B\n").await;
    desk.shows("New review: b.txt").await;
    desk.shows("]? ").await;
    let text = soon("closeDiff", first_agent.close_diff(&first, false)).await.unwrap();
    assert_eq!(text.as_deref(), Some("A\n"));
    desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", second_diff.outcome()).await, accepted("B\n"));
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await);
}

#[tokio::test]
async fn line_mode_follows_agents_that_propose_again_or_leave() {
    let (home, mut desk, agent, _first_diff) = proposed("a.txt", "a\n", "A\n").await;
    let file = home.in_project("a.txt");
    desk.shows("+A\n").await;
    let _second_diff = propose(&agent, &file, "AA\n").await;
    desk.shows("a.txt: replaced by a newer proposal of Gemini CLI.").await;
    desk.shows("+AA\n").await;
    agent.end().await.unwrap();
    desk.shows("a.txt: closed, because Gemini CLI has left.").await;
    desk.shows("Gemini CLI has left.").await;
}

#[tokio::test]
async fn a_file_changed_on_disk_needs_a_second_yes() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\nb\n", "a\nB\n").await;

    desk.shows("(1/1) keep").await;
    home.file("a.txt", "somebody else was here\n");
    desk.types_and_shows("a", "the file changed on disk").await;
    // The desk notices the change of the file either at once or when the person accepts. In both cases the
    // person must accept once more.
    let mut asked = desk.shows("]?").await;
    if !asked.contains("Accept anyway") {
        desk.types("a");
        asked = desk.shows("Accept anyway [y,n]?").await;
    }
    assert!(asked.contains("Accept anyway"), "{asked}");
    desk.types("n");
    desk.answers("(1/1) keep", "a").await;
    desk.answers("The file is not what the agent saw. Accept anyway [y,n]?", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("a\nB\n"));
}

#[tokio::test]
async fn agents_learn_of_a_saved_file_and_not_of_a_private_one() {
    let home = Home::new();
    home.file(".env", "SECRET=1\n");
    let _desk = home.review(&[]);
    let agent = home.agent().await;
    let context = agent.context();
    let mut attempt = 0;
    let seen = until("the saved file in the agent's context", || {
        attempt += 1;
        // The companion starts to watch folders in the background, so the test saves until the companion
        // notices.
        if attempt % 20 == 1 {
            home.file(".env", &format!("SECRET={attempt}\n"));
            home.file("main.rs", &format!("// {attempt}\n"));
        }
        let context = context.borrow();
        let files = context.as_ref()?.open_files().to_vec();
        (!files.is_empty()).then_some(files)
    })
    .await;
    assert_eq!(seen[0].path, home.project.join("main.rs").to_str().unwrap());
    assert_eq!(seen[0].is_active, Some(true));
    assert!(!seen.iter().any(|file| file.path.ends_with(".env")), "{seen:?}");
}

#[tokio::test]
async fn proposals_that_come_together_are_announced_in_one_line() {
    let (home, mut desk, agent, _diff) = proposed("a.txt", "old\n", "new\n").await;
    desk.shows("]? ").await;
    // All proposals come while the desk is stopped.
    desk.signal(Signal::STOP);
    let mut diffs = Vec::new();
    for name in ["b.txt", "c.txt", "d.txt"] {
        diffs.push(propose(&agent, &home.file(name, "old\n"), "new\n").await);
    }
    desk.signal(Signal::CONT);
    desk.shows("3 new reviews: b.txt, c.txt, d.txt by Gemini CLI; 4 are waiting (l lists them).\n").await;
    desk.shows("(1/1) keep this change [y,n,s,e,a,r,u,?]? ").await;
}
