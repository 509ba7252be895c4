//! Listens to a stream while a check goes on: keeps every event with its time, and answers pings as shipped
//! agents do.

use std::sync::Arc;
use std::time::{Duration, Instant};

use alongside_agent::wire::{Connection, EventParser, Item};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::check_ending::{Checked, skip};
use crate::http::json::parse;
use crate::http::peer::Peer;
use crate::http::request::Request;
use crate::http::response::NoResponse;
use crate::http::stream_rules::Source;
use crate::time::clock::{self, within};

/// An event of a stream, or its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Received {
    /// A message.
    Message(Value),
    /// A comment, or an event that is not a message.
    Sign,
    /// The proper end of the stream.
    Ended,
    /// The end of the connection in mid-stream.
    Broke,
}

impl Received {
    /// Returns the message, if it is of one of these methods.
    fn message_of(&self, methods: &[&str]) -> Option<&Value> {
        let Self::Message(message) = self else { return None };
        methods.iter().any(|method| message["method"] == *method).then_some(message)
    }
}

/// A stream. Dropping it cuts the connection.
pub(crate) struct Listener {
    received: watch::Receiver<Vec<(Instant, Received)>>,
    /// The number of pings whose pong the companion has not received yet.
    unanswered_pings: watch::Receiver<usize>,
    hang_up: Arc<Notify>,
    task: JoinHandle<()>,
}

/// The time in which a companion notices a cut stream.
const TO_NOTICE: Duration = Duration::from_millis(50);
/// The time in which a companion ends a stream after a newer one opened.
const TO_END: Duration = Duration::from_millis(500);

impl Listener {
    /// Creates a listener on an opened stream, and starts the task that reads it.
    pub(crate) fn new(connection: Connection, peer: Peer) -> Self {
        let (log, received) = watch::channel(Vec::new());
        let record = move |item: Received| log.send_modify(|received| received.push((Instant::now(), item)));
        let (hang_up, pings) = (Arc::<Notify>::default(), watch::Sender::new(0));
        let unanswered_pings = pings.subscribe();
        let task = tokio::spawn(listen(connection, peer, record, Arc::new(pings), Arc::clone(&hang_up)));
        Self { received, unanswered_pings, hang_up, task }
    }

    /// Returns the number of events so far: the mark from which to [wait](Self::wait).
    pub(crate) fn mark(&self) -> usize {
        self.received.borrow().len()
    }

    /// Returns everything since a mark.
    pub(crate) fn since(&self, mark: usize) -> Vec<(Instant, Received)> {
        self.received.borrow()[mark..].to_vec()
    }

    /// Returns the parameters of the messages with these methods since a mark.
    pub(crate) fn messages(&self, mark: usize, methods: &[&str]) -> Vec<(Instant, Value)> {
        let messages = self.since(mark).into_iter();
        messages.filter_map(|(at, received)| Some((at, received.message_of(methods)?.clone()))).collect()
    }

    /// Waits for the first match since the mark; `None` when the stream has ended.
    async fn find<T>(&self, mark: usize, fits: impl Fn(&Received) -> Option<T>) -> Option<T> {
        let (mut found, mut from) = (None, mark);
        let is_there = |received: &Vec<(Instant, Received)>| {
            found = received[from..].iter().find_map(|(_, received)| fits(received));
            from = received.len();
            found.is_some()
        };
        self.received.clone().wait_for(is_there).await.ok()?;
        found
    }

    /// Waits for the first event since the mark for which `fits` returns a value; that value.
    pub(crate) async fn wait<T>(
        &self,
        mark: usize,
        patience: Duration,
        fits: impl Fn(&Received) -> Option<T>,
    ) -> Option<T> {
        within(patience, self.find(mark, fits)).await.flatten()
    }

    /// Waits for a message of one of these methods.
    pub(crate) async fn message(&self, mark: usize, patience: Duration, methods: &[&str]) -> Option<Value> {
        self.wait(mark, patience, |received| received.message_of(methods).cloned()).await
    }

    /// Waits until every received ping was answered.
    pub(crate) async fn wait_until_answered(&self, patience: Duration) {
        let mut unanswered = self.unanswered_pings.clone();
        within(patience, unanswered.wait_for(|pings| *pings == 0)).await;
    }

    /// Waits for the end. Returns whether it was a proper one.
    pub(crate) async fn wait_for_end(&self, patience: Duration) -> Option<bool> {
        within(patience, self.ended()).await.flatten()
    }

    /// Waits for the end of the stream without a deadline. Returns whether it was a proper one.
    pub(crate) async fn ended(&self) -> Option<bool> {
        self.find(0, |received| match received {
            Received::Ended => Some(true),
            Received::Broke => Some(false),
            _ => None,
        })
        .await
    }

    /// Waits until every message of this stream was received: opening a newer stream ends this one. Returns
    /// the newer stream, if it opens. Another check judges whether the older one ends.
    pub(crate) async fn read_out(&self, peer: &Peer) -> Option<Self> {
        // The companion answers after it has written all due messages.
        peer.is_served().await.ok()?;
        let newer = Self::of(peer).await.ok()?;
        self.wait_for_end(TO_END).await;
        Some(newer)
    }

    /// Cuts the stream.
    pub(crate) fn hang_up(&self) {
        self.hang_up.notify_one();
    }

    /// Cuts the stream, and waits at most `patience` until the companion has noticed and closes its end.
    pub(crate) async fn cut(self, patience: Duration) {
        self.hang_up();
        self.wait_for_end(patience).await;
        drop(self);
        clock::pass(TO_NOTICE).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(
    mut connection: Connection,
    peer: Peer,
    record: impl Fn(Received),
    unanswered_pings: Arc<watch::Sender<usize>>,
    hang_up: Arc<Notify>,
) {
    let stream = peer.rules.stream();
    let mut events = EventParser::default();
    let end = loop {
        let part = tokio::select! {
            part = connection.part() => part,
            () = hang_up.notified() => {
                // The companion may have closed the connection first.
                let _ = connection.close_sending().await;
                continue;
            }
        };
        match part {
            Ok(Some(part)) => events.feed(part),
            Ok(None) => break Received::Ended,
            Err(_) => break Received::Broke,
        }
        for item in &mut events {
            let Item::Event(event) = item else {
                record(Received::Sign);
                continue;
            };
            peer.evidence
                .note(format!("← stream: {}", event.data.as_deref().unwrap_or("an event without data")));
            peer.rules.examine(Source::Stream(stream), &event);
            let message = event.data.and_then(parse);
            let Some(message) = message.filter(Value::is_object) else {
                record(Received::Sign);
                continue;
            };
            let ping = (message["method"] == "ping").then(|| message["id"].clone());
            let ping = ping.filter(|id| !id.is_null() && peer.answers_pings);
            unanswered_pings.send_modify(|pings| *pings += usize::from(ping.is_some()));
            record(Received::Message(message));
            if let Some(id) = ping {
                let pong = peer.post(&json!({ "jsonrpc": "2.0", "id": id, "result": {} }));
                // In its own task, because other messages must not wait for it.
                let (peer, unanswered_pings) = (peer.clone(), Arc::clone(&unanswered_pings));
                tokio::spawn(async move {
                    let _ = peer.send(&pong).await;
                    unanswered_pings.send_modify(|pings| *pings -= 1);
                });
            }
        }
    };
    peer.evidence.note(if end == Received::Ended {
        "← stream: its end"
    } else {
        "← stream: it broke off"
    });
    record(end);
}

impl Listener {
    /// Opens the stream of an agent.
    pub(crate) async fn of(peer: &Peer) -> Checked<Self> {
        Self::by(peer, peer.request("GET")).await
    }

    /// Opens the stream by this request.
    pub(crate) async fn by(peer: &Peer, request: Request) -> Checked<Self> {
        match peer.open(&request).await {
            Ok((head, connection)) if head.status == 200 => Ok(Self::new(connection, peer.clone())),
            Ok((head, _)) => skip(format!("the stream was refused with {}", head.status)),
            Err(NoResponse(why)) => skip(format!("the stream does not open: {why}")),
        }
    }
}
