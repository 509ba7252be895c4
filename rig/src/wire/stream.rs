//! A GET stream, checked while it is read against the rules that shipped agents depend on.

use std::time::Duration;

use alongside_agent::wire::{Event, EventParser, Item as Block};
use serde_json::Value;

use super::deadline::within;
use super::{End, Raw};

/// An open stream.
#[derive(Debug)]
pub struct Stream {
    raw: Raw,
    events: EventParser,
}

/// An item of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// An event.
    Message(Value),
    /// A comment, including its colon.
    Comment(String),
    /// The end of the stream.
    End(End),
}

impl Stream {
    /// Creates the stream from a connection on which a GET was sent.
    pub async fn over(raw: Raw) -> Self {
        within("the stream to open", Self::try_over(raw)).await.expect("the stream opens")
    }

    /// Creates the stream from a connection on which a GET was sent; `None` if the connection breaks first.
    pub async fn try_over(mut raw: Raw) -> Option<Self> {
        let head = raw.try_head().await?;
        assert_eq!(head.status, 200, "the stream was refused: {head:?}");
        assert_eq!(head.get("content-type"), Some("text/event-stream"));
        Some(Self { raw, events: EventParser::default() })
    }

    /// Waits for the next item, without a deadline. Cancel safe.
    pub async fn next(&mut self) -> Item {
        loop {
            if let Some(block) = self.events.next_block() {
                std::str::from_utf8(&block).expect("events are UTF-8");
                match Block::parse(&block).expect("a block of an event or a comment") {
                    Block::Comment(comment) => return Item::Comment(comment),
                    Block::Event(event) => return Item::Message(message(event)),
                }
            }
            match self.raw.part().await {
                Ok(part) => self.events.feed(part),
                Err(end) => {
                    let is_whole = end == End::Abrupt || !self.events.is_in_block();
                    assert!(is_whole, "a clean end in the middle of an event");
                    return Item::End(end);
                }
            }
        }
    }

    /// Waits for the next message, and skips comments.
    pub async fn message(&mut self) -> Value {
        within("a message on the stream", async {
            loop {
                match self.next().await {
                    Item::Message(message) => return message,
                    Item::Comment(_) => {}
                    Item::End(end) => panic!("waited for a message, but the stream ended ({end:?})"),
                }
            }
        })
        .await
    }

    /// Waits for a message with this method. Skips contexts, and fails at any other message.
    pub async fn wait_for(&mut self, method: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["method"] == method {
                return message;
            }
            assert_eq!(message["method"], "ide/contextUpdate", "waited for {method}");
        }
    }

    /// Fails if a message other than a context arrives within this time, or the stream ends.
    pub async fn silent_for(&mut self, time: Duration) {
        let _ = tokio::time::timeout(time, async {
            loop {
                match self.next().await {
                    Item::Message(message) if message["method"] == "ide/contextUpdate" => {}
                    Item::Comment(_) => {}
                    other => panic!("nothing should come, but this did: {other:?}"),
                }
            }
        })
        .await;
    }

    /// Reads to the end. Returns the messages, and the kind of the end.
    pub async fn to_the_end(&mut self) -> (Vec<Value>, End) {
        let mut messages = Vec::new();
        let end = within("the end of the stream", async {
            loop {
                match self.next().await {
                    Item::Message(message) => messages.push(message),
                    Item::Comment(_) => {}
                    Item::End(end) => return end,
                }
            }
        })
        .await;
        (messages, end)
    }

    /// Resets the connection.
    pub fn reset(self) {
        self.raw.reset();
    }
}

fn message(event: Event) -> Value {
    let Event { id, retry, kind, data } = event;
    assert!(kind.as_deref().is_none_or(|kind| kind == "message"), "an event of another type: {kind:?}");
    assert!(id.is_none() && retry.is_none(), "old agents trip over ids and retry hints: {id:?} {retry:?}");
    let data = data.unwrap_or_default();
    assert!(!data.trim().is_empty(), "an event without data makes agents disconnect");
    let message: Value = serde_json::from_str(&data).expect("an event holds JSON");
    assert_eq!(message["jsonrpc"], "2.0");
    assert!(!has_null(&message), "agents refuse null for what is absent: {message}");
    message
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}
