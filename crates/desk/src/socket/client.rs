//! The desk's end of a socket: joins a host, and is a [`Desk`] from then on.

use std::collections::HashMap;
use std::io;

use alongside_contract::rpc::{self, Id, Message};
use alongside_platform::memory;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, BufReader, ReadHalf, WriteHalf};
use tokio::sync::oneshot;

use super::compact_review::Introduction;
use super::compact_turn::SentTurns;
use super::handshake::{
    Goodbye, HAND_OVER, Hello, INITIALIZE, MISMATCH, Mismatch, PROPOSE, REPORT, Report, STOP, TURN_TAKEN,
    Welcome,
};
use super::{framing, wire};
use crate::connection::{Desk, Seat, pair};
use crate::protocol_messages::Event;
use crate::review::decision::{Refusal, Revised};
use crate::review::hook_proposal::{HookProposal, Verdict};
use crate::turn::SnapshotTaken;

/// A desk that has joined.
#[derive(Debug)]
pub struct Joined {
    /// The desk. Dropping it closes the socket; the host then treats the desk as lost.
    pub desk: Desk,
    /// The host's introduction.
    pub welcome: Welcome,
    /// The end of the connection, once [`Desk::next`] has said [`Gone`](crate::Gone): with a goodbye, or
    /// without one.
    pub parted: oneshot::Receiver<Option<Goodbye>>,
}

/// The reason why joining failed.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The two speak different versions of the protocol.
    #[error("{message}")]
    Mismatch {
        /// The host's message.
        message: String,
        /// The host's versions.
        host: Mismatch,
    },
    /// The host refuses the request.
    #[error("the host refused: {0}")]
    Refused(String),
    /// The socket broke, or something else listens there.
    #[error("the host cannot be spoken to: {0}")]
    Broken(#[from] io::Error),
}

/// Joins the host at the other end of a stream. Needs a Tokio runtime.
///
/// # Errors
/// See [`JoinError`].
pub async fn join<S>(stream: S, hello: &Hello) -> Result<Joined, JoinError>
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (welcome, reader, writer) = ask(stream, INITIALIZE, &Introduction::of(hello)).await?;
    let welcome = serde_json::from_str(welcome.get()).map_err(io::Error::from)?;
    let (desk, seat) = pair();
    let (over, parted) = oneshot::channel();
    tokio::spawn(async move {
        // The receiver may be dropped.
        let _ = over.send(carry(reader, writer, seat).await);
    });
    Ok(Joined { desk, welcome, parted })
}

/// Asks a host of any version to end so that a successor can take its place. The host has ended when this
/// returns.
///
/// # Errors
/// As [`join`].
pub async fn hand_over<S: AsyncRead + AsyncWrite>(stream: S) -> Result<(), JoinError> {
    bid(stream, HAND_OVER).await
}

/// Asks a host of any version to end, as if its last desk had left. The host has ended when this returns.
///
/// # Errors
/// As [`join`].
pub async fn stop<S: AsyncRead + AsyncWrite>(stream: S) -> Result<(), JoinError> {
    bid(stream, STOP).await
}

/// Asks a host of any version for its report, without joining it.
///
/// # Errors
/// As [`join`]; an older host refuses.
pub async fn report<S: AsyncRead + AsyncWrite>(stream: S) -> Result<Report, JoinError> {
    let (answer, ..) = ask(stream, REPORT, &serde_json::json!({})).await?;
    Ok(serde_json::from_str(answer.get()).map_err(io::Error::from)?)
}

/// The parameters of a hook, with the version of the protocol that it wants to speak.
#[derive(serde::Serialize)]
struct OfHook<'a, P> {
    protocol: u32,
    #[serde(flatten)]
    params: &'a P,
}

/// Sends a proposal of a hook in this version of the protocol, and waits for the verdict.
///
/// # Errors
/// As [`join`]; a host of before hooks refuses.
pub async fn propose<S>(stream: S, proposal: &HookProposal, protocol: u32) -> Result<Verdict, JoinError>
where
    S: AsyncRead + AsyncWrite,
{
    let (answer, ..) = ask(stream, PROPOSE, &OfHook { protocol, params: proposal }).await?;
    serde_json::from_str(answer.get())
        .map_err(|error| JoinError::Refused(format!("its verdict cannot be read ({error})")))
}

/// Reports to a host that a hook has taken a snapshot. An older host, which shows no turns, ignores that.
///
/// # Errors
/// When nobody reads there.
pub async fn report_snapshot<S: AsyncWrite + Unpin>(mut stream: S, taken: &SnapshotTaken) -> io::Result<()> {
    framing::write(&mut stream, &rpc::request(&Id::Number(0), TURN_TAKEN, taken)).await
}

async fn bid<S: AsyncRead + AsyncWrite>(stream: S, method: &str) -> Result<(), JoinError> {
    let (_, mut reader, _writer) = ask(stream, method, &serde_json::json!({})).await?;
    // The socket ends with the host.
    while let Ok(Some(_)) = framing::read(&mut reader).await {}
    Ok(())
}

/// Makes the first request on a stream. Returns the answer, and both halves of the stream.
async fn ask<S: AsyncRead + AsyncWrite>(
    stream: S,
    method: &str,
    params: &impl serde::Serialize,
) -> Result<(Box<RawValue>, BufReader<ReadHalf<S>>, WriteHalf<S>), JoinError> {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut reader = BufReader::new(reader);
    framing::write(&mut writer, &rpc::request(&Id::Number(0), method, params)).await?;
    let no_host = || io::Error::new(io::ErrorKind::InvalidData, "what listens there is no host");
    let answer = framing::read(&mut reader).await?.ok_or(io::Error::from(io::ErrorKind::UnexpectedEof))?;
    match Message::parse(&answer) {
        Ok(Ok(Message::Reply { id: Some(Id::Number(0)), result: Ok(result) })) => {
            Ok((result.to_owned(), reader, writer))
        }
        Ok(Ok(Message::Reply { result: Err(error), .. })) if error.code == MISMATCH => {
            let host = error.data.and_then(|data| serde_json::from_value(data).ok()).unwrap_or_default();
            Err(JoinError::Mismatch { message: error.message, host })
        }
        Ok(Ok(Message::Reply { result: Err(error), .. })) => Err(JoinError::Refused(error.message)),
        _ => Err(no_host().into()),
    }
}

/// Requests that wait for their answers.
type OpenRequests = HashMap<u64, oneshot::Sender<Result<Revised, Refusal>>>;

/// Carries messages until one end is gone; how the host said goodbye, if it did.
async fn carry<S: AsyncRead + AsyncWrite + Send + 'static>(
    reader: BufReader<ReadHalf<S>>,
    mut writer: WriteHalf<S>,
    mut seat: Seat,
) -> Option<Goodbye> {
    let (_reading, mut messages) = framing::read_all(reader);
    let (mut open, mut last) = (OpenRequests::new(), 0_u64);
    let mut turns = SentTurns::default();
    let mut goodbye = None;
    loop {
        tokio::select! {
            message = messages.recv() => {
                let Some(message) = message else { break };
                match receive(&message, &mut open, &mut turns) {
                    Received::Event(event) => {
                        if matches!(*event, Event::Closed(_)) {
                            // The desk frees the texts of the review.
                            memory::trim_later();
                        }
                        if seat.events.send(*event).is_err() {
                            break;
                        }
                    }
                    Received::Goodbye(how) => goodbye = Some(how),
                    Received::Nothing => {}
                }
            }
            call = seat.calls.recv() => {
                let Some(call) = call else { break };
                let line = match wire::reply(&call.request) {
                    Some(reply) => {
                        let _ = call.answer.send(Ok(Revised::default()));
                        reply
                    }
                    None => {
                        last += 1;
                        open.insert(last, call.answer);
                        wire::request(last, &call.request)
                    }
                };
                if framing::write(&mut writer, &line).await.is_err() {
                    break;
                }
            }
        }
    }
    // Dropping `open` drops the senders, which reports to every waiting request that the companion has
    // stopped.
    goodbye
}

enum Received {
    Event(Box<Event>),
    Goodbye(Goodbye),
    Nothing,
}

fn receive(message: &[u8], open: &mut OpenRequests, turns: &mut SentTurns) -> Received {
    if let Some(event) = wire::read_event(message, turns) {
        return Received::Event(Box::new(event));
    }
    let told = match Message::parse(message) {
        Ok(Ok(Message::Reply { id: Some(Id::Number(id)), result })) => {
            if let Some(answer) = u64::try_from(id).ok().and_then(|id| open.remove(&id)) {
                // The receiver of the answer may be dropped.
                let _ = answer.send(wire::read_answer(result));
            }
            return Received::Nothing;
        }
        Ok(Ok(Message::Request { method, params, .. } | Message::Notification { method, params })) => {
            wire::read_host_message(&method, params)
        }
        _ => return Received::Nothing,
    };
    match told {
        Ok(wire::HostMessage::Event(event)) => Received::Event(event),
        Ok(wire::HostMessage::Goodbye(how)) => Received::Goodbye(how),
        Ok(wire::HostMessage::Unknown) | Err(_) => Received::Nothing,
    }
}

/// Returns the event in a message, for a desk without open requests.
pub(crate) fn event_in(message: &[u8]) -> Option<Event> {
    match receive(message, &mut OpenRequests::new(), &mut SentTurns::default()) {
        Received::Event(event) => Some(*event),
        Received::Goodbye(_) | Received::Nothing => None,
    }
}
