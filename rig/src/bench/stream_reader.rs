//! Reads the streams of any number of agents on a thread of its own. The thread takes the time of each
//! message and parses none: parsing one would delay the time of the next.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::BytesMut;

use super::blocking_socket::has_data;
use super::plan::PATIENCE;
use crate::wire::{Address, EventStream};

/// A message on a stream or the end of the stream, with its time.
#[derive(Debug)]
pub(super) struct TimedEvent {
    pub(super) at: Instant,
    pub(super) agent: usize,
    pub(super) kind: EventKind,
}

#[derive(Debug)]
pub(super) enum EventKind {
    /// An event with data, not parsed yet.
    Message(BytesMut),
    /// The stream ended properly, with the last chunk of HTTP.
    Ended,
    /// The stream ended without the last chunk.
    Cut,
}

/// The request to open a stream and to read it.
struct StreamRequest {
    agent: usize,
    address: Address,
    session: String,
    opened: mpsc::Sender<Result<()>>,
}

/// The reader of all streams. Dropping it closes them.
#[derive(Debug)]
pub(super) struct StreamReader {
    requests: tokio::sync::mpsc::UnboundedSender<StreamRequest>,
    events: mpsc::Receiver<TimedEvent>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl StreamReader {
    pub(super) fn new() -> Result<Self> {
        let (requests, mut new_requests) = tokio::sync::mpsc::unbounded_channel::<StreamRequest>();
        let (sender, events) = mpsc::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                while let Some(request) = new_requests.recv().await {
                    tokio::spawn(read_stream(request, sender.clone()));
                }
            });
        });
        Ok(Self { requests, events, thread: Some(thread) })
    }

    /// Opens the stream of another agent, and reads it.
    pub(super) fn add(&self, agent: usize, address: &Address, session: &str) -> Result<()> {
        let (opened, opening) = mpsc::channel();
        let (address, session) = (address.clone(), session.to_owned());
        let request = StreamRequest { agent, address, session, opened };
        self.requests.send(request).ok().context("the stream reader has ended")?;
        opening.recv_timeout(PATIENCE).context("the companion begins no stream")?
    }

    /// Waits for the next message or end of any stream; `None` if there is none within this time.
    pub(super) fn next(&self, within: Duration) -> Result<Option<TimedEvent>> {
        match self.events.recv_timeout(within) {
            Ok(event) => Ok(Some(event)),
            Err(mpsc::RecvTimeoutError::Timeout) => Ok(None),
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the stream reader has ended"),
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        // The thread ends once it has no sender of requests, and the connections close with the thread.
        let (disconnected, _) = tokio::sync::mpsc::unbounded_channel();
        self.requests = disconnected;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn read_stream(request: StreamRequest, sender: mpsc::Sender<TimedEvent>) {
    let StreamRequest { agent, address, session, opened } = request;
    let stream = match EventStream::open(&address, &session, None).await {
        Ok(stream) => stream,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let _ = opened.send(Ok(()));
    let kind = match forward_messages(stream, agent, &sender).await {
        Ok(()) => EventKind::Ended,
        Err(_) => EventKind::Cut,
    };
    let _ = sender.send(TimedEvent { at: Instant::now(), agent, kind });
}

async fn forward_messages(
    mut stream: EventStream,
    agent: usize,
    sender: &mpsc::Sender<TimedEvent>,
) -> Result<()> {
    while let Some(block) = stream.next().await? {
        if has_data(&block) {
            sender.send(TimedEvent { at: stream.received_at, agent, kind: EventKind::Message(block) })?;
        }
    }
    Ok(())
}
