//! A person says why in line mode, and the model of an agent with a hook reads it.

use alongside_desk::socket;
use alongside_desk::{HookProposal, Reasons, Verdict};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;

use super::*;

/// An agent's hook proposes a text for the file, and waits for the verdict.
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
    tokio::spawn(async move { socket::propose(stream, &proposal).await.expect("a verdict") })
}

async fn reviewing(reasons: Reasons) -> (Home, Running, JoinHandle<Verdict>) {
    let home = Home::new();
    let file = home.file("numbers.txt", ORIGINAL);
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    let verdict = proposed_by_hook(&home, &file, PROPOSED, reasons).await;
    (home, desk, verdict)
}

#[tokio::test]
async fn a_reason_drops_its_change_and_the_model_reads_it() {
    let (_home, mut desk, verdict) = reviewing(Reasons::Always).await;
    desk.answers("(1/3) keep this change [k,d,s,e,a,r,R,u,?]?", "R only what I asked for").await;
    desk.shows("Reason noted.").await;
    desk.answers("(2/3) keep", "K").await;
    let back = desk.answers("(1/3) keep", "R").await;
    assert!(back.contains(" dropped so far") && back.contains("Why: only what I asked for"), "{back}");
    desk.shows("Your reason for this change: only what I asked for").await;
    desk.answers("(1/3) keep", "a").await;
    let verdict = soon("the verdict", verdict).await.unwrap();
    let Verdict::Accepted { text, message } = verdict else { panic!("{verdict:?}") };
    assert_eq!(*text, *PROPOSED.replace("TWO", "two"));
    let message = message.expect("the words of the person");
    assert!(message.contains("Dropped: line 2 (`TWO`). Reason: only what I asked for"), "{message}");
}

#[tokio::test]
async fn a_reason_at_the_end_goes_with_the_rejection() {
    let (_home, mut desk, verdict) = reviewing(Reasons::WithRejection).await;
    for place in ["(1/3) keep", "(2/3) keep", "(3/3) keep"] {
        desk.answers(place, "k").await;
    }
    desk.answers("accept, reject, or look again [a,r,R,b,e,u,?]?", "R").await;
    desk.shows("Type R and your reason for the whole proposal.").await;
    desk.answers("accept, reject, or look again", "reason too early").await;
    desk.shows("Reason noted. r rejects with it, a accepts without it.").await;
    desk.answers("accept, reject, or look again", "R -").await;
    desk.shows("Reason removed.").await;
    desk.answers("accept, reject, or look again", "R far too early").await;
    desk.answers("accept, reject, or look again", "r").await;
    let verdict = soon("the verdict", verdict).await.unwrap();
    let Verdict::Rejected { message } = verdict else { panic!("{verdict:?}") };
    assert!(message.contains("Reason: far too early"), "{message}");
}

#[tokio::test]
async fn a_reason_that_nobody_reads_is_refused_before_it_is_typed() {
    let (_home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, PROPOSED).await;
    desk.answers("(1/3) keep this change [k,d,s,e,a,r,u,?]?", "R").await;
    let said = "Gemini CLI reads no reason here: its protocol carries none. \
                `alongside install agent` offers its hook.";
    desk.shows(said).await;
    desk.answers("(1/3) keep", "R too early").await;
    desk.shows(said).await;
    desk.answers("(1/3) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED), "nothing was dropped");
}

#[tokio::test]
async fn reasons_that_no_agent_has_read_are_in_the_drafts() {
    let (home, mut desk, verdict) = reviewing(Reasons::Always).await;
    desk.answers("(1/3) keep", "R only what I asked for").await;
    desk.shows("(2/3) keep").await;
    // The hook is gone.
    verdict.abort();
    let listed = until("the reasons among the drafts", || {
        Some(home.run(&["drafts"]).out).filter(|listed| listed.contains("You gave reasons"))
    })
    .await;
    assert!(listed.contains("For: line 2 (`TWO`). Reason: only what I asked for"), "{listed}");
    let shown = home.run(&["drafts", "show", "1"]);
    assert_eq!(shown.out, PROPOSED.replace("TWO", "two"), "standard output has the text alone");
    assert!(shown.err.contains("Reason: only what I asked for"), "{}", shown.err);
}
