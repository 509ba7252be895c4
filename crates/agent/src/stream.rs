//! The GET stream: the only way in which a companion says anything by itself.

use std::time::Duration;

use crate::Error;
use crate::client::{Client, Response};
use crate::wire::{EventParser, Item};

/// Whether a session hears its companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// The stream is being opened, for the first time or again.
    Connecting,
    /// The stream is open.
    Open,
    /// It could not be opened again; nothing will be heard any more.
    Lost,
}

/// How long to wait before the stream is opened again, as the TypeScript SDK does, which is what every agent
/// runs on: twice, and then no more.
pub(crate) const RETRIES: [Duration; 2] = [Duration::from_millis(1000), Duration::from_millis(1500)];

/// The same of somebody who does not give up for half a minute.
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

    /// The next message; comments, and events of other types or without data, are none. `None` when the
    /// connection ends, gracefully or not: agents make no difference either.
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
