//! The endpoint without a network: requests go through the gate and the routes to a hub that only knows one
//! session.

use std::sync::Arc;

use alongside_contract::mcp::CallToolResult;
use alongside_contract::rpc::Message;
use alongside_contract::surrogates;
use alongside_desk::{Problem, Status};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_service::Service as _;

use super::gate::Gate;
use super::http::{Server, router};
use super::tools::{self, ToolCall};
use crate::events::{Event, Events};

/// A companion that remembers nothing.
#[derive(Debug)]
pub struct Companion {
    runtime: Runtime,
    router: Router,
    events: UnboundedReceiver<Event>,
}

/// What came of a request.
#[derive(Debug)]
pub struct Heard {
    /// The answer.
    pub response: Response<Bytes>,
    /// Whether anything of it reached the hub.
    pub reached_the_hub: bool,
}

impl Companion {
    /// The token that lets in.
    pub const TOKEN: &str = "5ecret";
    /// The one session.
    pub const SESSION: &str = "session";
    /// How many bytes a body may have.
    pub const MAX_BODY: usize = 1 << 16;

    /// It is asked on port 80 of this machine.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn new() -> std::io::Result<Self> {
        let (events, receiver) = Events::channel();
        let server = Server { events, max_body: Self::MAX_BODY, proposals: Arc::default() };
        let gate = Gate::new(Self::TOKEN.into(), &[([127, 0, 0, 1], 80).into()], false);
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread().enable_time().build()?,
            router: router(Arc::new(server), Arc::new(gate)),
            events: receiver,
        })
    }

    /// Answers a request.
    pub fn answer(&mut self, request: Request<Body>) -> Heard {
        let Self { runtime, router, events } = self;
        runtime.block_on(async {
            let mut reached_the_hub = false;
            let answer = router.call(request);
            tokio::pin!(answer);
            let response = loop {
                tokio::select! {
                    biased;
                    Some(event) = events.recv() => {
                        reached_the_hub = true;
                        say(event);
                    }
                    answer = &mut answer => break answer.unwrap_or_else(|never| match never {}),
                }
            };
            let (head, body) = response.into_parts();
            let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            let response = Response::from_parts(head, body);
            while let Ok(event) = events.try_recv() {
                reached_the_hub = true;
                say(event);
            }
            Heard { response, reached_the_hub }
        })
    }
}

/// The path and the text of an `openDiff`, from the body of its request.
#[must_use]
pub fn opened(body: &[u8]) -> Option<(String, String)> {
    let json = surrogates::replace_lone(body);
    let Message::Request { params, .. } = Message::parse(&json).ok()?.ok()? else { return None };
    match tools::parse(params.as_deref()).ok()? {
        ToolCall::OpenDiff(open) => Some((open.file_path, open.new_content)),
        ToolCall::CloseDiff(_) => None,
    }
}

/// Does for an event what is least.
fn say(event: Event) {
    let known = |session: &str| session == Companion::SESSION;
    // Whoever asked may be gone, as in the real hub.
    match event {
        Event::SessionWanted { welcomed, .. } => drop(welcomed.send(Ok(Companion::SESSION.into()))),
        Event::SessionEnded { session, ended } => drop(ended.send(known(&session))),
        Event::RequestStarted { session, known: answer } => drop(answer.send(known(&session).then_some(1))),
        Event::OpenDiff { session, proposal, answer, .. } => {
            let result = match *proposal {
                Ok(_) => CallToolResult::default(),
                Err(bad) => CallToolResult::error(bad.to_string()),
            };
            drop(answer.send(known(&session).then_some(result)));
        }
        Event::CloseDiff { session, answer, .. } => drop(answer.send(known(&session).then_some(None))),
        Event::StreamWanted { opened, .. } => drop(opened.send(None)),
        Event::StatusWanted(status) => drop(status.send(Status::default())),
        Event::RootsChanged { changed, .. } => drop(changed.send(Vec::<Problem>::new())),
        _ => {}
    }
}
