//! Checks of the recipients of an outcome: the agent that asked, once it is connected, and no other agent.

use std::time::Duration;

use serde_json::json;

use crate::action::Action;
use crate::check::Clause::{Advice, Shipped};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, skip};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls::{self, text_in};
use crate::harness::received_outcomes;
use crate::harness::received_outcomes::OUTCOMES;
use crate::http::stream_listener::Listener;
use crate::time::clock::Patience;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "diffs.own-outcome",
        title: "An outcome goes to the agent that asked, and to no other",
        clause: Shipped {
            says: "every agent takes an outcome for its own",
            breaks: "every release, where several agents run in one project",
        },
        harm: "a proposal is accepted though nobody decided on it",
        needs: &["accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(own_outcome(case)))
    },
    Check {
        id: "diffs.same-file",
        title: "Two agents that propose the same file each hear their own outcome",
        clause: Advice("diffs are kept by agent and path; one decision decides one of them"),
        harm: "an agent writes a proposal that nobody accepted",
        needs: &["reject"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(same_file(case)))
    },
    Check {
        id: "diffs.decided-close",
        title: "closeDiff answers an accepted text that the agent did not hear of yet",
        clause: Shipped {
            says: "an agent that did not hear the outcome closes the diff, and writes its own proposal \
                when it is answered {}",
            breaks: "every release, when the stream was cut at the wrong moment",
        },
        harm: "the agent writes another text than was accepted",
        needs: &["edit", "accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(decided_close(case)))
    },
];

async fn own_outcome(case: &Case<'_>) -> Checked {
    let (one, other) = (connect::join(case).await?, connect::join(case).await?);
    let listeners = [Listener::of(&one).await?, Listener::of(&other).await?];
    let paths = [case.proposal("of-the-first-agent.txt"), case.proposal("of-the-second-agent.txt")];
    let first = diff_calls::open_diff(case, &one, &paths[0], "By the first agent.\n").await;
    diff_calls::open_diff(case, &other, &paths[1], "By the second agent.\n").await?;
    // Some companions answer only the agent that joined last.
    let (asked, stranger, peer) = if first.is_ok() { (0, 1, &other) } else { (1, 0, &one) };
    let marks = [listeners[0].mark(), listeners[1].mark()];
    case.act(Action::Accept { path: paths[asked].clone() }).await?;
    if received_outcomes::wait_for_outcome(case, &listeners[asked], marks[asked]).await.is_none() {
        return skip("no outcome came when the proposal was accepted");
    }
    case.quiet().await;
    let _newer = listeners[stranger].read_out(peer).await;
    let received = listeners[stranger].messages(marks[stranger], &OUTCOMES);
    ensure(received.is_empty(), || format!("the other agent got {}", received[0].1))
}

async fn same_file(case: &Case<'_>) -> Checked {
    let (one, other) = (connect::join(case).await?, connect::join(case).await?);
    let listeners = [Listener::of(&one).await?, Listener::of(&other).await?];
    let path = case.proposal("same-file.txt");
    diff_calls::open_diff(case, &one, &path, "By the first agent.\n").await?;
    diff_calls::open_diff(case, &other, &path, "By the second agent.\n").await?;
    let marks = listeners.each_ref().map(Listener::mark);
    for round in 1..=2 {
        case.act(Action::Reject { path: path.clone() }).await?;
        let told = || (0..2).map(|at| listeners[at].messages(marks[at], &OUTCOMES).len()).sum::<usize>();
        let mut patience = Patience::new(case.timeouts().answer);
        while told() < round && patience.sleep(Duration::from_millis(10)).await {}
        case.quiet().await;
        let told = told();
        if told == 0 {
            return case.nothing_came("no outcome came when the proposal was rejected");
        }
        ensure(told == round, || format!("after {round} decisions, {told} outcomes came"))?;
    }
    for (at, name) in [(0, "first"), (1, "second")] {
        let told = listeners[at].messages(marks[at], &OUTCOMES).len();
        ensure(told == 1, || format!("the {name} agent got {told} outcomes of its one diff"))?;
    }
    Ok(())
}

async fn decided_close(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let path = case.proposal("decided-close.txt");
    let typed = "Accepted while nobody listened.\n";
    let proposed = "Proposed.\n";
    diff_calls::open_diff(case, &peer, &path, proposed).await?;
    case.act(Action::Edit { path: path.clone(), text: typed.into() }).await?;
    case.act(Action::Accept { path: path.clone() }).await?;
    let result = diff_calls::close_diff(&peer, &path).await?;
    let text = text_in(&result);
    if text.as_deref() == Some(proposed) {
        return case.nothing_came("closeDiff answered the proposed text");
    }
    ensure(text.as_deref() == Some(typed), || format!("closeDiff was answered with {}", json!(result)))
}
