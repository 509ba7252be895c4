//! Checks of the GET stream: how it opens, the form of every event on it, and which of several streams
//! counts.

use std::time::Duration;

use crate::check::Clause::{Advice, Mcp, Shipped};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail};
use crate::checks::all_stream_events::over_all;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::stream_listener::Listener;
use crate::http::stream_rules::Rule;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "streams.opens",
        title: "A GET opens the stream at once, as text/event-stream",
        clause: Mcp(Must, "the server answers GET with Content-Type: text/event-stream, or else 405"),
        harm: "the agent hears nothing: no context, and no diff ever ends",
        ..Check::of(Group::Streams, When::AtOnce, |case| Box::pin(opens(case)))
    },
    Check {
        id: "streams.newest",
        title: "A stream that is opened again takes the place of the older one",
        clause: Shipped {
            says: "an agent whose connection hangs opens its stream again, and listens to that one",
            breaks: "every release, after the machine slept or the network changed: what is told on the \
                old stream is lost",
        },
        harm: "the agent waits for ever for the outcome of its diff",
        ..Check::of(Group::Streams, When::AtOnce, |case| Box::pin(newest(case)))
    },
    Check {
        id: "streams.older-ends",
        title: "The older stream ends properly when a newer one opens",
        clause: Advice("a session has one stream; the older one ends with its last chunk"),
        harm: "connections pile up, and an agent with an early SDK takes the break for an error",
        ..Check::of(Group::Streams, When::AtOnce, |case| Box::pin(older_ends(case)))
    },
    Check {
        id: "streams.event-ids",
        title: "Events have no ids",
        clause: Shipped {
            says: "clients with an early SDK open another stream after each answer whose events had ids",
            breaks: "Gemini CLI and Qwen Code with a TypeScript SDK up to 1.17",
        },
        harm: "streams are opened again and again, and messages in between are lost",
        ..Check::of(Group::Streams, When::Afterwards, |case| over_all(case, Rule::EventIds))
    },
    Check {
        id: "streams.retry",
        title: "There is no retry hint",
        clause: Shipped {
            says: "a retry hint changes when a stream that broke is opened again",
            breaks: "Gemini CLI 0.61 and other releases with a newer SDK",
        },
        harm: "the agent comes back too late, or too often",
        ..Check::of(Group::Streams, When::Afterwards, |case| over_all(case, Rule::Retry))
    },
    Check {
        id: "streams.empty-events",
        title: "There is no event without data",
        clause: Shipped {
            says: "an event with empty data, such as one that only primes the stream, is read as a message",
            breaks: "Gemini CLI 0.61 disconnects in the middle of a diff",
        },
        harm: "the agent disconnects",
        ..Check::of(Group::Streams, When::Afterwards, |case| over_all(case, Rule::Empty))
    },
    Check {
        id: "streams.messages",
        title: "Every event is a JSON-RPC message",
        clause: Shipped {
            says: "every event is read as a message",
            breaks: "every release: one that is none disconnects until /ide enable",
        },
        harm: "the agent disconnects",
        ..Check::of(Group::Streams, When::Afterwards, |case| over_all(case, Rule::Messages))
    },
    Check {
        id: "streams.no-null",
        title: "Missing fields are absent, and never null",
        clause: Shipped {
            says: "messages are validated, and an optional field may be absent but not null",
            breaks: "every release: one invalid notification disconnects until /ide enable",
        },
        harm: "the agent disconnects",
        ..Check::of(Group::Streams, When::Afterwards, |case| over_all(case, Rule::Null))
    },
    Check {
        id: "streams.no-replies",
        title: "Replies come with the request, and not on the stream",
        clause: Mcp(Must, "the server must not send a JSON-RPC response on the GET stream"),
        harm: "the agent waits for an answer that went elsewhere",
        ..Check::of(Group::Streams, When::Afterwards, |case| over_all(case, Rule::Replies))
    },
];

async fn opens(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let (head, _connection) = peer.open(&peer.request("GET")).await?;
    ensure(head.status == 200, || format!("GET was answered with {}", head.status))?;
    ensure(head.is_event_stream(), || {
        format!("its Content-Type is {:?}", head.get("content-type").unwrap_or_default())
    })
}

async fn newest(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let older = Listener::of(&peer).await?;
    // A stream that gets an update when it opens is the one that counts.
    let first = older.message(0, Duration::from_secs(1), &["ide/contextUpdate"]).await;
    let newer = match peer.open(&peer.request("GET")).await? {
        (head, connection) if head.status == 200 => Listener::new(connection, peer.clone()),
        (head, _) => return fail(format!("the second GET was answered with {}", head.status)),
    };
    if newer.wait_for_end(case.timeouts().quiet).await.is_some() {
        return fail("the newer stream ended at once");
    }
    if first.is_none() {
        // This companion sends no update when a stream opens, so nothing shows which stream counts.
        return Ok(());
    }
    let told = newer.message(0, case.timeouts().answer, &["ide/contextUpdate"]).await;
    ensure(told.is_some(), || "the older stream was told the context, and the newer one nothing".into())
}

async fn older_ends(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let older = Listener::of(&peer).await?;
    let _newer = Listener::of(&peer).await?;
    match older.wait_for_end(case.timeouts().answer).await {
        Some(true) => Ok(()),
        Some(false) => fail("the older stream broke off, instead of ending properly"),
        None => {
            fail(format!("the older stream is still open after {} s", case.timeouts().answer.as_secs_f32()))
        }
    }
}
