//! Checks of the delivery of outcomes to an agent whose stream ends and returns: no outcome is lost, and none
//! is delivered twice.

use std::time::{Duration, Instant};

use crate::action::Action;
use crate::check::Clause::{Advice, Shipped};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls;
use crate::harness::received_outcomes;
use crate::harness::received_outcomes::OUTCOMES;
use crate::http::peer::Peer;
use crate::http::stream_listener::Listener;
use crate::time::clock::{Measuring, lateness};

const EVERY_RELEASE: &str = "every release: its stream is closed when the person decides now and then";
const WAITS: &str = "the agent waits for ever for the outcome of its diff";
const DECIDES: &str = "the next proposal for the file is accepted though nobody decided";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "streams.waits-for-first",
        title: "An outcome waits for the first stream",
        clause: Shipped {
            says: "the stream is opened after the session, and may come later than the first decision",
            breaks: EVERY_RELEASE,
        },
        harm: WAITS,
        needs: &["reject"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(waits_for_first(case)))
    },
    Check {
        id: "streams.waits-across",
        title: "An outcome waits while there is no stream",
        clause: Shipped {
            says: "a stream that broke is opened again after a second or two",
            breaks: EVERY_RELEASE,
        },
        harm: WAITS,
        needs: &["accept"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(waits_across(case)))
    },
    Check {
        id: "streams.newest-hears",
        title: "Outcomes come on the newest stream",
        clause: Shipped {
            says: "an agent whose connection hangs opens its stream again, and listens to that one",
            breaks: "every release, after the machine slept or the network changed",
        },
        harm: WAITS,
        needs: &["reject"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(newest_hears(case)))
    },
    Check {
        id: "streams.no-repeat",
        title: "An outcome that has arrived does not come again on the next stream",
        clause: Shipped {
            says: "an outcome ends whichever diff of the file is open when it arrives",
            breaks: "every release: a companion that replays makes it accept what nobody decided",
        },
        harm: DECIDES,
        needs: &["accept"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(no_repeat(case)))
    },
    Check {
        id: "streams.no-resumption",
        title: "Last-Event-ID brings nothing back",
        clause: Shipped {
            says: "clients name the last event they know, also when they have acted on it",
            breaks: "every release: a companion that replays makes it accept what nobody decided",
        },
        harm: DECIDES,
        needs: &["accept"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(no_resumption(case)))
    },
    Check {
        id: "streams.receipt",
        title: "An outcome that was in flight when the stream broke comes again",
        clause: Advice(
            "an outcome is followed by a ping, whose reply is the receipt; without it, the outcome is \
                sent again on the next stream",
        ),
        harm: "now and then a decision is lost, and the agent waits for ever",
        needs: &["reject"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(receipt(case)))
    },
    Check {
        id: "streams.not-too-soon",
        title: "An outcome is sent again only after the agent had time to move on",
        clause: Advice(
            "nothing is sent again within 100 ms of the new stream: its next openDiff may be on its way",
        ),
        harm: DECIDES,
        needs: &["reject"],
        ..Check::of(Group::Streams, When::InTurn, |case| Box::pin(not_too_soon(case)))
    },
];

/// Opens a diff for an agent, on a file that no other diff uses.
async fn diff(case: &Case<'_>, peer: &Peer, name: &str) -> Checked<String> {
    let path = case.proposal(name);
    diff_calls::open_diff(case, peer, &path, "Does the outcome arrive?\n").await?;
    Ok(path)
}

async fn ensure_received(case: &Case<'_>, listener: &Listener, when: &str) -> Checked {
    match received_outcomes::wait_for_outcome(case, listener, 0).await {
        Some(_) => Ok(()),
        None => case.nothing_came(format!("{when}, and no outcome came")),
    }
}

async fn waits_for_first(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let path = diff(case, &peer, "waits-for-first.txt").await?;
    case.act(Action::Reject { path }).await?;
    let listener = Listener::of(&peer).await?;
    ensure_received(case, &listener, "the stream was opened after the decision").await
}

async fn waits_across(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let first = Listener::of(&peer).await?;
    let path = diff(case, &peer, "waits-across.txt").await?;
    cut(case, &peer, first).await?;
    case.act(Action::Accept { path }).await?;
    let second = Listener::of(&peer).await?;
    ensure_received(case, &second, "there was no stream during the decision").await
}

/// Cuts a stream, and waits until the companion has noticed.
pub(crate) async fn cut(case: &Case<'_>, peer: &Peer, listener: Listener) -> Checked {
    case.evidence.note("→ the stream is cut");
    listener.cut(case.timeouts().quiet).await;
    peer.is_served().await
}

async fn newest_hears(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    // This stream is never read, like a hanging connection.
    let (_, _older) = peer.open(&peer.request("GET")).await?;
    let newer = Listener::of(&peer).await.or_else(|_| skip("a second stream is refused"))?;
    let path = diff(case, &peer, "newest-hears.txt").await?;
    case.act(Action::Reject { path }).await?;
    ensure_received(case, &newer, "the newer stream was open").await
}

/// Accepts a proposal, waits for the outcome and its receipt, and then cuts the stream.
async fn delivered(case: &Case<'_>, name: &str) -> Checked<Peer> {
    let peer = connect::join(case).await?;
    let listener = decided(case, &peer, name, true).await?;
    // The ping and the pong take some time.
    case.quiet().await;
    listener.wait_until_answered(case.timeouts().answer).await;
    cut(case, &peer, listener).await?;
    Ok(peer)
}

/// Opens the stream, has a diff decided, and waits for the outcome.
async fn decided(case: &Case<'_>, peer: &Peer, name: &str, accept: bool) -> Checked<Listener> {
    let listener = Listener::of(peer).await?;
    let path = diff(case, peer, name).await?;
    case.act(if accept { Action::Accept { path } } else { Action::Reject { path } }).await?;
    match received_outcomes::wait_for_outcome(case, &listener, 0).await {
        Some(_) => Ok(listener),
        None => {
            let how = if accept { "accepted" } else { "rejected" };
            skip(format!("no outcome came when the proposal was {how}"))
        }
    }
}

async fn no_repeat(case: &Case<'_>) -> Checked {
    let peer = delivered(case, "no-repeat.txt").await?;
    comes_back(case, &peer, Listener::of(&peer).await?).await
}

async fn no_resumption(case: &Case<'_>) -> Checked {
    let peer = delivered(case, "no-resumption.txt").await?;
    for id in ["0", "1"] {
        let listener = Listener::by(&peer, peer.request("GET").with("Last-Event-ID", id)).await?;
        comes_back(case, &peer, listener).await?;
    }
    Ok(())
}

/// Checks that an outcome is not sent again on a new stream, and cuts that stream.
async fn comes_back(case: &Case<'_>, peer: &Peer, listener: Listener) -> Checked {
    case.quiet().await;
    let newer = listener.read_out(peer).await;
    let told = listener.messages(0, &OUTCOMES);
    ensure(told.is_empty(), || format!("the new stream repeated {}", told[0].1))?;
    cut(case, peer, newer.unwrap_or(listener)).await
}

/// Rejects a proposal whose agent gets the outcome, sends no receipt, and then loses its stream.
async fn unconfirmed(case: &Case<'_>, name: &str) -> Checked<Peer> {
    let mut peer = connect::join(case).await?;
    peer.answers_pings = false;
    let listener = decided(case, &peer, name, false).await?;
    case.evidence.note("→ (pings are not answered: the outcome may as well not have arrived)");
    cut(case, &peer, listener).await?;
    Ok(peer)
}

async fn receipt(case: &Case<'_>) -> Checked {
    let mut peer = unconfirmed(case, "receipt.txt").await?;
    peer.answers_pings = true;
    // The proposal was decided, so the outcome has been sent once.
    match received_outcomes::wait_for_outcome(case, &Listener::of(&peer).await?, 0).await {
        Some(_) => Ok(()),
        None => fail("the stream came back, and the outcome did not come again"),
    }
}

/// The time on a new stream in which no outcome may be sent again.
const HELD_BACK: Duration = Duration::from_millis(100);

async fn not_too_soon(case: &Case<'_>) -> Checked {
    let peer = unconfirmed(case, "not-too-soon.txt").await?;
    let mut measuring = Measuring::default();
    loop {
        let (seen, late) = lateness(sent_again(case, &peer)).await;
        let (opening, after) = seen?;
        if !measuring.counts(late)? {
            continue;
        }
        if after + Duration::from_millis(15) >= HELD_BACK {
            return Ok(());
        }
        // The companion counts from the opening of the stream, which this agent learns later, so the outcome
        // may have been delayed or not.
        measuring.said_nothing(format!("the stream took {} ms to open", opening.as_millis()))?;
    }
}

/// Opens the stream on which the outcome is sent again. Returns the time until the stream opened, and the
/// time from then to the outcome.
async fn sent_again(case: &Case<'_>, peer: &Peer) -> Checked<(Duration, Duration)> {
    // The stream opens between these two moments.
    let asked = Instant::now();
    let listener = Listener::of(peer).await?;
    let opened = Instant::now();
    if received_outcomes::wait_for_outcome(case, &listener, 0).await.is_none() {
        return skip("nothing is sent again");
    }
    let came = listener.messages(0, &OUTCOMES).first().map_or_else(Instant::now, |(came, _)| *came);
    let after = came.saturating_duration_since(asked);
    ensure(after >= HELD_BACK, || {
        format!("the outcome was sent again {} ms after the stream was asked for", after.as_millis())
    })?;
    cut(case, peer, listener).await?;
    Ok((opened.saturating_duration_since(asked), came.saturating_duration_since(opened)))
}
