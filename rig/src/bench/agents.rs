//! The agents that are connected at once. Each has a session, a connection for its requests, and a stream.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::blocking_socket::{BlockingSocket, TimedResponse, data};
use super::stream_reader::{EventKind, StreamReader};
use crate::wire::{Address, INITIALIZED, PATIENCE, VERSION, initialize};

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) session: String,
    pub(super) socket: BlockingSocket,
}

/// A message on an agent's stream.
#[derive(Debug)]
pub(super) struct StreamMessage {
    pub(super) at: Instant,
    pub(super) agent: usize,
    pub(super) method: String,
    pub(super) params: Value,
}

impl StreamMessage {
    /// The line of the cursor, if the message is a context; 0 without a cursor.
    pub(super) fn cursor_line(&self) -> u64 {
        let files = self.params["workspaceState"]["openFiles"].as_array();
        let active = files.into_iter().flatten().find(|file| file["isActive"] == true);
        active.and_then(|file| file["cursor"]["line"].as_u64()).unwrap_or(0)
    }
}

/// All agents at one companion. Dropping this value closes every connection, as the death of the agents
/// would.
#[derive(Debug)]
pub(super) struct Agents {
    pub(super) address: Address,
    pub(super) connected: Vec<Agent>,
    streams: StreamReader,
}

impl Agents {
    pub(super) fn new(address: &Address) -> Result<Self> {
        Ok(Self { address: address.clone(), connected: Vec::new(), streams: StreamReader::new()? })
    }

    /// Connects agents until there are `number`.
    pub(super) fn connect_up_to(&mut self, number: usize) -> Result<()> {
        while self.connected.len() < number {
            let index = self.connected.len();
            let connection = connect(&self.address, BlockingSocket::open(&self.address)?);
            let agent =
                connection.with_context(|| format!("agent {} of {number} cannot connect", index + 1))?;
            self.streams.add(index, &self.address, &agent.session)?;
            self.connected.push(agent);
        }
        Ok(())
    }

    /// Sends a request of this agent, and waits for the response.
    pub(super) fn ask(&mut self, agent: usize, request: &[u8]) -> Result<TimedResponse> {
        self.connected[agent].socket.ask(request)
    }

    /// Returns the request by which this agent calls a tool.
    pub(super) fn call(&self, agent: usize, tool: &str, arguments: &Value) -> Vec<u8> {
        self.address.call(&self.connected[agent].session, tool, arguments)
    }

    /// Waits for the next message of the companion, at most this long, and answers pings meanwhile.
    pub(super) fn next_message(&mut self, within: Duration) -> Result<Option<StreamMessage>> {
        let until = Instant::now() + within;
        loop {
            let remaining = until.saturating_duration_since(Instant::now());
            let Some(event) = self.streams.next(remaining)? else { return Ok(None) };
            let message = match event.kind {
                EventKind::Message(message) => message,
                EventKind::Ended => bail!("the stream of an agent has ended"),
                EventKind::Cut => bail!("the stream of an agent broke off"),
            };
            let mut message: Value =
                serde_json::from_slice(&data(&message)).context("a message is not JSON")?;
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            if message["id"].is_null() {
                return Ok(Some(StreamMessage {
                    at: event.at,
                    agent: event.agent,
                    method,
                    params: message["params"].take(),
                }));
            }
            let pong = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }).to_string();
            let pong = self.address.request(&self.connected[event.agent].session, Some(pong.as_bytes()));
            self.ask(event.agent, &pong).context("a ping cannot be answered")?;
        }
    }

    /// Waits for a message that `is_wanted` accepts, and drops the others.
    pub(super) fn wait(
        &mut self,
        what: &str,
        is_wanted: impl Fn(&StreamMessage) -> bool,
    ) -> Result<StreamMessage> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(message) = self.next_message(PATIENCE)?.filter(&is_wanted) {
                return Ok(message);
            }
        }
        bail!("{what} did not come within {} s", PATIENCE.as_secs())
    }

    /// Drops all messages until none has come for `silence`.
    pub(super) fn drain_messages(&mut self, silence: Duration) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while self.next_message(silence)?.is_some() {
            ensure!(Instant::now() < until, "the companion sends messages all the time");
        }
        Ok(())
    }

    /// Waits for the end of all streams. Returns the number that ended properly, and the number that broke
    /// off.
    pub(super) fn wait_for_ends(&self) -> Result<(usize, usize)> {
        let (mut ended, mut cut) = (0, 0);
        while ended + cut < self.connected.len() {
            match self.streams.next(PATIENCE)?.map(|event| event.kind) {
                Some(EventKind::Ended) => ended += 1,
                Some(EventKind::Cut) => cut += 1,
                Some(EventKind::Message(_)) => {}
                None => bail!("{} streams stay open", self.connected.len() - ended - cut),
            }
        }
        Ok((ended, cut))
    }
}

/// Begins a session over this socket.
pub(super) fn connect(address: &Address, mut socket: BlockingSocket) -> Result<Agent> {
    let hello = initialize("bench", "1.0.0", VERSION);
    let answer = socket.ask(&address.request("", Some(hello.as_bytes())))?;
    answer.result()?;
    let session = answer.session.context("the companion gives no session")?;
    socket.ask(&address.request(&session, Some(INITIALIZED.as_bytes())))?;
    Ok(Agent { session, socket })
}
