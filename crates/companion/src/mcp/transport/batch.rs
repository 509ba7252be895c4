//! JSON-RPC batches: several messages in one POST, and their replies in one array.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::mcp::dialect::response::RpcResponse;

/// The largest number of messages in a batch.
pub(super) const MAX_BATCH: usize = 1_000;

/// The messages of a batch, not parsed yet. More than [`MAX_BATCH`] messages are a data error.
pub(super) struct Batch<'a>(pub(super) Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Batch<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Messages;
        impl<'de> Visitor<'de> for Messages {
            type Value = Vec<&'de RawValue>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a batch")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut messages: A) -> Result<Self::Value, A::Error> {
                let mut batch = Vec::new();
                while let Some(message) = messages.next_element()? {
                    if batch.len() == MAX_BATCH {
                        return Err(A::Error::custom("too many"));
                    }
                    batch.push(message);
                }
                Ok(batch)
            }
        }
        deserializer.deserialize_seq(Messages).map(Self)
    }
}

/// The replies to a batch, as JSON.
#[derive(Default)]
pub(super) struct BatchReplies(String);

impl BatchReplies {
    pub(super) fn push(&mut self, reply: &str) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0.push_str(reply);
    }

    /// Returns the size of the replies so far, in bytes.
    pub(super) fn size(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_response(mut self) -> RpcResponse {
        if self.0.is_empty() {
            return RpcResponse::Nothing;
        }
        self.0.push(']');
        RpcResponse::Reply(self.0)
    }
}
