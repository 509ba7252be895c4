//! The GET stream, the only way for a companion to send messages by itself.

use std::time::Duration;

use crate::Error;
use crate::client::{Client, Response};
use crate::wire::{EventParser, Item};

/// The state of the stream of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// The stream is being opened, for the first time or again.
    Connecting,
    /// The stream is open.
    Open,
    /// The stream could not be reopened, and no more messages will arrive.
    Lost,
}

/// The times to wait before the stream is reopened. They are those of the TypeScript SDK, which every agent
/// uses.
pub(crate) const RETRIES: [Duration; 2] = [Duration::from_millis(1000), Duration::from_millis(1500)];

/// The times to wait for a session that tries for half a minute.
pub(crate) const PATIENT_RETRIES: [Duration; 30] = [Duration::from_secs(1); 30];

/// The messages in a stream of events.
pub(crate) struct Messages {
    response: Response,
    events: EventParser,
}

impl Messages {
    /// Opens the stream.
    pub(crate) async fn open(client: &Client) -> Result<Self, Error> {
        const WHAT: &str = "open the stream";
        let response = client.get(WHAT).await?;
        if !response.head.is_event_stream() {
            return Err(client.off_contract(WHAT, "the answer to GET is no event stream"));
        }
        Ok(Self::of(response))
    }

    pub(crate) fn of(response: Response) -> Self {
        Self { response, events: EventParser::default() }
    }

    /// Returns the next message. Comments, and events of other types or without data, are skipped. Returns
    /// `None` when the connection ends, whether properly or not, because agents do not distinguish these
    /// either.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            for item in &mut self.events {
                if let Item::Event(event) = item
                    && event.kind.is_none_or(|kind| kind == "message")
                    && let Some(data) = event.data.filter(|data| !data.is_empty())
                {
                    return Some(data);
                }
            }
            match self.response.part().await {
                Ok(part) => self.events.feed(part?),
                Err(error) => {
                    tracing::debug!(%error, "the stream broke");
                    return None;
                }
            }
        }
    }
}
