//! JSON-RPC 2.0 as MCP uses it: a message is a request, a notification or a reply.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::null;

/// The code for a body that is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The code for JSON that is not a message.
pub const INVALID_REQUEST: i64 = -32600;
/// The code for an unknown method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The code for parameters that do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// The code for a session that does not exist, or does not exist any more.
pub const SESSION_NOT_FOUND: i64 = -32001;

/// The id of a request: agents use numbers, other clients use strings. A reply repeats it exactly.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A whole number.
    Number(i64),
    /// Any string.
    Text(String),
}

impl Id {
    /// The longest id, in bytes of JSON. A call that waits for a person keeps its id.
    pub const MAX_BYTES: usize = 1 << 10;

    /// Parses an id.
    ///
    /// # Errors
    /// If the JSON is no id, or a longer one.
    pub fn parse(json: &str) -> Result<Self, NotAMessage> {
        if json.len() > Self::MAX_BYTES {
            return Err(NotAMessage { why: "\"id\" is longer than 1,024 bytes" });
        }
        // Parsing a list or an object would take many times its size.
        let is_simple = !json.starts_with(['[', '{']);
        is_simple
            .then(|| serde_json::from_str(json).ok())
            .flatten()
            .ok_or(NotAMessage { why: "\"id\" is neither a string nor a whole number" })
    }
}

/// A received message. Parameters stay raw within the text of the message until their type is known, because
/// a proposal may be large.
#[derive(Debug, Clone)]
pub enum Message<'a> {
    /// A message that needs a reply.
    Request {
        /// The id, which the reply repeats.
        id: Id,
        /// The method.
        method: String,
        /// The raw arguments.
        params: Option<&'a RawValue>,
    },
    /// A message that needs no reply.
    Notification {
        /// The method.
        method: String,
        /// The raw arguments.
        params: Option<&'a RawValue>,
    },
    /// The answer to a request. A reply to an unreadable request has no id.
    Reply {
        /// The id of the request.
        id: Option<Id>,
        /// The raw result, or the error.
        result: Result<&'a RawValue, ErrorObject>,
    },
}

/// The `error` of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// A constant of this module, or a code of the peer.
    pub code: i64,
    /// The message for people.
    #[serde(default, deserialize_with = "null::or_default")]
    pub message: String,
    /// The data for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

impl ErrorObject {
    /// The largest data that are read, in bytes: as a value, data take many times their size.
    const MAX_DATA: usize = 64 << 10;

    fn parse(json: &str) -> Result<Self, NotAMessage> {
        #[derive(Deserialize)]
        struct WithoutData {
            code: i64,
            #[serde(default, deserialize_with = "null::or_default")]
            message: String,
        }
        let read = match json.len() <= Self::MAX_DATA {
            true => serde_json::from_str(json),
            false => serde_json::from_str(json).map(|WithoutData { code, message }| Self {
                code,
                message,
                data: None,
            }),
        };
        read.map_err(|_| NotAMessage { why: NO_SHAPE })
    }
}

/// The reason for JSON of another shape.
const NO_SHAPE: &str = "it is not an object of JSON-RPC's shape";

/// An error about JSON that is not JSON-RPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAMessage {
    /// The reason.
    pub why: &'static str,
}

#[derive(Deserialize)]
struct Loose<'a> {
    jsonrpc: Option<String>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

impl<'a> Message<'a> {
    /// Parses a message.
    ///
    /// # Errors
    /// The outer error is a JSON error, the inner error is JSON that is not a JSON-RPC 2.0 message.
    pub fn parse(json: &'a [u8]) -> Result<Result<Self, NotAMessage>, serde_json::Error> {
        let loose: Loose<'_> = match serde_json::from_slice(json) {
            Ok(loose) => loose,
            Err(error) if error.is_data() => {
                return Ok(Err(NotAMessage { why: NO_SHAPE }));
            }
            Err(error) => return Err(error),
        };
        Ok(Self::from_loose(loose))
    }

    fn from_loose(loose: Loose<'a>) -> Result<Self, NotAMessage> {
        if loose.jsonrpc.as_deref() != Some("2.0") {
            return Err(NotAMessage { why: "\"jsonrpc\" is not \"2.0\"" });
        }
        let id = match loose.id.map(RawValue::get) {
            None => None,
            Some("null") if loose.method.is_none() => None,
            Some(json) => Some(Id::parse(json)?),
        };
        let error = loose.error.map(|error| ErrorObject::parse(error.get())).transpose()?;
        match (loose.method, id, loose.result, error) {
            (Some(method), Some(id), None, None) => Ok(Self::Request { id, method, params: loose.params }),
            (Some(method), None, None, None) => Ok(Self::Notification { method, params: loose.params }),
            (None, id, Some(result), None) => Ok(Self::Reply { id, result: Ok(result) }),
            (None, id, None, Some(error)) => Ok(Self::Reply { id, result: Err(error) }),
            _ => Err(NotAMessage { why: "it is neither a request nor a reply" }),
        }
    }
}

#[derive(Serialize)]
struct Outgoing<'a, P: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a P>,
}

fn write<P: Serialize>(
    id: Option<&Id>,
    method: Option<&str>,
    params: Option<&P>,
    result: Option<&P>,
) -> String {
    // Only maps with keys other than strings and failing `Serialize` impls fail, and no type here has either.
    serde_json::to_string(&Outgoing { jsonrpc: "2.0", id, method, params, result }).unwrap_or_default()
}

/// Writes a request.
pub fn request<P: Serialize>(id: &Id, method: &str, params: &P) -> String {
    write(Some(id), Some(method), Some(params), None)
}

/// Writes a request without parameters, such as `ping`.
pub fn bare_request(id: &Id, method: &str) -> String {
    write::<()>(Some(id), Some(method), None, None)
}

/// Writes a notification.
pub fn notification<P: Serialize>(method: &str, params: &P) -> String {
    write(None, Some(method), Some(params), None)
}

/// Writes a notification without parameters.
pub fn bare_notification(method: &str) -> String {
    write::<()>(None, Some(method), None, None)
}

/// Writes the reply to a request.
pub fn reply<P: Serialize>(id: &Id, result: &P) -> String {
    write(Some(id), None, None, Some(result))
}

/// Writes an error reply. Without a readable id, JSON-RPC requires `"id": null`.
pub fn error(id: Option<&Id>, code: i64, message: &str) -> String {
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        .to_string()
}

/// Writes an error reply with data for programs.
pub fn error_with(id: &Id, code: i64, message: &str, data: &impl Serialize) -> String {
    let error = serde_json::json!({ "code": code, "message": message, "data": data });
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Message<'_>, NotAMessage> {
        Message::parse(json.as_bytes()).unwrap()
    }

    #[test]
    fn the_three_kinds_parse() {
        assert!(matches!(
            parse(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
            Ok(Message::Request { id: Id::Number(1), .. })
        ));
        assert!(matches!(
            parse(r#"{"jsonrpc":"2.0","method":"x","params":{}}"#),
            Ok(Message::Notification { .. })
        ));
        assert!(matches!(
            parse(r#"{"jsonrpc":"2.0","id":"p","result":{}}"#),
            Ok(Message::Reply { result: Ok(_), .. })
        ));
        assert!(matches!(
            parse(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}"#),
            Ok(Message::Reply { id: None, result: Err(_) })
        ));
    }

    #[test]
    fn json_without_a_message_is_refused() {
        for json in [
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            "[]",
            "7",
        ] {
            assert!(parse(json).is_err(), "{json}");
        }
        assert!(Message::parse(b"{\"jsonrpc\":").is_err());
    }

    #[test]
    fn large_ids_and_data_stay_unread() {
        for (length, is_read) in [(Id::MAX_BYTES - 2, true), (Id::MAX_BYTES - 1, false)] {
            let id = "x".repeat(length);
            let ping = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#);
            assert_eq!(parse(&ping).is_ok(), is_read, "{length}");
        }
        let long = format!("[{}7]", "7,".repeat(100_000));
        assert!(parse(&format!(r#"{{"jsonrpc":"2.0","id":{long},"method":"ping"}}"#)).is_err());
        let error = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-1,"data":{long}}}}}"#);
        assert!(matches!(
            parse(&error),
            Ok(Message::Reply { result: Err(ErrorObject { code: -1, data: None, .. }), .. })
        ));
    }

    #[test]
    fn replies_repeat_the_id_exactly() {
        assert_eq!(reply(&Id::Number(0), &serde_json::json!({})), r#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
        assert_eq!(
            error(None, PARSE_ERROR, "x"),
            r#"{"error":{"code":-32700,"message":"x"},"id":null,"jsonrpc":"2.0"}"#
        );
        assert_eq!(
            bare_request(&Id::Text("a".into()), "ping"),
            r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#
        );
    }
}
