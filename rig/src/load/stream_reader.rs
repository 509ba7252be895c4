//! Reads an agent's stream: measures the latency of contexts, and passes outcomes and pings to the agent.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use alongside_contract::context::{CONTEXT_UPDATE, IdeContext};
use alongside_contract::diff::{DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted, DiffRejected};
use alongside_contract::rpc::{Id, Message};
use anyhow::{Context as _, Result, bail};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::counters::Counters;
use super::world::World;
use crate::wire::EventStream;

/// An event of the stream that the agent acts on.
#[derive(Debug)]
pub(super) enum StreamEvent {
    Outcome {
        path: String,
        /// The accepted text; `None` for a rejection.
        accepted: Option<String>,
    },
    Ping(Id),
    /// The stream has failed, with the error.
    Broken(String),
}

/// The newest context of one agent: the cursor's line, and a hash of the whole context.
pub(super) type NewestContext = Arc<Mutex<(u32, u64)>>;

/// The reader of a stream. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct StreamReader {
    pub(super) events: mpsc::UnboundedReceiver<StreamEvent>,
    task: JoinHandle<()>,
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StreamReader {
    pub(super) fn new(stream: EventStream, newest: NewestContext, world: Arc<World>) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            if let Err(error) = read(stream, &newest, &world, &sender).await {
                let _ = sender.send(StreamEvent::Broken(format!("{error:#}")));
            }
        });
        Self { events, task }
    }
}

async fn read(
    mut stream: EventStream,
    newest: &NewestContext,
    world: &World,
    sender: &mpsc::UnboundedSender<StreamEvent>,
) -> Result<()> {
    // Changes from before this stream do not count for its latency.
    let mut known = world.reports.newest();
    loop {
        let block = stream.next().await?.context("the companion ended the stream")?;
        let Some(json) = data(&block)? else { continue };
        match Message::parse(json)? {
            Ok(Message::Notification { method, params: Some(params) }) => {
                let params = params.get();
                match method.as_str() {
                    CONTEXT_UPDATE => {
                        Counters::increment(&world.counters.contexts_received);
                        let number = cursor_line(serde_json::from_str(params)?);
                        if let Some(first) = world.reports.at(known + 1).filter(|_| number > known) {
                            world.counters.context_latency.add(first.elapsed());
                        }
                        known = known.max(number);
                        let mut hasher = DefaultHasher::new();
                        params.hash(&mut hasher);
                        *newest.lock().unwrap_or_else(PoisonError::into_inner) = (number, hasher.finish());
                    }
                    DIFF_ACCEPTED => {
                        let DiffAccepted { file_path: path, content } = serde_json::from_str(params)?;
                        let _ = sender.send(StreamEvent::Outcome { path, accepted: Some(content) });
                    }
                    DIFF_REJECTED => {
                        let DiffRejected { file_path: path } = serde_json::from_str(params)?;
                        let _ = sender.send(StreamEvent::Outcome { path, accepted: None });
                    }
                    // The only rejection that some releases know.
                    DIFF_CLOSED => {}
                    other => bail!("told {other}"),
                }
            }
            Ok(Message::Request { id, method, .. }) if method == "ping" => {
                drop(sender.send(StreamEvent::Ping(id)))
            }
            other => bail!("heard {other:?}"),
        }
    }
}

/// Returns the data of an event; `None` for a comment.
fn data(block: &[u8]) -> Result<Option<&[u8]>> {
    if block.starts_with(b":") {
        return Ok(None);
    }
    let data = block.strip_prefix(b"event: message\ndata: ");
    let beginning = || String::from_utf8_lossy(&block[..block.len().min(40)]);
    data.map(Some).with_context(|| format!("an event begins {:?}", beginning()))
}

/// Returns the line of the active file's cursor as desks count it, from 0; 0 without a cursor.
fn cursor_line(context: IdeContext) -> u32 {
    let files = context.workspace_state.and_then(|state| state.open_files).unwrap_or_default();
    files.first().and_then(|file| file.cursor).map_or(0, |cursor| cursor.line - 1)
}

/// Measures the scheduling delay of this process: an update that is read late may have arrived in time.
pub(super) async fn measure_own_delay(world: Arc<World>) {
    const INTERVAL: Duration = Duration::from_millis(20);
    loop {
        let before = Instant::now();
        tokio::time::sleep(INTERVAL).await;
        world.counters.own_delay.add(before.elapsed().saturating_sub(INTERVAL));
    }
}
