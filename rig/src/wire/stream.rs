//! A GET stream as it comes in, held to the rules that shipped agents need.

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

/// Something that came over a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// An event.
    Message(Value),
    /// A comment, with its colon.
    Comment(String),
    /// Nothing more.
    End(End),
}

impl Stream {
    /// Takes a connection on which a GET was sent.
    pub async fn over(raw: Raw) -> Self {
        within("the stream to open", Self::try_over(raw)).await.expect("the stream opens")
    }

    /// Takes a connection on which a GET was sent, and which may break at any time.
    pub async fn try_over(mut raw: Raw) -> Option<Self> {
        let head = raw.try_head().await?;
        assert_eq!(head.status, 200, "the stream was refused: {head:?}");
        assert_eq!(head.get("content-type"), Some("text/event-stream"));
        Some(Self { raw, events: EventParser::default() })
    }

    /// The next thing that comes, whenever that is. Cancel safe.
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

    /// The next message; comments are passed over.
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

    /// The next message with this method. Contexts are passed over on the way, and nothing else is.
    pub async fn told(&mut self, method: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["method"] == method {
                return message;
            }
            assert_eq!(message["method"], "ide/contextUpdate", "waited for {method}");
        }
    }

    /// Fails if anything but contexts and comments comes within this time.
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

    /// Reads to the end: the messages on the way, and how it ended.
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

    /// Breaks the connection off.
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
