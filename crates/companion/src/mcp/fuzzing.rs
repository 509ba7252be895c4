//! The endpoint without a network: a request passes gate and routes to a loop that has one session.

use std::borrow::Cow;
use std::sync::Arc;

use alongside_contract::surrogates;
use alongside_desk::Status;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_service::Service as _;

use super::dialect::large_open_diff;
use super::listening::gate::Gate;
use super::server::Server;
use super::transport::routes::router;
use crate::agents::last_texts::LastText;
use crate::endpoint;
use crate::events::{Event, Events, Proposal, StartedRequest};
use crate::reviews::proposal::NotOpened;

/// An endpoint whose main loop keeps no state.
#[derive(Debug)]
pub struct Endpoint {
    runtime: Runtime,
    router: Router,
    events: UnboundedReceiver<Event>,
}

/// The result of a request.
#[derive(Debug)]
pub struct EndpointResponse {
    /// The HTTP response.
    pub response: Response<Bytes>,
    /// Whether the main loop got an event.
    pub reached_main_loop: bool,
}

impl Endpoint {
    /// The token that is admitted.
    pub const TOKEN: &str = "5ecret";
    /// The one session that exists.
    pub const SESSION: &str = "session";
    /// The largest body in bytes.
    pub const MAX_BODY: usize = 1 << 16;

    /// Creates an endpoint on port 80 of this machine.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn new() -> std::io::Result<Self> {
        let (events, receiver) = Events::channel();
        let server =
            Server { events, max_body: Self::MAX_BODY, proposals: Arc::default(), context_only: false };
        let endpoint = endpoint::Endpoint::at(80, Self::TOKEN);
        let gate = Gate::new(endpoint.hosts(), endpoint.token, false);
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread().enable_time().build()?,
            router: router(Arc::new(server), Arc::new(gate)),
            events: receiver,
        })
    }

    /// Answers a request.
    pub fn answer(&mut self, request: Request<Body>) -> EndpointResponse {
        let Self { runtime, router, events } = self;
        runtime.block_on(async {
            let mut reached_main_loop = false;
            let answer = router.call(request);
            tokio::pin!(answer);
            let response = loop {
                tokio::select! {
                    biased;
                    Some(event) = events.recv() => {
                        reached_main_loop = true;
                        respond_to(event);
                    }
                    answer = &mut answer => break answer.unwrap_or_else(|never| match never {}),
                }
            };
            let (head, body) = response.into_parts();
            let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            let response = Response::from_parts(head, body);
            while let Ok(event) = events.try_recv() {
                reached_main_loop = true;
                respond_to(event);
            }
            EndpointResponse { response, reached_main_loop }
        })
    }
}

/// Returns the path and the text of an `openDiff`, from the body of its request.
#[must_use]
pub fn read_open_diff(mut body: Vec<u8>) -> Option<(String, String)> {
    if let Cow::Owned(fixed) = surrogates::replace_lone(&body) {
        body = fixed;
    }
    large_open_diff::read(&mut body).map(|call| (call.file_path, call.text))
}

/// Answers an event in the shortest way.
fn respond_to(event: Event) {
    let known = |session: &str| session == Endpoint::SESSION;
    // The receiver may have been dropped, as in the real main loop.
    match event {
        Event::SessionWanted { answer, .. } => drop(answer.send(Ok(Endpoint::SESSION.into()))),
        Event::SessionEnded { session, answer } => drop(answer.send(known(&session))),
        Event::RequestStarted { session, answer } => {
            drop(answer.send(known(&session).then(StartedRequest::default)));
        }
        Event::OpenDiff { session, open, answer } => {
            let opened = if known(&session) { Ok(()) } else { Err(NotOpened::UnknownSession) };
            let shown = match open.proposal {
                Proposal::Prepared(prepared) => prepared.map(drop).map_err(NotOpened::BadTarget),
                Proposal::Unprepared(_) => Ok(()),
            };
            drop(answer.send(opened.and(shown)));
        }
        Event::CloseDiff { session, answer, .. } => {
            let text = if known(&session) { LastText::NoReview } else { LastText::UnknownSession };
            drop(answer.send(text));
        }
        Event::StreamWanted { answer, .. } => drop(answer.send(None)),
        Event::StatusWanted(answer) => drop(answer.send(Status::default())),
        _ => {}
    }
}
