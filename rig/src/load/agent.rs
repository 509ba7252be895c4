//! Plays agents, one after the other under the same number. Each connects, listens, proposes now and then,
//! and ends in one of the ways in which real agents end.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use alongside_agent::wire::{Connection, Request};
use alongside_contract::diff::ClosedDiff;
use alongside_contract::mcp::CallToolResult;
use alongside_contract::mcp::SESSION_HEADER;
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::counters::Counters;
use super::proposal::{self, Fate};
use super::stream_reader::{NewestContext, StreamEvent, StreamReader};
use super::world::{Phase, World};
use crate::rng::Rng;
use crate::wire::{EventStream, INITIALIZED, PATIENCE, Response, VERSION, initialize};

/// The way in which an agent reads its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Each message as soon as it arrives.
    All,
    /// Sixteen bytes a second.
    Slowly,
    /// Not at all.
    Nothing,
}

/// The agent's behaviour while its diff is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Story {
    /// The agent waits for the outcome.
    Plain,
    /// The agent loses its stream, and the person decides meanwhile.
    Cut,
    /// The agent's process ends without the end of its session, and another agent takes its number.
    Vanishes,
    /// The agent ends its session.
    Leaves,
}

/// The receive buffer of an agent that reads slowly or not at all, in bytes.
const RECEIVE_BUFFER: u32 = 4096;

/// Plays the agents of one number until all agents are to leave.
pub(super) async fn play(number: usize, reading: Reading, newest: NewestContext, world: Arc<World>) {
    while *world.phase.borrow() < Phase::Leave {
        let life = async {
            let mut agent = Agent::connect(number, reading, newest.clone(), &world).await?;
            match reading {
                Reading::All => agent.live().await,
                _ => agent.live_slowly().await,
            }
        };
        if let Err(error) = life.await {
            world.counters.record_error(format!("agent {number}: {error:#}"));
            sleep(Duration::from_secs(1)).await;
        }
    }
}

struct Agent<'a> {
    number: usize,
    world: &'a Arc<World>,
    connection: Connection,
    session: String,
    newest: NewestContext,
    stream: Option<StreamReader>,
    /// The open stream of an agent that reads slowly or not at all.
    unread: Option<EventStream>,
    last_id: u64,
}

impl<'a> Agent<'a> {
    async fn connect(
        number: usize,
        reading: Reading,
        newest: NewestContext,
        world: &'a Arc<World>,
    ) -> Result<Self> {
        let connection = Connection::dial(&world.address.endpoint()).await.context("cannot connect")?;
        let mut agent = Self {
            number,
            world,
            connection,
            session: String::new(),
            newest,
            stream: None,
            unread: None,
            last_id: 0,
        };
        Counters::increment(&world.counters.requests);
        let hello = initialize("gemini-cli-mcp-client", "0.61.0", VERSION);
        let answer = agent.post(&hello).await?;
        ensure!(answer.status() == 200, "initialize is answered {}", answer.status());
        agent.session = answer.head.get(SESSION_HEADER).context("no session")?.to_owned();
        agent.notify(INITIALIZED).await?;
        match reading {
            Reading::All => agent.listen().await?,
            _ => {
                agent.unread =
                    Some(EventStream::open(&world.address, &agent.session, Some(RECEIVE_BUFFER)).await?)
            }
        }
        Counters::increment(&world.counters.sessions);
        Ok(agent)
    }

    async fn listen(&mut self) -> Result<()> {
        let stream = EventStream::open(&self.world.address, &self.session, None).await?;
        self.stream = Some(StreamReader::new(stream, self.newest.clone(), self.world.clone()));
        Ok(())
    }

    /// Proposes now and then, until all agents are to leave or this agent ends.
    async fn live(&mut self) -> Result<()> {
        let mut phase = self.world.phase.subscribe();
        loop {
            // A random pause of up to twice the average, so that the agents do not propose together.
            let pause = Duration::from_millis(self.world.random_below(self.world.pace * 2));
            let next = sleep(pause);
            tokio::pin!(next);
            loop {
                let now = *phase.borrow_and_update();
                tokio::select! {
                    event = next_event(&mut self.stream) => match event {
                        StreamEvent::Ping(id) => self.pong(&id).await?,
                        other => bail!("nobody waits for {other:?}"),
                    },
                    () = &mut next, if now == Phase::Play => break,
                    _ = phase.changed(), if now < Phase::Leave => {}
                    () = std::future::ready(()), if now >= Phase::Leave => return self.leave().await,
                }
            }
            if self.propose().await? {
                return Ok(());
            }
        }
    }

    /// Ends the agent. Where agents may vanish, every second agent does not end its session.
    async fn leave(&mut self) -> Result<()> {
        if self.world.vanish && self.number.is_multiple_of(2) { Ok(()) } else { self.end_session().await }
    }

    /// Proposes, and waits for the outcome. Returns whether the agent has ended.
    async fn propose(&mut self) -> Result<bool> {
        let number = Counters::increment(&self.world.proposals);
        let story = match self.world.random_below(100) {
            0..2 if self.world.vanish => Story::Vanishes,
            0..4 => Story::Leaves,
            4..10 => Story::Cut,
            _ => Story::Plain,
        };
        let fate = match (story, self.world.random_below(100)) {
            (Story::Vanishes | Story::Leaves, _) => Fate::TakenBack,
            (_, 0..45) => Fate::Accepted,
            (_, 45..70) => Fate::Rejected,
            (Story::Plain, 90..) => Fate::TakenBack,
            _ => Fate::Edited,
        };
        let bytes = match number {
            number if number % 4000 == 2000 => 10 << 20,
            number if number % 400 == 10 => 1 << 20,
            _ => 200,
        };
        // The files are few, so that many agents have a diff of the same file open at once.
        let path = self.world.project.join(format!("shared{}.txt", number % 20)).display().to_string();
        let text = proposal::text(fate, self.number, number, bytes);
        let proposed_at = Instant::now();
        if story == Story::Cut {
            self.stream = None;
        }
        self.open(&path, &text).await?;
        match story {
            Story::Vanishes => {
                Counters::increment(&self.world.counters.agents_vanished);
                return Ok(true);
            }
            Story::Leaves => {
                Counters::increment(&self.world.counters.agents_vanished);
                self.end_session().await?;
                return Ok(true);
            }
            Story::Cut => {
                sleep(Duration::from_millis(200)).await;
                self.listen().await?;
            }
            Story::Plain => {}
        }
        let expected = match fate {
            Fate::TakenBack => {
                sleep(Duration::from_millis(self.world.random_below(500))).await;
                let closed = self.close(&path).await?;
                ensure!(
                    closed.as_deref() == Some(&*text),
                    "closeDiff answers another text than was proposed"
                );
                Counters::increment(&self.world.counters.expected_outcomes);
                return Ok(false);
            }
            Fate::Rejected => None,
            Fate::Accepted => Some(text),
            Fate::Edited => Some(proposal::edited(&text)),
        };
        let outcome = tokio::time::timeout(PATIENCE, self.outcome());
        let (file, accepted) =
            outcome.await.with_context(|| format!("{fate:?}, {story:?}: no outcome"))??;
        ensure!(file == path, "an outcome of {file} instead of {path}");
        ensure!(accepted == expected, "{fate:?}, {story:?}: {} instead", describe(accepted.as_deref()));
        self.world.counters.decision_latency.add(proposed_at.elapsed());
        Counters::increment(&self.world.counters.expected_outcomes);
        Ok(false)
    }

    async fn outcome(&mut self) -> Result<(String, Option<String>)> {
        loop {
            match next_event(&mut self.stream).await {
                StreamEvent::Outcome { path, accepted } => return Ok((path, accepted)),
                StreamEvent::Ping(id) => self.pong(&id).await?,
                StreamEvent::Broken(why) => bail!("the stream broke: {why}"),
            }
        }
    }

    /// Makes one large proposal, whose outcome blocks the stream for the rest of the run. Checks that the
    /// companion still responds to other requests, and that `closeDiff` has the text in the end.
    async fn live_slowly(&mut self) -> Result<()> {
        let mut phase = self.world.phase.subscribe();
        let path = self.world.project.join(format!("slow{}.txt", self.number)).display().to_string();
        let reading = self.world.reading_of(self.number);
        let bytes = if reading == Reading::Slowly { 256 << 10 } else { 4 << 20 };
        let text = proposal::text(Fate::Accepted, self.number, 0, bytes);
        self.open(&path, &text).await?;
        let mut buffer = [0; 16];
        while *phase.borrow_and_update() < Phase::Leave {
            tokio::select! {
                () = sleep(Duration::from_secs(1)) => {}
                _ = phase.changed() => {}
            }
            if let Some(stream) = self.unread.as_mut().filter(|_| reading == Reading::Slowly) {
                ensure!(stream.discard(&mut buffer).await?, "a stream that is read slowly was ended");
            }
            let pong: Value = self.request("ping", json!({})).await?;
            ensure!(pong == json!({}), "ping is answered {pong}");
        }
        let closed = self.close(&path).await?;
        ensure!(closed.as_deref() == Some(&*text), "closeDiff answers another text than was accepted");
        Counters::increment(&self.world.counters.expected_outcomes);
        self.leave().await
    }

    async fn open(&mut self, path: &str, text: &str) -> Result<()> {
        let result = self.call("openDiff", json!({ "filePath": path, "newContent": text })).await?;
        ensure!(result.is_error.is_none() && result.content.is_empty(), "openDiff is answered {result:?}");
        Ok(())
    }

    async fn close(&mut self, path: &str) -> Result<Option<String>> {
        let result = self.call("closeDiff", json!({ "filePath": path })).await?;
        let block = result.content.first().context("closeDiff without a text block")?;
        Ok(serde_json::from_str::<ClosedDiff>(&block.text)?.content)
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Result<CallToolResult> {
        let result = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await?;
        serde_json::from_value(result).with_context(|| format!("{tool} has no result"))
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        let message = message.to_string();
        Counters::increment(&self.world.counters.requests);
        let posted = tokio::time::timeout(PATIENCE, self.post(&message));
        let answer = posted.await.with_context(|| format!("{method}: no answer"))??;
        ensure!(answer.status() == 200, "{method} is answered {}", answer.status());
        let mut reply: Value = serde_json::from_slice(&answer.body)?;
        ensure!(reply["id"] == self.last_id, "{method}: the reply to another request");
        Ok(reply["result"].take())
    }

    async fn post(&mut self, body: &str) -> Result<Response> {
        self.exchange(self.world.address.caller(&self.session).request("POST").body(body)).await
    }

    /// Sends a request over the agent's one connection: a thousand agents must cost less than the companion.
    async fn exchange(&mut self, request: Request) -> Result<Response> {
        let head = self.connection.exchange(&request.bytes()).await?;
        let body = self.connection.body(usize::MAX).await?;
        Ok(Response { head, body })
    }

    /// Sends a notification or a response.
    async fn notify(&mut self, message: &str) -> Result<()> {
        Counters::increment(&self.world.counters.requests);
        let answer = self.post(message).await?;
        ensure!(answer.status() == 202, "{message} is answered {}", answer.status());
        Ok(())
    }

    async fn pong(&mut self, id: &alongside_contract::rpc::Id) -> Result<()> {
        self.notify(&json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string()).await
    }

    async fn end_session(&mut self) -> Result<()> {
        self.stream = None;
        Counters::increment(&self.world.counters.requests);
        let delete = self.world.address.caller(&self.session).bare_request("DELETE");
        let answer = self.exchange(delete).await?;
        ensure!(answer.status() == 200, "DELETE is answered {}", answer.status());
        let after = self.post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await?;
        ensure!(after.status() == 404, "a session that has ended answers {}", after.status());
        Ok(())
    }
}

/// Waits for the next event of a stream; without a stream, for ever.
async fn next_event(stream: &mut Option<StreamReader>) -> StreamEvent {
    match stream {
        Some(stream) => {
            stream.events.recv().await.unwrap_or_else(|| StreamEvent::Broken("nobody reads it".into()))
        }
        None => std::future::pending().await,
    }
}

fn describe(accepted: Option<&str>) -> String {
    match accepted {
        None => "a rejection".into(),
        Some(text) => format!("the text {:?}", text.lines().next().unwrap_or_default()),
    }
}

impl World {
    /// The way in which the agent of this number reads: of a hundred agents, four slowly and one not at all.
    pub(super) fn reading_of(&self, number: usize) -> Reading {
        match number % 100 {
            7 | 27 | 57 | 77 => Reading::Slowly,
            17 => Reading::Nothing,
            _ => Reading::All,
        }
    }

    /// Returns a random number below `below`.
    pub(super) fn random_below(&self, below: u64) -> u64 {
        Rng::new(self.random.fetch_add(1, Relaxed)).below(below.max(1))
    }
}
