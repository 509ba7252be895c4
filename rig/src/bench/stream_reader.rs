//! Reads the streams of any number of agents, on a thread of its own. It notes the time of each message and
//! parses none: work on one would delay the time of the next.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::BytesMut;

use super::blocking_socket::has_data;
use super::plan::PATIENCE;
use crate::wire::{Address, EventStream};

/// Something that came on a stream.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) at: Instant,
    pub(super) agent: usize,
    pub(super) what: Said,
}

#[derive(Debug)]
pub(super) enum Said {
    /// An event with data, not parsed yet.
    Message(BytesMut),
    /// It ended properly, with the last chunk of HTTP.
    Ended,
    /// It ended without the last chunk.
    Cut,
}

/// A stream to open and to read.
struct Wanted {
    agent: usize,
    address: Address,
    session: String,
    opened: mpsc::Sender<Result<()>>,
}

/// The reader of all streams. Dropping it closes them.
#[derive(Debug)]
pub(super) struct StreamReader {
    streams: tokio::sync::mpsc::UnboundedSender<Wanted>,
    heard: mpsc::Receiver<Heard>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl StreamReader {
    pub(super) fn new() -> Result<Self> {
        let (streams, mut arriving) = tokio::sync::mpsc::unbounded_channel::<Wanted>();
        let (tell, heard) = mpsc::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                while let Some(wanted) = arriving.recv().await {
                    tokio::spawn(attend(wanted, tell.clone()));
                }
            });
        });
        Ok(Self { streams, heard, thread: Some(thread) })
    }

    /// Opens the stream of one more agent, and reads it.
    pub(super) fn add(&self, agent: usize, address: &Address, session: &str) -> Result<()> {
        let (opened, open) = mpsc::channel();
        let (address, session) = (address.clone(), session.to_owned());
        let wanted = Wanted { agent, address, session, opened };
        self.streams.send(wanted).ok().context("the stream reader has ended")?;
        open.recv_timeout(PATIENCE).context("no stream is begun")?
    }

    /// The next message or end on any stream; `None` if there is none within this time.
    pub(super) fn next(&self, within: Duration) -> Result<Option<Heard>> {
        match self.heard.recv_timeout(within) {
            Ok(heard) => Ok(Some(heard)),
            Err(mpsc::RecvTimeoutError::Timeout) => Ok(None),
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the stream reader has ended"),
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        let (nobody, _) = tokio::sync::mpsc::unbounded_channel();
        self.streams = nobody;
        // The connections are closed when it has ended.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn attend(Wanted { agent, address, session, opened }: Wanted, tell: mpsc::Sender<Heard>) {
    let stream = match EventStream::open(&address, &session, None).await {
        Ok(stream) => stream,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let _ = opened.send(Ok(()));
    let what = match listen(stream, agent, &tell).await {
        Ok(()) => Said::Ended,
        Err(_) => Said::Cut,
    };
    let _ = tell.send(Heard { at: Instant::now(), agent, what });
}

async fn listen(mut stream: EventStream, agent: usize, tell: &mpsc::Sender<Heard>) -> Result<()> {
    while let Some(block) = stream.next().await? {
        if has_data(&block) {
            tell.send(Heard { at: stream.heard, agent, what: Said::Message(block) })?;
        }
    }
    Ok(())
}
