//! Finds out whether the program on a port is a companion and accepts the token. A list of broken rules would
//! not help a person whose port belongs to another program, or whose token is wrong.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::claude::handshake::Handshake;
use crate::discovery::target::Target;
use crate::evidence::Evidence;
use crate::http::peer::{PROPOSED, Peer, initialize};
use crate::http::response::NoResponse;
use crate::time::timeouts::Timeouts;
use alongside_agent::find;
use alongside_contract::family::Transport;

/// The reason why the program on the port cannot be checked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCompanion {
    /// The companion refuses the token, or requires one.
    #[error(
        "the companion on port {port} {} ({status})",
        if *.with_token { "refuses the token" } else { "wants a token" }
    )]
    Refused {
        /// The port.
        port: u16,
        /// The status of the answer, 401 or 403.
        status: u16,
        /// Whether a token was sent.
        with_token: bool,
        /// The discovery file that names this port, and so has the right token.
        file: Option<PathBuf>,
    },
    /// The program answers, but not as a companion does.
    #[error("the program on port {port} is no companion: it answers {status} to initialize, without a reply")]
    Foreign {
        /// The port.
        port: u16,
        /// The status of the answer.
        status: u16,
    },
    /// The program does not answer.
    #[error("the program on port {port} is no companion: {why}")]
    Silent {
        /// The port.
        port: u16,
        /// The failure of the request.
        why: String,
    },
}

/// Checks that the program is a companion. A program that a discovery file names counts as one, and the
/// checks judge its faults. `patience` is for the answer.
///
/// # Errors
/// When the program is not a companion, or refuses the token that was named.
pub async fn find_companion(target: &Target, patience: Duration) -> Result<(), NoCompanion> {
    if target.file.is_some() {
        return Ok(());
    }
    if target.transport == Transport::WebSocket {
        return opens_websockets(target, patience).await;
    }
    let token = target.record.auth_token.as_deref();
    let timeouts = Timeouts { answer: patience, ..Timeouts::default() };
    let peer = Peer::stranger(target, timeouts, &Arc::default(), &Evidence::new(token));
    let port = target.record.port;
    let answer = match peer.send(&peer.post(&initialize(&0.into(), PROPOSED))).await {
        Ok(answer) => answer,
        Err(NoResponse(why)) => return Err(NoCompanion::Silent { port, why }),
    };
    let status = answer.status();
    if matches!(status, 401 | 403) {
        let file = find::all_records(&target.here).into_iter().find(|(_, record)| record.port == port);
        let with_token = token.is_some();
        return Err(NoCompanion::Refused { port, status, with_token, file: file.map(|(path, _)| path) });
    }
    let session = answer.head.get("mcp-session-id").map(str::to_owned);
    let speaks = answer.messages().iter().any(|message| message["jsonrpc"] == "2.0");
    if !speaks && session.is_none() {
        return Err(NoCompanion::Foreign { port, status });
    }
    if let Some(session) = session {
        peer.with_session(session).quietly_leave().await;
    }
    Ok(())
}

/// Checks that agents with a WebSocket are admitted.
async fn opens_websockets(target: &Target, patience: Duration) -> Result<(), NoCompanion> {
    let token = target.record.auth_token.as_deref();
    let port = target.record.port;
    match Handshake::of_agents(target).send(patience, &Evidence::new(token)).await {
        Ok(opened) => match opened.head.status {
            101 => Ok(()),
            status @ (401 | 403) => {
                let with_token = token.is_some();
                Err(NoCompanion::Refused { port, status, with_token, file: None })
            }
            status => Err(NoCompanion::Foreign { port, status }),
        },
        Err(NoResponse(why)) => Err(NoCompanion::Silent { port, why }),
    }
}
