//! The host's end of a socket: reads the first request, and carries messages to and from a [`Desk`].

use std::io;
use std::ops::RangeInclusive;
use std::time::Duration;

use alongside_contract::rpc::{self, Id, Message};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, BufWriter, ReadHalf,
    WriteHalf,
};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::compact_review::Introduction;
use super::compact_turn::SentTurns;
use super::handshake::{
    FIRST_PROTOCOL, GOODBYE, Goodbye, HAND_OVER, Hello, INITIALIZE, MISMATCH, Mismatch, PROPOSE, REPORT,
    Report, SPOKEN, STOP, TURN_TAKEN, Welcome,
};
use super::wire::EventWriter;
use super::{framing, wire};
use crate::connection::{Desk, Gone};
use crate::protocol_messages::Request;
use crate::review::decision::{Refusal, Revised};
use crate::review::hook_proposal::{HookProposal, Verdict};
use crate::turn::SnapshotTaken;

/// The longest wait for the first request of a peer.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// The time after which a desk that reads none of its waiting messages counts as lost.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time for writing the last messages to a desk.
const LAST_MESSAGES_TIMEOUT: Duration = Duration::from_secs(1);

/// The first request on a connection, and its peer.
#[derive(Debug)]
pub enum FirstRequest<S> {
    /// A desk wants to join.
    Join(Hello, Peer<S>),
    /// A successor wants the host's place: see [`Peer::done`].
    HandOver(Peer<S>),
    /// A program asks the host to end.
    Stop(Peer<S>),
    /// A program asks for the state of the host.
    Report(Peer<S>),
    /// A hook wants a review.
    Propose(HookProposal, Peer<S>),
    /// A hook has taken a snapshot. It waits for no answer.
    TurnTaken(SnapshotTaken),
}

/// A peer that waits for the answer to its first request.
#[derive(Debug)]
pub struct Peer<S> {
    id: Id,
    /// The forms of events that the peer understands.
    written: EventWriter,
    reader: BufReader<ReadHalf<S>>,
    writer: WriteHalf<S>,
}

/// The reason why the connection of a desk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The person of the desk left.
    Left,
    /// The desk vanished.
    Lost,
    /// The companion within this process has ended.
    Ended,
}

/// Reads the first request. A desk or a hook whose protocol version this program does not speak is refused
/// here; `version` is this program's own.
///
/// # Errors
/// When the peer says nothing within five seconds, or nothing that can be understood.
pub async fn receive<S: AsyncRead + AsyncWrite>(
    stream: S,
    version: &str,
) -> io::Result<Option<FirstRequest<S>>> {
    receive_within(stream, Spoken { protocols: &SPOKEN, version }).await
}

/// The protocol versions of a program, and its own.
#[derive(Clone, Copy)]
pub(super) struct Spoken<'a> {
    pub(super) protocols: &'a RangeInclusive<u32>,
    pub(super) version: &'a str,
}

/// [`receive`] for a program that speaks these versions.
pub(super) async fn receive_within<S: AsyncRead + AsyncWrite>(
    stream: S,
    spoken: Spoken<'_>,
) -> io::Result<Option<FirstRequest<S>>> {
    let (reader, writer) = tokio::io::split(stream);
    let mut reader = BufReader::new(reader);
    let first = tokio::time::timeout(HELLO_TIMEOUT, framing::read(&mut reader)).await??;
    let Some(first) = first else { return Ok(None) };
    let Ok(Ok(Message::Request { id, method, params })) = Message::parse(&first) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a visitor did not introduce itself"));
    };
    let mut peer = Peer { id, written: EventWriter::default(), reader, writer };
    let refusal = match method.as_str() {
        INITIALIZE => match introduced(&peer.id, params, spoken) {
            Ok(Introduction { hello, compact, compact_turns }) => {
                let written = EventWriter { compact, turns: compact_turns.then(SentTurns::default) };
                return Ok(Some(FirstRequest::Join(hello, Peer { written, ..peer })));
            }
            Err(refusal) => refusal,
        },
        HAND_OVER => return Ok(Some(FirstRequest::HandOver(peer))),
        STOP => return Ok(Some(FirstRequest::Stop(peer))),
        REPORT => return Ok(Some(FirstRequest::Report(peer))),
        PROPOSE => match of_hook(&peer.id, params, spoken) {
            Ok(proposal) => return Ok(Some(FirstRequest::Propose(proposal, peer))),
            Err(refusal) => refusal,
        },
        TURN_TAKEN => match parameters(&peer.id, params) {
            Ok(taken) => return Ok(Some(FirstRequest::TurnTaken(taken))),
            Err(refusal) => refusal,
        },
        _ => {
            let knows = format!(
                "the first request must be `initialize`; alongside {} does not know {method:?}",
                spoken.version
            );
            rpc::error(Some(&peer.id), -32002, &knows)
        }
    };
    framing::write(&mut peer.writer, &refusal).await?;
    Ok(None)
}

/// Reads the introduction of a desk; the error is the refusal of one that cannot join.
fn introduced(id: &Id, params: Option<&RawValue>, spoken: Spoken<'_>) -> Result<Introduction<Hello>, String> {
    let introduction: Introduction<Hello> = parameters(id, params)?;
    let theirs = introduction.hello.initialization_options.alongside.protocol;
    let program = format!("this desk is the older {}", introduction.hello.client_info.version);
    spoken.check(id, theirs, &program)?;
    Ok(introduction)
}

/// The version that a hook speaks.
#[derive(Deserialize)]
struct OfHook {
    #[serde(default)]
    protocol: Option<u32>,
}

/// Reads the parameters of a hook; the error is the refusal.
fn of_hook<T: DeserializeOwned>(id: &Id, params: Option<&RawValue>, spoken: Spoken<'_>) -> Result<T, String> {
    let theirs: OfHook = parameters(id, params)?;
    spoken.check(id, theirs.protocol.unwrap_or(FIRST_PROTOCOL), "this hook is an older one")?;
    parameters(id, params)
}

impl Spoken<'_> {
    /// Checks the version that a peer wants to speak; the error is the refusal. `older` says that it is
    /// older.
    fn check(self, id: &Id, theirs: u32, older: &str) -> Result<(), String> {
        let Self { protocols, version } = self;
        if protocols.contains(&theirs) {
            return Ok(());
        }
        let data = Mismatch { protocol: *protocols.end(), version: version.to_owned() };
        Err(rpc::error_with(id, MISMATCH, &self.mismatch(theirs, older), &data))
    }

    /// Returns the message to a peer of another protocol version. The newer of the two knows the way out.
    fn mismatch(self, theirs: u32, older: &str) -> String {
        let version = self.version;
        if theirs < *self.protocols.start() {
            format!(
                "the companion of this project runs alongside {version}, and {older}: restart it with the \
                 newer program"
            )
        } else {
            format!(
                "the companion of this project still runs the older alongside {version}: hand over with \
                 `alongside host --replace`"
            )
        }
    }
}

/// Reads parameters; the error is the refusal.
fn parameters<T: DeserializeOwned>(id: &Id, params: Option<&RawValue>) -> Result<T, String> {
    serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| rpc::error(Some(id), rpc::INVALID_PARAMS, &error.to_string()))
}

impl<S: AsyncRead + AsyncWrite + Send + 'static> Peer<S> {
    /// Answers a program that asked the host to end. Its socket must be dropped when the host has ended.
    ///
    /// # Errors
    /// When the peer is gone.
    pub async fn done(&mut self) -> io::Result<()> {
        framing::write(&mut self.writer, &rpc::reply(&self.id, &())).await
    }

    /// Answers a request for a report.
    ///
    /// # Errors
    /// When the peer is gone.
    pub async fn report(&mut self, report: &Report) -> io::Result<()> {
        framing::write(&mut self.writer, &rpc::reply(&self.id, report)).await
    }

    /// Answers a hook.
    ///
    /// # Errors
    /// When the hook is gone.
    pub async fn decide(&mut self, verdict: &Verdict) -> io::Result<()> {
        framing::write(&mut self.writer, &rpc::reply(&self.id, verdict)).await
    }

    /// Waits until the peer has closed the connection, and ignores its messages meanwhile. Cancel safe.
    pub async fn gone(&mut self) {
        loop {
            match self.reader.fill_buf().await {
                Ok([]) | Err(_) => return,
                Ok(said) => {
                    let said = said.len();
                    self.reader.consume(said);
                }
            }
        }
    }

    /// Lets the desk in and carries messages until it parts. `before_request` sees every request before the
    /// companion does. `left` runs as soon as the desk asks to leave, and says whether events may follow: the
    /// ends of the reviews, if the host ends with this desk. `goodbye` runs when the companion has ended, and
    /// may take its time: the desk goes on waiting.
    pub async fn serve(
        self,
        welcome: &Welcome,
        mut desk: Desk,
        mut before_request: impl FnMut(&Request),
        left: impl AsyncFnOnce() -> bool,
        goodbye: impl AsyncFnOnce() -> Goodbye,
    ) -> DisconnectReason {
        let Self { id, mut written, reader, writer } = self;
        let (out, outbox) = mpsc::channel(64);
        // Dropping these tasks ends them, however this function ends.
        let mut writing = JoinSet::new();
        writing.spawn(write_all(writer, outbox));
        let (reading, mut messages) = framing::read_all(reader);
        let _ = out.send(rpc::reply(&id, welcome)).await;
        let (mut left, mut listening) = (Some(left), true);
        let mut answers = FuturesOrdered::new();
        let parting = loop {
            // In this order, so that a desk gets the events of a request before the reply.
            let line = tokio::select! {
                biased;
                event = desk.next() => match event {
                    Ok(mut event) => {
                        // The waiting agent comes first: writing a review takes longer than its answer.
                        tokio::task::yield_now().await;
                        // The writer sends all events that are ready at once.
                        while let Some(next) = desk.try_next() {
                            let _ = out.send(written.write(&event)).await;
                            event = next;
                        }
                        written.write(&event)
                    }
                    Err(Gone) => break DisconnectReason::Ended,
                },
                Some(line) = answers.next(), if !answers.is_empty() => {
                    // Events may have arrived since the last poll of the desk.
                    while let Some(event) = desk.try_next() {
                        // The send below notices a desk that is gone.
                        let _ = out.send(written.write(&event)).await;
                    }
                    line
                }
                message = messages.recv(), if listening => match message {
                    None if left.is_some() => break DisconnectReason::Lost,
                    None => {
                        listening = false;
                        continue;
                    }
                    Some(message) => match parse_inbound(&message) {
                        Inbound::Request(id, request) => {
                            before_request(&request);
                            let leaves = request == Request::Leave;
                            // The desk within the process stays until there is nothing more to tell.
                            let answered = (!leaves).then(|| desk.send(request));
                            answers.push_back(async move {
                                let answer = match answered {
                                    Some(answered) => answered.await.unwrap_or(Err(Refusal::Stopped)),
                                    None => Ok(Revised::default()),
                                };
                                id.map(|id| wire::answer(&id, answer)).unwrap_or_default()
                            });
                            if leaves && let Some(left) = left.take() && !left().await {
                                break DisconnectReason::Left;
                            }
                            continue;
                        }
                        Inbound::Line(line) => line,
                        Inbound::Nothing => continue,
                    },
                },
            };
            // A notification has no answer.
            if !line.is_empty() && out.send(line).await.is_err() {
                break DisconnectReason::Lost;
            }
        };
        drop(reading);
        while let Some(line) = answers.next().await {
            let _ = out.send(line).await;
        }
        if parting == DisconnectReason::Ended {
            let _ = out.send(rpc::notification(GOODBYE, &goodbye().await)).await;
        }
        drop(out);
        let _ = tokio::time::timeout(LAST_MESSAGES_TIMEOUT, writing.join_next()).await;
        if left.is_none() { DisconnectReason::Left } else { parting }
    }
}

enum Inbound {
    /// A request, with the id for its answer, if the desk wants one.
    Request(Option<Id>, Request),
    Line(String),
    Nothing,
}

fn parse_inbound(message: &[u8]) -> Inbound {
    let (id, method, params) = match Message::parse(message) {
        Ok(Ok(Message::Request { id, method, params })) => (Some(id), method, params),
        Ok(Ok(Message::Notification { method, params })) => (None, method, params),
        Ok(Ok(Message::Reply { id, result })) => {
            let request = id.and_then(|id| wire::read_reply(&id, result.ok()));
            return request.map_or(Inbound::Nothing, |request| Inbound::Request(None, request));
        }
        Ok(Err(wrong)) => return Inbound::Line(rpc::error(None, rpc::INVALID_REQUEST, wrong.why)),
        Err(error) => return Inbound::Line(rpc::error(None, rpc::PARSE_ERROR, &error.to_string())),
    };
    match (wire::read_request(&method, params), id) {
        (Ok(Some(request)), id) => Inbound::Request(id, request),
        (Ok(None), Some(id)) => Inbound::Line(rpc::reply(&id, &())),
        (Err(error), Some(id)) => Inbound::Line(rpc::error(Some(&id), error.code, &error.message)),
        (_, None) => Inbound::Nothing,
    }
}

/// Writes until the desk reads no more or nothing more is to be said.
async fn write_all<S: AsyncRead + AsyncWrite>(writer: WriteHalf<S>, mut outbox: mpsc::Receiver<String>) {
    let mut writer = BufWriter::new(writer);
    while let Some(line) = outbox.recv().await {
        let writing = async {
            framing::write_unflushed(&mut writer, &line).await?;
            // Messages that are ready together are sent together.
            if outbox.is_empty() { writer.flush().await } else { Ok(()) }
        };
        let written = tokio::time::timeout(UNREAD_TIMEOUT, writing).await;
        if !matches!(written, Ok(Ok(()))) {
            return;
        }
    }
}
