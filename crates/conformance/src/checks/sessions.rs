//! Checks of sessions: several agents at once, agents that return with a session that has ended, and the end
//! of sessions.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use futures_util::future::join;
use serde_json::json;

use crate::check::Clause::{Advice, Mcp, Shipped};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip, unseen};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::peer::Peer;

/// The check whose failure ends the sessions of others.
pub(crate) const DELETE_OWN: &str = "sessions.delete-own";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "sessions.id",
        title: "A session has an id that cannot be guessed",
        clause: Mcp(Should, "the session ID is globally unique and cryptographically secure"),
        harm: "one agent can act as another",
        ..Check::of(Group::Sessions, When::AtOnce, |case| Box::pin(id(case)))
    },
    Check {
        id: "sessions.several",
        title: "Several agents are served at once",
        clause: Shipped {
            says: "people run several agents in one project, and their subagents connect as well",
            breaks: "every release: the first agent hangs when a second one connects",
        },
        harm: "the first agent hangs as soon as a second one is started",
        ..Check::of(Group::Sessions, When::First, |case| Box::pin(several(case)))
    },
    Check {
        id: "sessions.equal-ids",
        title: "Two agents with equal request ids each get their own replies",
        clause: Shipped {
            says: "every agent counts its requests from 0, so ids are equal all the time",
            breaks: "every release, where several agents run: one was answered with the other's file in \
                21 of 60 tries",
        },
        harm: "an agent writes the content of another file",
        ..Check::of(Group::Sessions, When::First, |case| Box::pin(equal_ids(case)))
    },
    Check {
        id: "sessions.stale",
        title: "A session that is gone is answered 404",
        clause: Mcp(Must, "requests with a session ID that was terminated are answered 404 Not Found"),
        harm: "after a restart of the companion the agent goes on talking to nobody, instead of \
            connecting again",
        ..Check::of(Group::Sessions, When::AtOnce, |case| Box::pin(stale(case)))
    },
    Check {
        id: "sessions.stale-stream",
        title: "The stream of a session that is gone is answered 404",
        clause: Mcp(Must, "requests with a session ID that was terminated are answered 404 Not Found"),
        harm: "after a restart of the companion the agent listens to a stream on which nothing ever comes",
        ..Check::of(Group::Sessions, When::AtOnce, |case| Box::pin(stale_stream(case)))
    },
    Check {
        id: "sessions.missing",
        title: "A request that names no session is refused with 400",
        clause: Mcp(
            Should,
            "requests without Mcp-Session-Id, other than initialize, are answered 400 Bad Request",
        ),
        harm: "messages are served that belong to no agent",
        ..Check::of(Group::Sessions, When::AtOnce, |case| Box::pin(missing(case)))
    },
    Check {
        id: "sessions.delete",
        title: "DELETE ends a session",
        clause: Advice(
            "an agent that says good-bye is forgotten at once; MCP lets a server refuse that with 405",
        ),
        harm: "proposals of an agent that said good-bye stay open",
        ..Check::of(Group::Sessions, When::AtOnce, |case| Box::pin(delete(case)))
    },
    Check {
        id: DELETE_OWN,
        title: "DELETE ends no other session",
        clause: Mcp(Must, "DELETE terminates the session that its Mcp-Session-Id names"),
        harm: "an agent that ends disconnects the others",
        ..Check::of(Group::Sessions, When::First, |case| Box::pin(delete_own(case)))
    },
    Check {
        id: "sessions.slow",
        title: "A slow agent delays no other",
        clause: Advice("requests of different agents are served independently"),
        harm: "one agent that hangs makes all others hang",
        ..Check::of(Group::Sessions, When::First, |case| Box::pin(slow(case)))
    },
];

async fn id(case: &Case<'_>) -> Checked {
    let mut ids = Vec::new();
    for _ in 0..4 {
        let (peer, _) = connect::introduce(case).await?;
        let Some(id) = peer.session().map(str::to_owned) else {
            return fail("initialize was answered without an Mcp-Session-Id");
        };
        case.evidence.note(format!("← Mcp-Session-Id: {id}"));
        let visible = id.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
        ensure(visible, || format!("the session id {id:?} is not visible ASCII"))?;
        ids.push(id);
    }
    let different: HashSet<&String> = ids.iter().collect();
    ensure(different.len() == ids.len(), || format!("two sessions have the same id: {ids:?}"))?;
    // The equal characters of two ids are no secret; the others must have 64 bits.
    let common = |one: &str, other: &str| one.bytes().zip(other.bytes()).filter(|(a, b)| a == b).count();
    let secret = ids.iter().skip(1).map(|other| other.len().saturating_sub(common(&ids[0], other))).min();
    ensure(secret.is_some_and(|secret| secret >= 10), || format!("the session ids can be guessed: {ids:?}"))
}

async fn several(case: &Case<'_>) -> Checked {
    let first = connect::join(case).await?;
    first.ask("ping", json!({})).await?;
    let second = match connect::join(case).await {
        Ok(second) => second,
        Err(_) => return fail("a second agent cannot connect while the first one is connected"),
    };
    for (peer, name) in [(&second, "second"), (&first, "first")] {
        if peer.is_served().await.is_err() {
            return fail(format!("with two agents connected, the {name} one gets no answer"));
        }
        // The second agent is asked first.
        case.fixture.newest_is_served.store(true, Ordering::Relaxed);
    }
    Ok(())
}

async fn equal_ids(case: &Case<'_>) -> Checked {
    const ROUNDS: i64 = 20;
    let (one, other) = (connect::join(case).await?, connect::join(case).await?);
    one.is_served().await?;
    for round in 0..ROUNDS {
        // The two requests differ, so the replies show to which agent each belongs.
        let id = json!(1000 + round);
        let asked = join(one.ask_as(&id, "tools/list", json!({})), other.ask_as(&id, "ping", json!({})));
        let (Ok(listed), Ok(pong)) = asked.await else {
            return fail("of two agents that asked at once with the same id, one was not answered");
        };
        let crossed = listed["result"]["tools"].is_null() || !pong["result"]["tools"].is_null();
        ensure(!crossed, || {
            format!("tools/list was answered with {listed}, and another agent's ping {pong}")
        })?;
    }
    Ok(())
}

/// Returns an agent with a session id that has the companion's form and belongs to no session.
pub(crate) async fn ghost(case: &Case<'_>) -> Checked<Peer> {
    let peer = connect::join(case).await?;
    peer.ask("ping", json!({})).await?;
    match peer.session().map(str::to_owned) {
        Some(id) => {
            // The end is random, because one in 65,536 sessions could have a fixed one.
            let known = id.chars().count().saturating_sub(4);
            let other = |c| if c == '0' { '1' } else { '0' };
            let id: String = id.chars().take(known).chain(id.chars().skip(known).map(other)).collect();
            Ok(peer.with_session(id))
        }
        None => unseen("the companion gives no session ids"),
    }
}

async fn stale(case: &Case<'_>) -> Checked {
    let ghost = ghost(case).await?;
    let answer = ghost.send(&ghost.ping(1)).await?;
    ensure(answer.status() == 404, || format!("the POST was answered with {}", answer.status()))
}

async fn stale_stream(case: &Case<'_>) -> Checked {
    let ghost = ghost(case).await?;
    let (head, _) = ghost.open(&ghost.request("GET")).await?;
    ensure(head.status == 404, || format!("the GET was answered with {}", head.status))
}

async fn missing(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let answer = peer.send(&peer.post(&message).without("mcp-session-id")).await?;
    ensure(answer.status() == 400, || format!("the POST was answered with {}", answer.status()))
}

async fn delete(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let answer = peer.send(&peer.request("DELETE")).await?;
    if answer.status() == 405 {
        return fail("the companion does not let clients end their session (405, which MCP allows)");
    }
    ensure((200..300).contains(&answer.status()), || {
        format!("DELETE was answered with {}", answer.status())
    })?;
    let answer = peer.send(&peer.ping(1)).await?;
    ensure(answer.status() != 200, || "after DELETE, the session is still served".into())
}

async fn delete_own(case: &Case<'_>) -> Checked {
    let (one, other) = (connect::join(case).await?, connect::join(case).await?);
    other.ask("ping", json!({})).await?;
    let answer = one.send(&one.request("DELETE")).await?;
    if !(200..300).contains(&answer.status()) {
        return skip(format!("DELETE was answered with {}", answer.status()));
    }
    other
        .is_served()
        .await
        .or_else(|_| fail("after one agent ended its session, the other one is not served"))
}

async fn slow(case: &Case<'_>) -> Checked {
    let (slow, other) = (connect::join(case).await?, connect::join(case).await?);
    other.ask("ping", json!({})).await?;
    let mut connections = Vec::new();
    for _ in 0..4 {
        let mut connection = slow.dial().await?;
        let request = slow.ping(1);
        // Half of the announced body.
        let sent = async {
            connection.send(&request.wire.head(request.wire.body.len() * 2)).await?;
            connection.send(&request.wire.body).await
        };
        if sent.await.is_ok() {
            connections.push(connection);
        }
    }
    case.evidence
        .note(format!("→ {} requests of another agent, of which only half is sent", connections.len()));
    // The first request may have been handled before them; the second one meets them.
    for _ in 0..2 {
        if other.is_served().await.is_err() {
            return fail("while one agent's requests are unfinished, another agent gets no answer");
        }
    }
    Ok(())
}
