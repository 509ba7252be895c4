//! Checks of the access to a companion: only agents with the token get it.

use std::time::Duration;

use crate::check::Clause::{Advice, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Clause, Group, When};
use crate::check_ending::{Checked, ensure, fail, unseen};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::peer::{PROPOSED, initialize};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::time::clock::within;

const VALIDATES: Clause =
    Spec(Must, "the server validates the token on every request and rejects any that are unauthorized");
const READS_FILES: &str =
    "every program on the machine can read what the person has open, and put proposals before them";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "access.no-token",
        title: "A request without the token is refused",
        clause: VALIDATES,
        harm: READS_FILES,
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(no_token(case)))
    },
    Check {
        id: "access.wrong-token",
        title: "A request with a wrong token is refused",
        clause: VALIDATES,
        harm: READS_FILES,
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(wrong_token(case)))
    },
    Check {
        id: "access.almost-token",
        title: "A request with a part of the token, or with more than it, is refused",
        clause: VALIDATES,
        harm: "the token can be guessed piece by piece",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(almost_token(case)))
    },
    Check {
        id: "access.scheme",
        title: "The token is accepted as a bearer token only",
        clause: Spec(
            Must,
            "the token is sent as Authorization: Bearer, and the server validates it on every request",
        ),
        harm: "a header that something else filled in lets strangers in",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(scheme(case)))
    },
    Check {
        id: "access.session-is-no-token",
        title: "A session id does not replace the token",
        clause: VALIDATES,
        harm: "whoever sees a session id in a log can act as the agent",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(session_is_no_token(case)))
    },
    Check {
        id: "access.get-token",
        title: "The stream opens with the token only",
        clause: VALIDATES,
        harm: "whoever sees a session id in a log hears which files are open, and what was accepted",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(get_token(case)))
    },
    Check {
        id: "access.delete-token",
        title: "A session ends with the token only",
        clause: VALIDATES,
        harm: "strangers can disconnect the agent",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(delete_token(case)))
    },
    Check {
        id: "access.before-body",
        title: "A request is refused before its body is read",
        clause: Advice("the token is looked at before anything is done for whoever sent it"),
        harm: "strangers can fill the editor's memory",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(before_body(case)))
    },
];

/// Returns the first request of an agent, whose message is always correct.
pub(crate) fn knock(case: &Case<'_>) -> Request {
    connect::stranger(case).post(&initialize(&1.into(), PROPOSED))
}

fn token<'a>(case: &Case<'a>) -> Checked<&'a str> {
    match case.fixture.target.record.auth_token.as_deref() {
        Some(token) if token.is_ascii() && !token.is_empty() => Ok(token),
        Some(token) if !token.is_empty() => unseen("its token is not of ASCII, which no header carries"),
        _ => unseen("it has no token"),
    }
}

/// Sends a request that must be refused.
async fn refused(case: &Case<'_>, request: Request, why: &str) -> Checked {
    answered(case, request, &[401, 403], why).await
}

pub(crate) async fn answered(case: &Case<'_>, request: Request, statuses: &[u16], why: &str) -> Checked {
    // Only the head counts, because a request that should have been refused may get a stream.
    let peer = connect::stranger(case);
    let answer = if request.wire.method() == "GET" {
        peer.open(&request).await.map(|(head, _)| Response { head, ..Response::default() })?
    } else {
        // A session that should not exist is ended.
        case.begin(&peer, request).await?
    };
    ensure(statuses.contains(&answer.status()), || {
        let expected: Vec<String> = statuses.iter().map(u16::to_string).collect();
        format!("{why} it answered {} instead of {}", answer.status(), expected.join(" or "))
    })
}

async fn no_token(case: &Case<'_>) -> Checked {
    token(case)?;
    refused(case, knock(case).without("Authorization"), "to a request without the token").await
}

async fn wrong_token(case: &Case<'_>) -> Checked {
    let wrong: String = token(case)?.chars().map(|c| if c == 'x' { 'y' } else { 'x' }).collect();
    refused(case, knock(case).with("Authorization", format!("Bearer {wrong}")), "to a wrong token").await?;
    refused(case, knock(case).with("Authorization", "Bearer "), "to an empty token").await
}

async fn almost_token(case: &Case<'_>) -> Checked {
    let token = token(case)?;
    let (shorter, last) = token.split_at(token.len() - 1);
    let other = if last == "x" { "y" } else { "x" };
    let half = &token[..token.len() / 2];
    for almost in [shorter.to_owned(), half.to_owned(), format!("{token}x"), format!("{shorter}{other}")] {
        // The evidence must not show this token, because it is nearly the real one.
        let request = knock(case).with("Authorization", format!("Bearer {almost}"));
        let mut hidden = request.clone();
        hidden.differences =
            vec![format!("a token of {} characters that is nearly the right one", almost.len())];
        refused(case, hidden, "to a token that is nearly the right one").await?;
    }
    Ok(())
}

async fn scheme(case: &Case<'_>) -> Checked {
    let token = token(case)?;
    for value in [format!("Basic {token}"), token.to_owned(), format!("Token {token}")] {
        let request = knock(case).with("Authorization", value);
        refused(case, request, "to the token under another scheme").await?;
    }
    Ok(())
}

async fn session_is_no_token(case: &Case<'_>) -> Checked {
    token(case)?;
    let peer = connect::join(case).await?;
    refused(case, peer.ping(7).without("Authorization"), "to a session id without the token").await
}

async fn get_token(case: &Case<'_>) -> Checked {
    token(case)?;
    let peer = connect::join(case).await?;
    let get = peer.request("GET");
    refused(case, get.clone().without("Authorization"), "to a GET without the token").await?;
    refused(case, get.with("Authorization", "Bearer no-such-token"), "to a GET with a wrong token").await
}

async fn delete_token(case: &Case<'_>) -> Checked {
    token(case)?;
    let peer = connect::join(case).await?;
    peer.is_served().await?;
    let delete = peer.request("DELETE").without("Authorization");
    answered(case, delete, &[401, 403, 405], "to a DELETE without the token").await?;
    peer.is_served().await.or_else(|_| fail("the session was ended by a DELETE without the token"))
}

async fn before_body(case: &Case<'_>) -> Checked {
    token(case)?;
    let peer = connect::stranger(case);
    let request = knock(case).without("Authorization");
    let mut connection = peer.dial().await?;
    peer.note(&request.clone().with_body("a body of 8 MB, of which nothing is sent"));
    let exchange = async {
        connection.send(&request.wire.head(8 << 20)).await?;
        connection.head().await
    };
    match within(case.timeouts().answer.min(Duration::from_secs(3)), exchange).await {
        Some(Ok(head)) => {
            case.evidence.note(format!("← {}", head.status));
            ensure(matches!(head.status, 401 | 403), || {
                format!("the request was answered with {}", head.status)
            })
        }
        // Closing the connection counts as a refusal.
        Some(Err(_)) => Ok(()),
        None => fail("the companion waits for the body although the token is missing"),
    }
}
