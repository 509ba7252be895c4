//! An agent's stream: it compares contexts, and hands outcomes and pings to the agent.

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

/// A message that an agent acts on.
#[derive(Debug)]
pub(super) enum Heard {
    Outcome {
        path: String,
        /// The accepted text; none for a rejection.
        accepted: Option<String>,
    },
    Ping(Id),
    /// The stream is of no use any more.
    Broken(String),
}

/// The newest context of one agent: the cursor's line, and all of it.
pub(super) type Newest = Arc<Mutex<(u32, u64)>>;

/// A stream that is being read. Dropping it hangs up.
#[derive(Debug)]
pub(super) struct StreamReader {
    pub(super) heard: mpsc::UnboundedReceiver<Heard>,
    reading: JoinHandle<()>,
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl StreamReader {
    pub(super) fn of(stream: EventStream, newest: Newest, world: Arc<World>) -> Self {
        let (tell, heard) = mpsc::unbounded_channel();
        let reading = tokio::spawn(async move {
            if let Err(error) = read(stream, &newest, &world, &tell).await {
                let _ = tell.send(Heard::Broken(format!("{error:#}")));
            }
        });
        Self { heard, reading }
    }
}

async fn read(
    mut stream: EventStream,
    newest: &Newest,
    world: &World,
    tell: &mpsc::UnboundedSender<Heard>,
) -> Result<()> {
    // Reports from before this stream do not count for it.
    let mut known = world.reports.newest();
    loop {
        let block = stream.next().await?.context("the stream was ended")?;
        let Some(json) = data(&block)? else { continue };
        match Message::parse(json)? {
            Ok(Message::Notification { method, params: Some(params) }) => {
                let params = params.get();
                match method.as_str() {
                    CONTEXT_UPDATE => {
                        Counters::count(&world.counters.updates);
                        let number = cursor(serde_json::from_str(params)?);
                        if let Some(first) = world.reports.at(known + 1).filter(|_| number > known) {
                            world.counters.told_after.add(first.elapsed());
                        }
                        known = known.max(number);
                        let mut hasher = DefaultHasher::new();
                        params.hash(&mut hasher);
                        *newest.lock().unwrap_or_else(PoisonError::into_inner) = (number, hasher.finish());
                    }
                    DIFF_ACCEPTED => {
                        let DiffAccepted { file_path: path, content } = serde_json::from_str(params)?;
                        let _ = tell.send(Heard::Outcome { path, accepted: Some(content) });
                    }
                    DIFF_REJECTED => {
                        let DiffRejected { file_path: path } = serde_json::from_str(params)?;
                        let _ = tell.send(Heard::Outcome { path, accepted: None });
                    }
                    // Some releases know no other rejection.
                    DIFF_CLOSED => {}
                    other => bail!("told {other}"),
                }
            }
            Ok(Message::Request { id, method, .. }) if method == "ping" => drop(tell.send(Heard::Ping(id))),
            other => bail!("heard {other:?}"),
        }
    }
}

/// The data of an event; none of a comment.
fn data(block: &[u8]) -> Result<Option<&[u8]>> {
    if block.starts_with(b":") {
        return Ok(None);
    }
    let data = block.strip_prefix(b"event: message\ndata: ");
    let begins = || String::from_utf8_lossy(&block[..block.len().min(40)]);
    data.map(Some).with_context(|| format!("an event begins {:?}", begins()))
}

/// The line of the active file's cursor; 0 if there is none. Agents count from one.
fn cursor(context: IdeContext) -> u32 {
    let files = context.workspace_state.and_then(|state| state.open_files).unwrap_or_default();
    files.first().and_then(|file| file.cursor).map_or(0, |cursor| cursor.line - 1)
}

/// Measures how late this process itself is: an update that it sees late may have been in time.
pub(super) async fn watch_lateness(world: Arc<World>) {
    const EVERY: Duration = Duration::from_millis(20);
    loop {
        let before = Instant::now();
        tokio::time::sleep(EVERY).await;
        world.counters.late.add(before.elapsed().saturating_sub(EVERY));
    }
}
