//! Checks of who may talk to a companion: the token, `Host`, `Origin`, and the addresses it listens on.

use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

use alongside_platform::Os;
use serde_json::json;

use super::Clause::{Advice, Mcp, Shipped, Spec};
use super::Level::Must;
use super::bench::{Case, Checked, ensure, fail, unseen};
use super::peer::{Answer, PROPOSED, initialize};
use super::table::{Check, Group, When};
use super::wire::{Connection, Request};

const VALIDATES: super::Clause =
    Spec(Must, "the server validates the token on every request and rejects any that are unauthorized");
const READS_FILES: &str =
    "every program on the machine can read what the person has open, and put proposals before them";
const DNS_REBINDING: &str = "a web page that the person visits can talk to their editor";

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "access.no-token",
        group: Group::Access,
        title: "A request without the token is refused",
        clause: VALIDATES,
        harm: READS_FILES,
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(no_token(case)),
    },
    Check {
        id: "access.wrong-token",
        group: Group::Access,
        title: "A request with a wrong token is refused",
        clause: VALIDATES,
        harm: READS_FILES,
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(wrong_token(case)),
    },
    Check {
        id: "access.almost-token",
        group: Group::Access,
        title: "A request with a part of the token, or with more than it, is refused",
        clause: VALIDATES,
        harm: "the token can be guessed piece by piece",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(almost_token(case)),
    },
    Check {
        id: "access.scheme",
        group: Group::Access,
        title: "The token counts as a bearer token only",
        clause: Spec(
            Must,
            "the token is sent as Authorization: Bearer, and the server validates it on every request",
        ),
        harm: "a header that something else filled in lets strangers in",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(scheme(case)),
    },
    Check {
        id: "access.session-is-no-token",
        group: Group::Access,
        title: "Who names a session still needs the token",
        clause: VALIDATES,
        harm: "whoever sees a session id in a log can act as the agent",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(session_is_no_token(case)),
    },
    Check {
        id: "access.get-token",
        group: Group::Access,
        title: "The stream opens with the token only",
        clause: VALIDATES,
        harm: "whoever sees a session id in a log hears which files are open, and what was accepted",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(get_token(case)),
    },
    Check {
        id: "access.delete-token",
        group: Group::Access,
        title: "A session ends with the token only",
        clause: VALIDATES,
        harm: "strangers can disconnect the agent",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(delete_token(case)),
    },
    Check {
        id: "access.before-body",
        group: Group::Access,
        title: "A request is refused before its body is read",
        clause: Advice("the token is looked at before anything is done for whoever sent it"),
        harm: "strangers can fill the editor's memory",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(before_body(case)),
    },
    Check {
        id: "access.host-names",
        group: Group::Access,
        title: "The names of this machine are good as Host",
        clause: Shipped {
            says: "agents dial 127.0.0.1 or localhost",
            breaks: "Gemini CLI dials localhost up to 0.9 and 127.0.0.1 since, Qwen Code both",
        },
        harm: "the agent cannot connect",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(host_names(case)),
    },
    Check {
        id: "access.ipv6-host",
        group: Group::Access,
        title: "[::1] is good as Host",
        clause: Advice("every name of this machine is good as Host"),
        harm: "a proxy or a bridge that dials ::1 for localhost cannot connect",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(ipv6_host(case)),
    },
    Check {
        id: "access.container",
        group: Group::Access,
        title: "host.docker.internal is good as Host",
        clause: Shipped {
            says: "in containers agents dial host.docker.internal",
            breaks: "Gemini CLI and Qwen Code in containers, every release that has IDE mode there",
        },
        harm: "in a development container the agent cannot connect",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(container(case)),
    },
    Check {
        id: "access.foreign-host",
        group: Group::Access,
        title: "A foreign Host is refused",
        clause: Advice(
            "only names of this machine, with its port, are good as Host, as in the companions that agents' makers ship",
        ),
        harm: DNS_REBINDING,
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(foreign_host(case)),
    },
    Check {
        id: "access.similar-host",
        group: Group::Access,
        title: "A Host that only looks local is refused",
        clause: Advice("Host is compared as a whole, with its port"),
        harm: DNS_REBINDING,
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(similar_host(case)),
    },
    Check {
        id: "access.foreign-origin",
        group: Group::Access,
        title: "A web page's Origin is refused",
        clause: Mcp(
            Must,
            "servers validate the Origin header on all incoming connections to prevent DNS rebinding",
        ),
        harm: DNS_REBINDING,
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(foreign_origin(case)),
    },
    Check {
        id: "access.local-origin",
        group: Group::Access,
        title: "The Origin of a local page is refused as well",
        clause: Advice("agents send no Origin: whoever sends one is a page"),
        harm: "a page from any development server on this machine can talk to the editor",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(local_origin(case)),
    },
    Check {
        id: "access.loopback",
        group: Group::Access,
        title: "It listens on the loopback only",
        clause: Spec(Must, "the server is a local HTTP server"),
        harm: "everybody in the same network can try to talk to the editor",
        needs: &[],
        when: When::InTurn,
        judge: |case| Box::pin(loopback(case)),
    },
];

impl Case<'_> {
    /// The first message of an agent: whatever is wrong with the request, it is not the message.
    fn knock(&self) -> Request {
        self.stranger().post(&initialize(&1.into(), PROPOSED))
    }

    fn token(&self) -> Checked<&str> {
        match self.bench.target.record.auth_token.as_deref() {
            Some(token) if token.is_ascii() && token.len() > 1 => Ok(token),
            _ => unseen("it has no token"),
        }
    }

    /// Sends what has to be refused.
    async fn refused(&self, request: Request, why: &str) -> Checked {
        self.answered(request, &[401, 403], why).await
    }

    async fn answered(&self, request: Request, statuses: &[u16], why: &str) -> Checked {
        // Only the head counts: what should have been refused may be a stream.
        let peer = self.stranger();
        let answer = if request.method == "GET" {
            peer.open(&request).await.map(|(head, _)| Answer { head, ..Answer::default() })?
        } else {
            peer.send(&request).await?
        };
        // A session that should not be is ended again.
        if let Some(session) = answer.head.get("mcp-session-id").filter(|_| answer.status() == 200) {
            self.took(&peer.with_session(session), None);
        }
        ensure(statuses.contains(&answer.status()), || {
            let expected: Vec<String> = statuses.iter().map(u16::to_string).collect();
            format!("{why} it answered {} instead of {}", answer.status(), expected.join(" or "))
        })
    }
}

async fn no_token(case: &Case<'_>) -> Checked {
    case.token()?;
    case.refused(case.knock().without("Authorization"), "to a request without the token").await
}

async fn wrong_token(case: &Case<'_>) -> Checked {
    let wrong: String = case.token()?.chars().map(|c| if c == 'x' { 'y' } else { 'x' }).collect();
    case.refused(case.knock().with("Authorization", format!("Bearer {wrong}")), "to a wrong token").await?;
    case.refused(case.knock().with("Authorization", "Bearer "), "to an empty token").await
}

async fn almost_token(case: &Case<'_>) -> Checked {
    let token = case.token()?;
    let (shorter, last) = token.split_at(token.len() - 1);
    let other = if last == "x" { "y" } else { "x" };
    let half = &token[..token.len() / 2];
    for almost in [shorter.to_owned(), half.to_owned(), format!("{token}x"), format!("{shorter}{other}")] {
        // The evidence must not show it: it is nearly the token.
        let request = case.knock().with("Authorization", format!("Bearer {almost}"));
        let mut hidden = request.clone();
        hidden.differs = vec![format!("a token of {} characters that is nearly the right one", almost.len())];
        case.refused(hidden, "to a token that is nearly the right one").await?;
    }
    Ok(())
}

async fn scheme(case: &Case<'_>) -> Checked {
    let token = case.token()?;
    for value in [format!("Basic {token}"), token.to_owned(), format!("Token {token}")] {
        let request = case.knock().with("Authorization", value);
        case.refused(request, "to the token under another scheme").await?;
    }
    Ok(())
}

async fn session_is_no_token(case: &Case<'_>) -> Checked {
    case.token()?;
    let peer = case.join().await?;
    let ping = peer.post(&json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" }));
    case.refused(ping.without("Authorization"), "to a session id without the token").await
}

async fn get_token(case: &Case<'_>) -> Checked {
    case.token()?;
    let peer = case.join().await?;
    let get = peer.request("GET");
    case.refused(get.clone().without("Authorization"), "to a GET without the token").await?;
    case.refused(get.with("Authorization", "Bearer no-such-token"), "to a GET with a wrong token").await
}

async fn delete_token(case: &Case<'_>) -> Checked {
    case.token()?;
    let peer = case.join().await?;
    peer.is_served().await?;
    let delete = peer.request("DELETE").without("Authorization");
    case.answered(delete, &[401, 403, 405], "to a DELETE without the token").await?;
    match peer.ask("ping", json!({})).await {
        Ok(_) => Ok(()),
        Err(_) => fail("the session was ended by a DELETE without the token"),
    }
}

async fn before_body(case: &Case<'_>) -> Checked {
    case.token()?;
    let peer = case.stranger();
    let request = case.knock().without("Authorization");
    let mut connection = peer.dial().await?;
    peer.note(&request.clone().body("a body of 8 MB, of which nothing is sent"));
    let exchange = async {
        connection.send(&request.head(8 << 20)).await?;
        connection.head().await
    };
    match tokio::time::timeout(case.pace().answer.min(Duration::from_secs(2)), exchange).await {
        Ok(Ok(head)) => {
            case.log.note(format!("← {}", head.status));
            ensure(matches!(head.status, 401 | 403), || format!("it answered {}", head.status))
        }
        // To hang up is to refuse.
        Ok(Err(_)) => Ok(()),
        Err(_) => fail("it waits for the body of a request without the token"),
    }
}

async fn host_names(case: &Case<'_>) -> Checked {
    for name in ["127.0.0.1", "localhost"] {
        is_welcome(case, name).await?;
    }
    Ok(())
}

async fn ipv6_host(case: &Case<'_>) -> Checked {
    is_welcome(case, "[::1]").await
}

async fn container(case: &Case<'_>) -> Checked {
    is_welcome(case, "host.docker.internal").await
}

async fn is_welcome(case: &Case<'_>, name: &str) -> Checked {
    // In a session that is served otherwise: that agents are welcome at all is judged elsewhere.
    let peer = case.join().await?;
    peer.is_served().await?;
    let host = format!("{name}:{}", case.bench.target.record.port);
    let ping = peer.post(&json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" }));
    case.answered(ping.with("Host", &host), &[200], &format!("to Host: {host}")).await
}

async fn foreign_host(case: &Case<'_>) -> Checked {
    let port = case.bench.target.record.port;
    for host in [format!("evil.example:{port}"), "evil.example".to_owned(), format!("192.0.2.1:{port}")] {
        not_here(case, "Host", &host).await?;
    }
    Ok(())
}

async fn similar_host(case: &Case<'_>) -> Checked {
    let port = case.bench.target.record.port;
    for name in ["localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost"] {
        not_here(case, "Host", &format!("{name}:{port}")).await?;
    }
    not_here(case, "Host", &format!("127.0.0.1:{}", if port == 1 { 2 } else { 1 })).await
}

async fn foreign_origin(case: &Case<'_>) -> Checked {
    not_here(case, "Origin", "https://evil.example").await
}

async fn local_origin(case: &Case<'_>) -> Checked {
    let own = format!("http://127.0.0.1:{}", case.bench.target.record.port);
    for origin in ["http://localhost:3000", own.as_str(), "null"] {
        not_here(case, "Origin", origin).await?;
    }
    Ok(())
}

async fn not_here(case: &Case<'_>, header: &str, value: &str) -> Checked {
    let request = case.knock().with(header, value);
    case.answered(request, &[403, 400, 421, 401], &format!("to {header}: {value}")).await
}

async fn loopback(case: &Case<'_>) -> Checked {
    if !matches!(case.bench.target.host.as_str(), "127.0.0.1" | "localhost" | "::1" | "[::1]") {
        return unseen("it was named by another address");
    }
    let addresses = other_addresses();
    if addresses.is_empty() {
        return unseen("this machine has no other address");
    }
    let port = case.bench.target.record.port;
    for address in addresses {
        let named = address.to_string();
        let dialled = Connection::dial(&named, port);
        let open = matches!(tokio::time::timeout(Duration::from_secs(2), dialled).await, Ok(Ok(_)));
        case.log.note(format!("→ a connection to {address}:{port}"));
        case.log.note(if open { "← it is accepted" } else { "← it is refused" });
        ensure(!open, || format!("it also listens on {address}"))?;
    }
    Ok(())
}

/// Addresses of this machine under which a companion must not be found. Nothing is sent in order to learn them.
fn other_addresses() -> Vec<IpAddr> {
    let outward = |bind: &str, to: &str| {
        let socket = UdpSocket::bind(bind).ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let mut addresses: Vec<IpAddr> =
        [outward("0.0.0.0:0", "192.0.2.1:9"), outward("[::]:0", "[2001:db8::1]:9")]
            .into_iter()
            .flatten()
            .collect();
    addresses.retain(|address| !address.is_loopback() && !address.is_unspecified());
    // Who listens on every address is found here as well, also without a network.
    if Os::HERE == Os::Linux {
        addresses.push(IpAddr::from([127, 0, 0, 2]));
    }
    addresses
}
