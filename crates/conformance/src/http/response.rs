//! The response to a request, as far as it was received.

use alongside_agent::wire::{Event, Head};
use bytes::BytesMut;
use serde_json::Value;

use crate::check_ending::NotPassed;
use crate::http::json::parse;

/// A whole response.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) head: Head,
    pub(crate) body: BytesMut,
    /// The events, if the body was a stream of them.
    pub(crate) events: Vec<Event>,
}

impl Response {
    pub(crate) fn status(&self) -> u16 {
        self.head.status
    }

    /// Returns the messages in the response.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.head.is_event_stream() {
            return self.events.iter().filter_map(|event| parse(event.data.as_ref()?)).collect();
        }
        match parse(&self.body) {
            Some(Value::Array(messages)) => messages,
            message => message.into_iter().collect(),
        }
    }

    /// Returns the reply to the request with this id.
    pub(crate) fn reply(&self, id: &Value) -> Option<Value> {
        self.messages().into_iter().find(|message| message["id"] == *id && message.get("method").is_none())
    }
}

/// The reason why there is no response.
#[derive(Debug)]
pub(crate) struct NoResponse(pub(crate) String);

impl From<NoResponse> for NotPassed {
    fn from(none: NoResponse) -> Self {
        Self::Fail(none.0)
    }
}
