//! A message of an agent or a companion: what is read is what stands there, and what is written is read as
//! the same.

use std::fmt::Debug;

use alongside_contract::context::IdeContext;
use alongside_contract::diff::{
    CloseDiffRequest, ClosedDiff, DiffAccepted, DiffClosed, DiffRejected, OpenDiffRequest,
};
use alongside_contract::mcp::CallToolResult;
use alongside_contract::rpc::{self, Message};
use alongside_contract::surrogates;
use alongside_desk::{Event, Request, harmless, socket::wire};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The input is a body.
pub fn holds(data: &[u8]) {
    let json = surrogates::replace_lone(data);
    assert_eq!(json.len(), data.len(), "an escape is replaced by one as long");
    assert_eq!(surrogates::replace_lone(&json), json, "nothing is left to replace");
    if let Ok(value) = serde_json::from_slice::<Value>(data) {
        let again: Value = serde_json::from_slice(&json).expect("valid JSON stays valid");
        assert_eq!(again, value, "valid JSON stays what it was");
        let plain = value.to_string();
        let safe = harmless::json(&plain);
        assert!(!safe.contains(harmless::is_harmful), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).ok(), serde_json::from_str::<Value>(&plain).ok());
    }
    // What nobody asks for is not read: it may be a number or a text that nobody can hold.
    if let (Ok(Ok(message)), Ok(value)) = (Message::parse(&json), serde_json::from_slice(&json)) {
        is_what_stands_there(&message, &value, data.len());
    }
    is_read_as_written::<IdeContext>(&json);
    is_read_as_written::<OpenDiffRequest>(&json);
    is_read_as_written::<CloseDiffRequest>(&json);
    is_read_as_written::<ClosedDiff>(&json);
    is_read_as_written::<DiffAccepted>(&json);
    is_read_as_written::<DiffRejected>(&json);
    is_read_as_written::<DiffClosed>(&json);
    is_read_as_written::<CallToolResult>(&json);
    is_read_as_written::<Request>(&json);
    is_read_as_written::<Event>(&json);
}

fn is_what_stands_there(message: &Message, value: &Value, length: usize) {
    assert_eq!(value["jsonrpc"], "2.0");
    let stands = |name: &str, said: &Option<Box<serde_json::value::RawValue>>| {
        let said = said
            .as_ref()
            .map_or(Value::Null, |said| serde_json::from_str(said.get()).expect("a part of JSON is JSON"));
        assert_eq!(value.get(name).cloned().unwrap_or_default(), said);
    };
    match message {
        Message::Request { id, method, params } => {
            assert_eq!(value["id"], serde_json::json!(id));
            assert_eq!(value["method"], *method);
            stands("params", params);
            let written = match params {
                Some(params) => rpc::request(id, method, params),
                None => rpc::bare_request(id, method),
            };
            assert!(
                matches!(Message::parse(written.as_bytes()), Ok(Ok(Message::Request { id: again, .. })) if again == *id)
            );
            let answer = serde_json::from_str::<Value>(&rpc::reply(id, &())).expect("a reply is JSON");
            assert_eq!(answer["id"], value["id"], "a reply repeats the id");
            // What is unseen may be six bytes of JSON where it was two.
            assert!(rpc::reply(id, &()).len() <= 3 * length + 64, "a reply is about as long as its id");
            // Any of them may be sent to a companion as if by a desk; it is answered or refused.
            if let Ok(Some(request)) = wire::read_request(method, params.as_deref()) {
                drop(request);
            }
        }
        Message::Notification { method, params } => {
            assert!(value.get("id").is_none());
            assert_eq!(value["method"], *method);
            stands("params", params);
        }
        Message::Reply { id, result } => {
            assert!(value.get("method").is_none_or(Value::is_null));
            assert_eq!(value.get("id").cloned().unwrap_or_default(), serde_json::json!(id));
            match result {
                Ok(result) => stands("result", &Some(result.clone())),
                Err(error) => assert_eq!(value["error"]["code"], error.code),
            }
        }
    }
}

fn is_read_as_written<T: DeserializeOwned + Serialize + PartialEq + Debug>(json: &[u8]) {
    let Ok(read) = serde_json::from_slice::<T>(json) else { return };
    let written = serde_json::to_string(&read).expect("what was read can be written");
    let again = serde_json::from_str::<T>(&written).expect("what was written can be read");
    assert_eq!(again, read, "{written}");
}
