//! Reads the streams of any number of agents, on a thread of its own. It notes the time of each message and
//! parses none: work on one would delay the time of the next.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use alongside_agent::wire::EventParser;
use anyhow::{Context as _, Result, bail};
use bytes::BytesMut;
use tokio::io::AsyncReadExt as _;

use super::blocking_socket::{OpenStream, has_data};

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
    /// It ended without one.
    Cut,
}

struct Stream {
    agent: usize,
    open: OpenStream,
}

/// The reader of all streams. Dropping it closes them.
#[derive(Debug)]
pub(super) struct StreamReader {
    streams: tokio::sync::mpsc::UnboundedSender<Stream>,
    heard: mpsc::Receiver<Heard>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl StreamReader {
    pub(super) fn new() -> Result<Self> {
        let (streams, mut arriving) = tokio::sync::mpsc::unbounded_channel::<Stream>();
        let (tell, heard) = mpsc::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                while let Some(stream) = arriving.recv().await {
                    let tell = tell.clone();
                    tokio::spawn(async move {
                        let agent = stream.agent;
                        let what = match listen(stream, &tell).await {
                            Ok(()) => Said::Ended,
                            Err(_) => Said::Cut,
                        };
                        let _ = tell.send(Heard { at: Instant::now(), agent, what });
                    });
                }
            });
        });
        Ok(Self { streams, heard, thread: Some(thread) })
    }

    /// Reads one more stream.
    pub(super) fn add(&self, agent: usize, open: OpenStream) -> Result<()> {
        open.tcp.set_nonblocking(true)?;
        self.streams.send(Stream { agent, open }).ok().context("the stream reader has ended")
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

async fn listen(stream: Stream, tell: &mpsc::Sender<Heard>) -> Result<()> {
    let Stream { agent, open: OpenStream { tcp, mut unread, mut body } } = stream;
    let mut tcp = tokio::net::TcpStream::from_std(tcp)?;
    let mut events = EventParser::default();
    let mut at = Instant::now();
    loop {
        while let Some(part) = body.decode(&mut unread)? {
            events.feed(part);
        }
        while let Some(block) = events.next_block() {
            if has_data(&block) {
                tell.send(Heard { at, agent, what: Said::Message(block) })?;
            }
        }
        if body.is_complete() {
            return Ok(());
        }
        if tcp.read_buf(&mut unread).await? == 0 {
            bail!("it broke off");
        }
        at = Instant::now();
    }
}
