//! The stream to one agent: opened by its GET, written until a newer one, its end, or the end of the agent.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::http::{Answer, Wire};
use super::outcomes::{Frame, HOLD, Stream};
use super::{Shared, context};
use crate::fault::Fault;

/// The longest silence of a stream. Agents give a stream up after 300 s; the suite is configured to less
/// patience here.
const KEEP_ALIVE: Duration = Duration::from_millis(500);

/// The silence of the faulty companion, which agents still accept.
const RARELY: Duration = Duration::from_secs(3);

/// Serves a GET of this session until its stream ends.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    wire: &mut Wire,
    id: &str,
    last_event: Option<&str>,
) -> io::Result<()> {
    let Some((number, mut due)) = begin(shared, id, last_event.is_some()) else {
        return wire.answer(Answer::status(409), true).await;
    };
    let (later, session) = (Arc::clone(shared), id.to_owned());
    tokio::spawn(async move {
        tokio::time::sleep(HOLD + Duration::from_millis(5)).await;
        if let Some(session) = later.state().sessions.get_mut(&session) {
            session.flush(later.fault, false);
        }
    });
    let written = write(shared, wire, &mut due).await;
    let mut state = shared.state();
    state.writing -= 1;
    shared.ended.notify_one();
    if let Some(session) = state.sessions.get_mut(id)
        && session.stream.as_ref().is_some_and(|stream| stream.number == number)
    {
        (session.stream, session.used) = (None, Some(Instant::now()));
        if shared.has(Fault::OutcomesLostWithTheirStream) {
            session.outcomes.clear();
        }
        if shared.has(Fault::DiffsCloseWithTheStream) {
            session.diffs.clear();
        }
    }
    written
}

/// Replaces an older stream, and queues the due messages. `None` if the older stream must stay.
fn begin(shared: &Shared, id: &str, goes_on: bool) -> Option<(u64, UnboundedReceiver<Frame>)> {
    let (frames, due) = unbounded_channel();
    let mut state = shared.state();
    state.streams += 1;
    let number = state.streams;
    let now = shared.current_context(&state);
    let session = state.sessions.entry(id.to_owned()).or_default();
    let older = session.stream.take();
    match shared.fault.single {
        _ if shared.has(Fault::OlderStreamWins) && older.is_some() => {
            session.stream = older;
            return None;
        }
        Some(Fault::OlderStreamStays) => session.leaked = older,
        Some(Fault::OlderStreamHears) => session.deaf = older.is_some(),
        Some(Fault::OlderStreamIsCut) => older.iter().for_each(|older| drop(older.frames.send(Frame::Cut))),
        _ => {}
    }
    if shared.has(Fault::ReplaysAfterLastEventId) && goes_on {
        session.history.iter().for_each(|message| drop(frames.send(Frame::Message(message.clone()))));
    }
    if !shared.has(Fault::NoContextAtFirst) && !shared.has(Fault::NoContextUntilAChange) {
        let _ = frames.send(Frame::Message(context::context_update(&now)));
    }
    session.last_sent = (!shared.has(Fault::NoContextUntilAChange)).then_some(now);
    session.stream = Some(Stream { number, since: Instant::now(), frames });
    session.flush(shared.fault, shared.has(Fault::SentAgainAtOnce));
    state.writing += 1;
    Some((number, due))
}

async fn write(shared: &Shared, wire: &mut Wire, due: &mut UnboundedReceiver<Frame>) -> io::Result<()> {
    let kind = if shared.has(Fault::StreamIsPlainText) { "text/plain" } else { "text/event-stream" };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nCache-Control: no-cache\r\n\
         Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    let (mut from, mut to) = wire.socket.split();
    to.write_all(head.as_bytes()).await?;
    if shared.has(Fault::StreamBeginsWithAnEmptyEvent) {
        to.write_all(&chunk("data: \n\n")).await?;
    }
    let keep_alive = if shared.has(Fault::KeepAliveIsRare) { RARELY } else { KEEP_ALIVE };
    let mut number = 0;
    let mut unread = [0; 256];
    loop {
        tokio::select! {
            frame = due.recv() => match frame {
                Some(Frame::Message(message)) => {
                    number += 1;
                    let id = match shared.fault.single {
                        Some(Fault::StreamHasEventIds) => format!("id: {number}\n"),
                        Some(Fault::StreamHasARetryHint) => "retry: 1000\n".to_owned(),
                        _ => String::new(),
                    };
                    let text = match shared.fault.single {
                        Some(Fault::InvalidNotification) if message["method"] == "ide/contextUpdate" => {
                            let mut broken = message.clone();
                            broken["jsonrpc"] = json!("1.0");
                            broken.to_string()
                        }
                        _ => message.to_string().replace(context::LONE_SURROGATE, "\\ud83d"),
                    };
                    let method = message["method"].as_str().filter(|_| shared.has(Fault::EventsHaveTypes));
                    let kind = method.unwrap_or("message");
                    to.write_all(&chunk(&format!("{id}event: {kind}\ndata: {text}\n\n"))).await?;
                }
                Some(Frame::Said(tell)) => drop(tell.send(())),
                Some(Frame::Cut) => return Ok(()),
                None => {
                    to.write_all(b"0\r\n\r\n").await?;
                    return to.shutdown().await;
                }
            },
            () = tokio::time::sleep(keep_alive), if !shared.has(Fault::NoKeepAlive) => {
                let is_event = shared.has(Fault::KeepAliveIsAnEvent);
                to.write_all(&chunk(if is_event { "data: \n\n" } else { ": keep-alive\n\n" })).await?;
            }
            read = from.read(&mut unread) => if matches!(read, Ok(0) | Err(_)) { return Ok(()) },
        }
    }
}

fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}
