//! Checks of the source of a request: `Host`, `Origin`, and the addresses on which the companion listens.

use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

use alongside_platform::Os;

use crate::check::Clause::{Advice, Mcp, Shipped, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, unseen};
use crate::checks::token_access;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::time::clock::within;
use alongside_agent::Endpoint;
use alongside_agent::wire::Connection;

const DNS_REBINDING: &str = "a web page that the person visits can talk to their editor";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "access.host-names",
        title: "The names of this machine are accepted as Host",
        clause: Shipped {
            says: "agents dial 127.0.0.1 or localhost",
            breaks: "Gemini CLI dials localhost up to 0.9 and 127.0.0.1 since, Qwen Code both",
        },
        harm: "the agent cannot connect",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(host_names(case)))
    },
    Check {
        id: "access.ipv6-host",
        title: "[::1] is accepted as Host",
        clause: Advice("every name of this machine is accepted as Host"),
        harm: "a proxy or a bridge that dials ::1 for localhost cannot connect",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(is_welcome(case, "[::1]")))
    },
    Check {
        id: "access.container",
        title: "host.docker.internal is accepted as Host",
        clause: Shipped {
            says: "in containers agents dial host.docker.internal",
            breaks: "Gemini CLI and Qwen Code in containers, every release that has IDE mode there",
        },
        harm: "in a development container the agent cannot connect",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(is_welcome(case, "host.docker.internal")))
    },
    Check {
        id: "access.foreign-host",
        title: "A foreign Host is refused",
        clause: Advice(
            "only names of this machine, with its port, are accepted as Host, as in the companions that \
                agents' makers ship",
        ),
        harm: DNS_REBINDING,
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(foreign_host(case)))
    },
    Check {
        id: "access.similar-host",
        title: "A Host that only looks local is refused",
        clause: Advice("Host is compared as a whole, with its port"),
        harm: DNS_REBINDING,
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(similar_host(case)))
    },
    Check {
        id: "access.foreign-origin",
        title: "A web page's Origin is refused",
        clause: Mcp(
            Must,
            "servers validate the Origin header on all incoming connections to prevent DNS rebinding",
        ),
        harm: DNS_REBINDING,
        ..Check::of(Group::Access, When::AtOnce, |case| {
            Box::pin(not_here(case, "Origin", "https://evil.example"))
        })
    },
    Check {
        id: "access.local-origin",
        title: "The Origin of a local page is refused as well",
        clause: Advice("agents send no Origin: whoever sends one is a page"),
        harm: "a page from any development server on this machine can talk to the editor",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(local_origin(case)))
    },
    Check {
        id: "access.loopback",
        title: "The companion listens on the loopback only",
        clause: Spec(Must, "the server is a local HTTP server"),
        harm: "everybody in the same network can try to talk to the editor",
        ..Check::of(Group::Access, When::AtOnce, |case| Box::pin(loopback(case)))
    },
];

async fn host_names(case: &Case<'_>) -> Checked {
    for name in ["127.0.0.1", "localhost"] {
        is_welcome(case, name).await?;
    }
    Ok(())
}

async fn is_welcome(case: &Case<'_>, name: &str) -> Checked {
    // The session works without the header: other checks judge whether agents are admitted.
    let peer = connect::join(case).await?;
    peer.is_served().await?;
    let host = format!("{name}:{}", case.fixture.target.record.port);
    token_access::answered(case, peer.ping(7).with("Host", &host), &[200], &format!("to Host: {host}")).await
}

async fn foreign_host(case: &Case<'_>) -> Checked {
    let port = case.fixture.target.record.port;
    for host in [format!("evil.example:{port}"), "evil.example".to_owned(), format!("192.0.2.1:{port}")] {
        not_here(case, "Host", &host).await?;
    }
    Ok(())
}

async fn similar_host(case: &Case<'_>) -> Checked {
    let port = case.fixture.target.record.port;
    for name in ["localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost"] {
        not_here(case, "Host", &format!("{name}:{port}")).await?;
    }
    not_here(case, "Host", &format!("127.0.0.1:{}", if port == 1 { 2 } else { 1 })).await
}

async fn local_origin(case: &Case<'_>) -> Checked {
    let own = format!("http://127.0.0.1:{}", case.fixture.target.record.port);
    for origin in ["http://localhost:3000", own.as_str(), "null"] {
        not_here(case, "Origin", origin).await?;
    }
    Ok(())
}

async fn not_here(case: &Case<'_>, header: &str, value: &str) -> Checked {
    let request = token_access::knock(case).with(header, value);
    token_access::answered(case, request, &[403, 400, 421, 401], &format!("to {header}: {value}")).await
}

/// Checks that the companion can be reached only by this machine's loopback addresses.
pub(crate) async fn loopback(case: &Case<'_>) -> Checked {
    if !matches!(case.fixture.target.host.as_str(), "127.0.0.1" | "localhost" | "::1" | "[::1]") {
        return unseen("it was named by another address");
    }
    let addresses = other_addresses();
    if addresses.is_empty() {
        return unseen("this machine has no other address");
    }
    let port = case.fixture.target.record.port;
    for address in addresses {
        let endpoint = Endpoint::at(address.to_string(), port);
        let dialled = Connection::dial(&endpoint);
        let open = matches!(within(Duration::from_secs(2), dialled).await, Some(Ok(_)));
        case.evidence.note(format!("→ a connection to {address}:{port}"));
        case.evidence.note(if open { "← it is accepted" } else { "← it is refused" });
        ensure(!open, || format!("the companion also listens on {address}"))?;
    }
    Ok(())
}

/// Returns addresses of this machine on which a companion must not listen. Sends nothing to learn them.
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
    // A companion that listens on every address is found here, also without a network.
    if Os::HERE == Os::Linux {
        addresses.push(IpAddr::from([127, 0, 0, 2]));
    }
    addresses
}
