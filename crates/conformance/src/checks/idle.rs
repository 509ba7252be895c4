//! Checks that take long: an idle agent is kept, and the session of a vanished agent is freed. They begin
//! before all other checks, in sessions of their own, and are judged at the end of their time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::check::Clause::{Advice, Shipped};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, fail, skip, unseen};
use crate::checks::sessions::ghost;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::scenes::Watched;
use crate::http::peer::Peer;
use crate::http::response::NoResponse;
use crate::http::stream_listener::{Listener, Received};
use crate::time::clock;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "sessions.freed",
        title: "A session is freed a minute after its agent is gone",
        clause: Advice(
            "agents end without a good-bye: a session is freed 60 s after its last stream or request",
        ),
        harm: "every agent that ever ran costs memory until the editor ends, and its proposals stay open",
        ..Check::of(Group::Sessions, When::Beside, |case| Box::pin(freed(case)))
    },
    Check {
        id: "streams.keep-alive",
        title: "An idle stream gives a sign of life before agents give it up",
        clause: Shipped {
            says: "a body that is silent for 300 seconds is given up",
            breaks: "every release on Node's own HTTP client: “connection lost”, for good",
        },
        harm: "after five quiet minutes the agent is disconnected",
        ..Check::of(Group::Streams, When::Beside, |case| Box::pin(keep_alive(case)))
    },
    Check {
        id: "streams.sign-of-life",
        title: "An idle stream gives a sign of life every 20 seconds",
        clause: Advice(
            "a comment every 20 seconds is cheap, and what lies between agent and editor may be impatient",
        ),
        harm: "behind a proxy or a tunnel, agents are disconnected while the person thinks",
        ..Check::of(Group::Streams, When::Beside, |case| Box::pin(sign_of_life(case)))
    },
];

/// The most messages that may interrupt the silence of a stream before the check gives up.
const MAX_INTERRUPTIONS: usize = 10_000;

impl Watched {
    fn is_known(&self, often: Duration, limit: Duration) -> bool {
        (self.is_often || self.silence >= often) && (self.signs > 0 || self.silence >= limit)
    }
}

/// Returns the time after which a companion that had to act within `time` is certainly late.
fn at_latest(time: Duration) -> Duration {
    time + time / 10
}

/// Connects an agent that only listens.
pub(crate) async fn listens(case: &Case<'_>) -> Checked<(Peer, Arc<Listener>)> {
    case.scene(&case.fixture.scenes.listens, async {
        let peer = connect::join(case).await?;
        let listener = Listener::of(&peer).await?;
        Ok((peer, Arc::new(listener)))
    })
    .await
}

/// Connects an agent that vanishes without ending its session.
pub(crate) async fn is_gone(case: &Case<'_>) -> Checked<Peer> {
    let (needed, waits) = (at_latest(case.timeouts().freed), case.timeouts().wait);
    if needed > waits {
        return skip(format!(
            "it takes {} s, and this run waits {} s only (--wait)",
            needed.as_secs(),
            waits.as_secs()
        ));
    }
    case.scene(&case.fixture.scenes.is_gone, async {
        let peer = connect::join(case).await?;
        if peer.session().is_none() {
            return unseen("it gives no session ids");
        }
        Listener::of(&peer).await?.cut(case.timeouts().quiet).await;
        case.evidence.note("→ the stream is cut, and nothing more is sent");
        Ok(peer)
    })
    .await
}

async fn watching(case: &Case<'_>) -> Checked<Watched> {
    case.scene(&case.fixture.scenes.watching, async {
        let (peer, listener) = listens(case).await?;
        let seen = watch(case, &peer, &listener).await;
        // The stream is no longer needed.
        listener.hang_up();
        let seen = seen?;
        let times = if seen.is_often { ", two of them close enough" } else { "" };
        let silence = seen.silence.as_secs_f32();
        case.evidence
            .note(format!("← {} signs of life{times}; silent for {silence:.1} s at least", seen.signs));
        Ok(seen)
    })
    .await
}

/// Listens until all results are known, or until the longest wait after the last message has passed.
async fn watch(case: &Case<'_>, peer: &Peer, listener: &Listener) -> Checked<Watched> {
    let timeouts = case.timeouts();
    let (often, limit) = (at_latest(timeouts.sign_of_life), at_latest(timeouts.keep_alive));
    // The first messages show nothing about silence.
    clock::pass(Duration::from_millis(500)).await;
    let mut seen = Watched::default();
    let mut last: Option<Instant> = None;
    let begin = listener.mark();
    for mark in begin..begin + MAX_INTERRUPTIONS {
        let mut silent = Duration::ZERO;
        for until in [often, limit, timeouts.wait].map(|until| until.min(timeouts.wait)) {
            let left = until.saturating_sub(silent);
            if listener.wait(mark, left, |_| Some(())).await.is_some() {
                break;
            }
            silent = silent.max(until);
            seen.silence = seen.silence.max(silent);
            if seen.is_known(often, limit) {
                return Ok(seen);
            }
        }
        let Some((at, next)) = listener.since(mark).into_iter().next() else { return Ok(seen) };
        match next {
            Received::Sign => {}
            Received::Message(message) if message["method"] == "ping" => {}
            Received::Ended | Received::Broke => {
                // A stream has to end if its session is gone.
                peer.is_served().await?;
                return fail("the stream ended by itself");
            }
            // A message about the editor starts the silence again.
            Received::Message(_) => continue,
        }
        seen.signs += 1;
        seen.is_often |= last.is_some_and(|last| at.saturating_duration_since(last) <= often);
        last = Some(at);
        if seen.is_known(often, limit) {
            return Ok(seen);
        }
    }
    Ok(seen)
}

async fn keep_alive(case: &Case<'_>) -> Checked {
    let seen = watching(case).await?;
    if seen.signs > 0 {
        return Ok(());
    }
    silent(case, &seen, case.timeouts().keep_alive)
}

async fn sign_of_life(case: &Case<'_>) -> Checked {
    let seen = watching(case).await?;
    if seen.is_often {
        return Ok(());
    }
    silent(case, &seen, case.timeouts().sign_of_life)
}

/// Judges a silence by the longest one that is allowed.
fn silent(case: &Case<'_>, seen: &Watched, time: Duration) -> Checked {
    if seen.silence >= at_latest(time) {
        return fail(format!("nothing came for {} s", time.as_secs_f32()));
    }
    let (needed, waits) = (at_latest(time), case.timeouts().wait);
    if needed > waits {
        return skip(format!(
            "a silence of {} s would tell, and this run waits {} s only (--wait)",
            needed.as_secs(),
            waits.as_secs()
        ));
    }
    unseen("the stream was never silent for long enough")
}

async fn freed(case: &Case<'_>) -> Checked {
    let peer = is_gone(case).await?;
    clock::pass(at_latest(case.timeouts().freed)).await;
    let stream = async |peer: &Peer| match peer.open(&peer.request("GET")).await {
        Ok((head, _)) => Ok(head.status == 200),
        Err(NoResponse(why)) => skip(why),
    };
    if !stream(&peer).await? {
        return Ok(());
    }
    if stream(&ghost(case).await?).await? {
        return unseen("it opens a stream for an unknown session as well");
    }
    let needed = at_latest(case.timeouts().freed).as_secs();
    fail(format!("{needed} s after its agent was gone, the session is still served"))
}
