//! The end of `alongside review` by signals, input and crashes, or because it cannot start, and the files
//! that remain.

use alongside_agent::Outcome;
use insta::assert_snapshot;
use rustix::process::Signal;

use crate::support::{Home, Lateness, accepted, files_below, finish, propose, proposed, soon, until};

/// Returns the discovery files of a home, the only files there with `ide` in their paths.
fn discovery_files(home: &Home) -> Vec<std::path::PathBuf> {
    let mut files = files_below(home.path("tmp"));
    files.extend(files_below(home.path("home/.qwen")));
    files.retain(|path| path.to_string_lossy().contains("ide"));
    files
}

#[tokio::test]
async fn signals_reject_open_reviews_and_remove_files() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
        desk.shows("(1/1) keep").await;
        assert!(!discovery_files(&home).is_empty(), "there were files to remove");
        desk.signal(signal);
        assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected, "{signal:?}");
        assert_eq!(desk.ends().code(), Some(code), "{signal:?}");
        assert_eq!(discovery_files(&home), Vec::<std::path::PathBuf>::new(), "{signal:?}");
        desk.shows("Quitting: waiting reviews are rejected.").await;
        desk.shows("a.txt: rejected, because the companion stopped.").await;
    }
}

#[tokio::test]
async fn a_closed_terminal_decides_nothing() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    desk.signal(Signal::HUP);
    assert_eq!(desk.ends().code(), Some(129));
    assert!(!discovery_files(&home).is_empty(), "agents still find the companion");
    let mut next = home.review(&[]);
    next.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    next.leaves();
    until("the removal of the discovery files", || discovery_files(&home).is_empty().then_some(())).await;
}

#[tokio::test]
async fn leaving_a_desk_while_another_is_open_ends_no_review() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut first = home.review(&[]);
    let agent = home.agent().await;
    let mut second = home.serving().await;
    let diff = propose(&agent, &file, "A\n").await;
    first.shows("(1/1) keep").await;
    second.answers("(1/1) keep", "q").await;
    assert_eq!(second.ends().code(), Some(0), "only the last desk is asked");
    let mut third = home.review(&[]);
    third.shows("(1/1) keep").await;
    first.types("a");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    first.shows("a.txt: accepted; Gemini CLI writes it.").await;
    third.shows("a.txt: accepted in alongside review; Gemini CLI writes it.").await;
}

#[tokio::test]
async fn a_killed_host_comes_back_and_frees_the_agent() {
    let (home, mut desk, agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    let file = home.in_project("a.txt");
    desk.shows("(1/1) keep").await;
    let machine = Lateness::begin();
    home.kill_hosts();
    let killed = std::time::Instant::now();
    desk.shows("Problem: the companion was interrupted").await;
    desk.shows("a.txt: rejected, because the companion was interrupted.").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    // Agents wait 2.5 s for the companion to return.
    let (took, late) = (killed.elapsed(), machine.so_far());
    assert!(
        took < std::time::Duration::from_secs(5) + late,
        "freed after {took:?}; the machine was {late:?} late"
    );
    let again = propose(&agent, &file, "B\n").await;
    desk.shows("+B").await;
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", again.outcome()).await, accepted("B\n"));
}

#[tokio::test]
async fn leaving_asks_while_a_review_waits() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.answers("(1/1) keep", "q").await;
    desk.answers("1 review is waiting; leaving rejects it. Leave [y,n]?", "maybe").await;
    desk.answers("Leave [y,n]?", "n").await;
    desk.answers("(1/1) keep", "q").await;
    desk.answers("Leave [y,n]?", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_eq!(desk.ends().code(), Some(0));
    assert_eq!(discovery_files(&home), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn without_input_reviews_are_answered_in_the_agent() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    desk.ends_input();
    desk.shows("The input has ended. Answer reviews in the agent; Ctrl-C").await;
    let (agent, _diff) = home.proposes(&file, "A\n").await;
    desk.shows("Answer this review in the agent.").await;
    assert_eq!(soon("closeDiff", agent.close_diff(&file, false)).await.unwrap().as_deref(), Some("A\n"));
    // Without input, no keys are offered.
    assert_snapshot!(home.dialogue(&mut desk, "a.txt: answered in Gemini CLI.\n").await);
    desk.signal(Signal::TERM);
    assert_eq!(desk.ends().code(), Some(143));
}

#[tokio::test]
async fn rejected_edits_are_in_the_drafts() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let (mut desk, _agent, diff) =
        home.proposal(&file, "A\n", home.review_with_editor("sed -i s/A/precious/")).await;
    desk.answers("(1/1) keep", "e").await;
    desk.answers("(1/1) keep", "r").await;
    desk.answers("You edited a change; your text stays in drafts. Reject the proposal [y,n]? ", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("Your edits are in ").await;
    desk.shows(" (`alongside drafts`).").await;
    desk.leaves();

    let refused = home.prints(&["drafts", "drafts show 1", "drafts save 1 a.txt"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\n");
    let saved = home.prints(&["drafts save 1 a.txt --force", "drafts show 2", "drafts delete 1"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious\n");
    assert_snapshot!(refused + &saved + &home.prints(&["drafts list", "drafts clear"]));
}

#[tokio::test]
async fn a_directory_that_cannot_be_a_project_is_refused_by_name() {
    let home = Home::new();
    home.file("a.txt", "");
    assert_snapshot!(home.prints(&["review nowhere", "review a.txt"]));
}

#[tokio::test]
async fn a_host_that_cannot_listen_leaves_no_file() {
    let home = Home::new();
    let long = home.path("run").join("long".repeat(30));
    std::fs::create_dir(&long).unwrap();
    let mut review = home.alongside(&["review"]);
    let refused = finish(review.env("ALONGSIDE_RUNTIME_DIR", long.join("alongside")));
    let refused = refused.to_string().replace(&"long".repeat(30), "[LONG]");
    assert_snapshot!(home.stable(refused), @"
    --- errors:
    alongside: cannot listen at [RUN]/[LONG]/alongside/[HOST].sock: [RUN]/[LONG]/alongside/[HOST].sock
      ↪ is longer than 107 bytes, the limit for a socket's path
      hint: set ALONGSIDE_RUNTIME_DIR to another directory of yours, whose path is short
    --- exit code 1
    ");
    assert_eq!(discovery_files(&home), Vec::<std::path::PathBuf>::new(), "no discovery file is left");
    let journal = files_below(home.path("home/.local/state/alongside/journal"));
    assert_eq!(journal, Vec::<std::path::PathBuf>::new(), "no journal is left");
}

#[tokio::test]
async fn a_desk_beside_alongside_run_leaves_reviews_open() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut run = home.start(&mut home.alongside(&["run", "--no-desk", "sh", "-c", "echo ready; read line"]));
    run.shows("ready").await;
    let (_agent, diff) = home.proposes(&file, "A\n").await;
    let mut desk = home.review(&[]);
    desk.answers_all(&["q"]).await;
    let said = home.stable(desk.shows("`alongside` opens it again.\n").await);
    assert_eq!(desk.ends().code(), Some(0));
    assert_snapshot!(said + &home.prints(&["status"]));
    // The agent of `run` ends while there is a desk, and then only the desk keeps the host.
    let mut desk = home.review(&[]);
    desk.shows("(1/1) keep").await;
    run.types("");
    assert_eq!(run.ends().code(), Some(0));
    until("the desk to be alone", || {
        home.run(&["status"]).out.contains("  kept by: alongside review\n").then_some(())
    })
    .await;
    desk.types("q");
    desk.answers("1 review is waiting; leaving rejects it. Leave [y,n]?", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_eq!(desk.ends().code(), Some(0));
}
