//! Reasons that a person gives in line mode, for the model of an agent with a hook.

use alongside_desk::socket;
use alongside_desk::{HookProposal, Reasons, Verdict};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;

use super::*;

/// Proposes a text for the file as an agent's hook does. Returns the task that waits for the verdict.
async fn proposed_by_hook(home: &Home, file: &str, text: &str, reasons: Reasons) -> JoinHandle<Verdict> {
    let (_, name) = until("a host", || home.hosts().into_iter().next()).await;
    let stream = UnixStream::connect(home.path(&format!("run/alongside/{name}.sock"))).await.unwrap();
    let proposal = HookProposal {
        agent: "Claude Code".into(),
        session: "test".into(),
        file: file.into(),
        proposed: text.into(),
        patience_ms: 60_000,
        takes_text: true,
        reasons,
        ..HookProposal::default()
    };
    tokio::spawn(
        async move { socket::propose(stream, &proposal, socket::PROTOCOL).await.expect("a verdict") },
    )
}

/// Starts line mode with the proposal of a hook that passes reasons on as described.
async fn reviewing(reasons: Reasons) -> (Home, Running, JoinHandle<Verdict>) {
    let (home, file) = Home::with_file("numbers.txt", ORIGINAL);
    let desk = home.serving().await;
    let verdict = proposed_by_hook(&home, &file, PROPOSED, reasons).await;
    (home, desk, verdict)
}

#[tokio::test]
async fn a_reason_drops_its_change_and_the_model_reads_it() {
    let (home, mut desk, verdict) = reviewing(Reasons::Always).await;
    desk.answers_all(&["R only what I asked for", "K", "R", "a", "y"]).await;
    let verdict = soon("the verdict", verdict).await.unwrap();
    let Verdict::Accepted { text, message } = verdict else { panic!("{verdict:?}") };
    assert_eq!(*text, *PROPOSED.replace("TWO", "two"));
    let message = message.expect("the words of the person");
    let dialogue = home.dialogue(&mut desk, "writes it.\n").await;
    assert_snapshot!(format!("{dialogue}--- the model reads:\n{message}"));
}

#[tokio::test]
async fn an_undone_drop_takes_its_reason_back() {
    let (_home, mut desk, verdict) = reviewing(Reasons::Always).await;
    let shown = desk.answers_all(&["R only what I asked for", "u", "Y", "a", "y"]).await;
    assert!(shown.contains("Undone.\nReason removed.\n"), "{shown}");
    let verdict = soon("the verdict", verdict).await.unwrap();
    let Verdict::Accepted { text, message } = verdict else { panic!("{verdict:?}") };
    assert_eq!((&*text, message), (PROPOSED, None));
}

#[tokio::test]
async fn a_reason_for_the_whole_proposal_is_sent_when_rejecting() {
    let (home, mut desk, verdict) = reviewing(Reasons::WithRejection).await;
    desk.answers_all(&["y", "y", "y"]).await;
    let mut shown = desk.answers_all(&["R", "reason too early", "R -", "R far too early", "r"]).await;
    let verdict = soon("the verdict", verdict).await.unwrap();
    let Verdict::Rejected { message } = verdict else { panic!("{verdict:?}") };
    shown += &desk.shows("is told.\n").await;
    assert_snapshot!(format!("{}--- the model reads:\n{message}", home.stable(shown)));
}

#[tokio::test]
async fn a_reason_that_nobody_reads_is_refused_before_it_is_typed() {
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers_all(&["R", "R too early", "a", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED), "nothing was dropped");
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await);
}

#[tokio::test]
async fn reasons_that_no_agent_has_read_are_in_the_drafts() {
    let (home, mut desk, verdict) = reviewing(Reasons::Always).await;
    desk.answers_all_and_shows(&["R only what I asked for"], "]? ").await;
    // End the hook.
    verdict.abort();
    let said = home.stable(desk.shows("(`alongside drafts`).\n").await);
    let is_listed = |drafts: &String| drafts.contains("You gave reasons") && !drafts.contains("still open");
    let drafts = until("the reasons", || Some(home.prints(&["drafts"])).filter(is_listed)).await;
    // Standard output holds only the text of the draft.
    assert_snapshot!(said + &drafts + &home.prints(&["drafts show 1"]));
}
