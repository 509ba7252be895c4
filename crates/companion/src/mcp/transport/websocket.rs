//! The WebSocket of one agent. Its messages are carried out one after the other, and its frames are sent as
//! fast as it reads. The session ends with the connection, because an agent that connects again begins a new
//! one: the open calls can no longer be answered, and the person decides in the agent's own prompt.

use std::sync::Arc;
use std::time::Duration;

use alongside_contract::rpc;
use alongside_contract::websocket::SUBPROTOCOL;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::agents::frame;
use crate::agents::identity::Credential;
use crate::events::{Event, Events, OpenStream};
use crate::mcp::dialect::claude::WebSocketAgent;
use crate::mcp::refusals::refusal;
use crate::mcp::server::Server;

/// The time between two pings, which keep the connection alive.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// The time from an agent's greeting to its first notification: agents drop earlier ones.
const NOTIFICATION_DELAY: Duration = Duration::from_millis(600);
/// The size of the read buffer in bytes. tungstenite keeps one for each connection, of 128 KiB by default.
const READ_BUFFER_BYTES: usize = 8 * 1024;
/// The largest number of answers that wait until the agent reads them.
const MAX_ANSWERS: usize = 64;

/// Answers `GET /` of an agent.
pub(super) async fn open(
    State(server): State<Arc<Server>>,
    Extension(credential): Extension<Credential>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    if credential == Credential::Nothing {
        let why = "a WebSocket needs the token; it stands in the lock file";
        return refusal(StatusCode::UNAUTHORIZED, rpc::INVALID_REQUEST, why);
    }
    let limit = server.max_body;
    let upgrade = upgrade.protocols([SUBPROTOCOL]).read_buffer_size(READ_BUFFER_BYTES);
    let upgrade = upgrade.max_message_size(limit).max_frame_size(limit);
    upgrade.on_upgrade(move |socket| serve(socket, server, credential))
}

/// Serves until the connection or the companion ends.
async fn serve(socket: WebSocket, server: Arc<Server>, credential: Credential) {
    let (mut sink, mut source) = socket.split();
    let (answers, mut queued_answers) = mpsc::channel::<String>(MAX_ANSWERS);
    let (session_sender, session_receiver) = oneshot::channel();
    let events = server.events.clone();
    let mut agent = WebSocketAgent::new(server, credential, answers, session_sender);
    let read = async {
        while let Some(Ok(message)) = source.next().await {
            match message {
                Message::Text(text) => agent.carry_out(text.as_str()).await,
                Message::Close(_) => break,
                // The library answers pings.
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) => {}
            }
        }
    };
    let write = async {
        let stream = stream(&events, session_receiver);
        tokio::pin!(stream);
        let mut open: Option<OpenStream> = None;
        let mut pings = interval(PING_INTERVAL);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_waiting = open.is_none();
            let messages: Vec<Message> = tokio::select! {
                opened = &mut stream, if is_waiting => {
                    open = Some(opened);
                    continue;
                }
                Some(answer) = queued_answers.recv() => vec![Message::Text(answer.into())],
                frame = next(&mut open) => match frame {
                    Some(frame) => frame::messages(&frame).map(|text| Message::Text(text.into())).collect(),
                    // The session has ended.
                    None => break,
                },
                _ = pings.tick() => vec![Message::Ping(Vec::new().into())],
                // An open stream ends after its last frame.
                () = events.wait_for_end(), if is_waiting => break,
            };
            for message in messages {
                if sink.send(message).await.is_err() {
                    return;
                }
            }
        }
        let _ = sink.close().await;
    };
    tokio::select! {
        () = read => {}
        () = write => {}
    }
    agent.end();
}

/// Opens the stream of a session once the agent listens. Never ends if that fails.
async fn stream(events: &Events, session_receiver: oneshot::Receiver<String>) -> OpenStream {
    let session = match session_receiver.await {
        Ok(session) => session,
        // The reading side has ended, and the whole connection with it.
        Err(_) => std::future::pending().await,
    };
    sleep(NOTIFICATION_DELAY).await;
    let opened = events.ask(|answer| Event::StreamWanted { session, answer }).await;
    match opened.flatten() {
        Some(open) => open,
        None => std::future::pending().await,
    }
}

/// Waits for the next frame. Never ends before the stream is open.
async fn next(open: &mut Option<OpenStream>) -> Option<bytes::Bytes> {
    let Some(open) = open else { return std::future::pending().await };
    let frame = open.frames.recv().await?;
    open.events.send(Event::StreamDrained { session: open.session.clone() });
    Some(frame)
}
