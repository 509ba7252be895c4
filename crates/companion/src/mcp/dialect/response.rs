//! The response to one message of an agent.

use alongside_contract::rpc::{self, Id};
use serde::Serialize;

/// The response to one message.
#[derive(Debug)]
pub(in crate::mcp) enum RpcResponse {
    /// No response: the message is a notification or a reply.
    Nothing,
    Reply(String),
    SessionCreated {
        session: String,
        reply: String,
    },
    SessionRequired,
    NoSuchSession,
    /// The client uses a newer protocol. It falls back to sessions after status 400.
    UnsupportedProtocol(String),
    TooManySessions(String),
    Stopping,
}

pub(in crate::mcp) fn reply<T: Serialize>(id: &Id, result: &T) -> RpcResponse {
    RpcResponse::Reply(rpc::reply(id, result))
}
