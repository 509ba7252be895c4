//! The endpoint: connections, and the handling of each request.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::http::{Answer, Head, Wire};
use super::{Shared, stream, websocket};
use crate::fault::Fault;

/// The longest body that is read, in bytes.
const MAX_BODY: usize = 192 << 20;

/// Serves until it is dropped, and then cuts the remaining connections.
pub(super) async fn serve(shared: Arc<Shared>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((socket, _)) = accepted {
                    connections.spawn(converse(Arc::clone(&shared), socket));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn converse(shared: Arc<Shared>, socket: TcpStream) {
    let _ = socket.set_nodelay(true);
    let mut wire = Wire::new(socket);
    while let Ok(true) = shared.one_request(&mut wire).await {}
}

impl Shared {
    /// Handles one request. Returns whether another one may follow on this connection.
    async fn one_request(self: &Arc<Self>, wire: &mut Wire) -> io::Result<bool> {
        let Some(head) = wire.head().await? else { return Ok(false) };
        if head.header("upgrade").is_some() {
            websocket::serve(self, wire, &head).await?;
            return Ok(false);
        }
        if self.has(Fault::BodyReadBeforeTheToken) {
            let body = wire.body(&head, MAX_BODY).await?;
            let answer = match (self.refusal(&head), body) {
                (Some(refusal), _) => refusal,
                (None, Ok(body)) if head.method == "POST" => self.post(&head, &body).await,
                _ => return self.without_body(wire, &head).await,
            };
            let session = head.header("mcp-session-id").unwrap_or_default();
            self.answer_or_not(session, &answer).await;
            wire.answer(answer, false).await?;
            return Ok(true);
        }
        if let Some(refusal) = self.refusal(&head) {
            wire.answer(refusal, true).await?;
            return Ok(false);
        }
        if head.method != "POST" || head.path.split('?').next() != Some("/mcp") {
            return self.without_body(wire, &head).await;
        }
        let session = head.header("mcp-session-id").unwrap_or_default().to_owned();
        let limit = match self.fault.single {
            Some(Fault::TenMegabytesAreTooMuch) => 10 << 20,
            Some(Fault::OneMegabyteIsTooMuch) => 1 << 20,
            _ => MAX_BODY,
        };
        self.reads(&session, 1);
        let alone = if self.has(Fault::OneRequestAtATime) { Some(self.reading.lock().await) } else { None };
        let body = match self.has(Fault::BodiesMustComeAtOnce) && !Wire::is_long(&head) {
            true => wire.body_at_once(&head).await,
            false => wire.body(&head, limit).await,
        };
        drop(alone);
        let answer = match &body {
            Ok(Ok(body)) => Some(self.post(&head, body).await),
            Ok(Err(_)) => Some(Answer::status(413)),
            Err(_) => None,
        };
        self.reads(&session, -1);
        let Some(answer) = answer else { return Ok(false) };
        self.answer_or_not(&session, &answer).await;
        let last = answer.status == 413;
        wire.answer(answer, last).await?;
        Ok(!last)
    }

    /// Never returns for the faulty companion, which has carried out the request by then and does not answer
    /// it.
    async fn answer_or_not(&self, session: &str, answer: &Answer) {
        if answer.status == 200 && self.is_unanswered(session) {
            std::future::pending::<()>().await;
        }
    }

    async fn without_body(self: &Arc<Self>, wire: &mut Wire, head: &Head) -> io::Result<bool> {
        let session = head.header("mcp-session-id").unwrap_or_default().to_owned();
        if head.path.split('?').next() != Some("/mcp") {
            wire.answer(Answer::status(404), true).await?;
            return Ok(false);
        }
        let refused = self.refused_session(head);
        match (head.method.as_str(), refused) {
            (_, Some(refusal)) => wire.answer(refusal, true).await?,
            ("GET", None) => {
                stream::serve(self, wire, &session, head.header("last-event-id")).await?;
                return Ok(false);
            }
            ("DELETE", None) => {
                self.end_session(&session);
                let status = if self.has(Fault::DeleteNotAllowed) { 405 } else { 200 };
                wire.answer(Answer::status(status), false).await?;
                return Ok(true);
            }
            _ => wire.answer(Answer::status(405).with("Allow", "GET, POST, DELETE"), true).await?,
        }
        Ok(false)
    }

    /// Returns the answer to a request of no session, of an unknown one or of an unknown version of the
    /// protocol.
    pub(super) fn refused_session(&self, head: &Head) -> Option<Answer> {
        if let Some(version) = head.header("mcp-protocol-version") {
            let known = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].contains(&version);
            if !known && !self.has(Fault::UnknownVersionWelcome) {
                return Some(Answer::status(400));
            }
        } else if self.has(Fault::VersionHeaderNeeded) {
            return Some(Answer::status(400));
        }
        match head.header("mcp-session-id") {
            None if self.has(Fault::NoSessionNeeded) => None,
            None => Some(Answer::status(400)),
            Some(id) if self.state().sessions.contains_key(id) => None,
            Some(_) => match self.fault.single {
                _ if self.has(Fault::StaleSessionIs400) => Some(Answer::status(400)),
                Some(Fault::StaleSessionWelcome) => None,
                Some(Fault::StaleStreamWelcome) if head.method == "GET" => None,
                _ => Some(Answer::status(404)),
            },
        }
    }

    fn end_session(&self, id: &str) {
        let mut state = self.state();
        match self.fault.single {
            _ if self.has(Fault::DeleteNotAllowed) || self.has(Fault::DeleteForgotten) => {}
            Some(Fault::DeleteEndsEverybody)
                if state.sessions.get(id).is_some_and(|session| !session.streamed) =>
            {
                state.sessions.clear();
            }
            _ => drop(state.sessions.remove(id)),
        }
    }
}

/// The state of the faulty companion that answers the wrong agent: one reply channel for each request id,
/// whoever asks.
#[derive(Default)]
pub(super) struct Crossing(Mutex<HashMap<String, oneshot::Sender<Answer>>>);

impl Crossing {
    /// Sends the answer to the agent that asked last under this id, and waits for the answer to this agent.
    /// An agent whose id another agent used later is never answered.
    pub(super) async fn exchange(&self, id: String, answer: Answer) -> Answer {
        let (sender, mine) = oneshot::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), sender);
        tokio::time::sleep(Duration::from_millis(30)).await;
        let asked_last = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(sender) = asked_last {
            let _ = sender.send(answer);
        }
        match mine.await {
            Ok(answer) => answer,
            Err(_) => std::future::pending().await,
        }
    }
}
