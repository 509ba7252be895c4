//! Messages of agents and companions: parsing returns the content of the JSON, and a message that is written
//! and parsed again stays the same.

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

/// Checks one message. The input is the body of a request.
pub fn check(data: &[u8]) {
    let json = surrogates::replace_lone(data);
    assert_eq!(json.len(), data.len(), "the replacement has the same length");
    assert_eq!(surrogates::replace_lone(&json), json, "replacing twice changes nothing");
    if let Ok(value) = serde_json::from_slice::<Value>(data) {
        let again: Value = serde_json::from_slice(&json).expect("valid JSON stays valid");
        assert_eq!(again, value, "valid JSON stays the same");
        let plain = value.to_string();
        let safe = harmless::json(&plain);
        assert!(!safe.contains(harmless::is_harmful), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).ok(), serde_json::from_str::<Value>(&plain).ok());
    }
    // Parts of the message that we do not parse may be numbers or strings that a `Value` cannot hold.
    if let (Ok(Ok(message)), Ok(value)) = (Message::parse(&json), serde_json::from_slice(&json)) {
        check_message(&message, &value, data.len());
    }
    check_round_trip::<IdeContext>(&json);
    check_round_trip::<OpenDiffRequest>(&json);
    check_round_trip::<CloseDiffRequest>(&json);
    check_round_trip::<ClosedDiff>(&json);
    check_round_trip::<DiffAccepted>(&json);
    check_round_trip::<DiffRejected>(&json);
    check_round_trip::<DiffClosed>(&json);
    check_round_trip::<CallToolResult>(&json);
    check_round_trip::<Request>(&json);
    check_round_trip::<Event>(&json);
}

fn check_message(message: &Message<'_>, value: &Value, length: usize) {
    assert_eq!(value["jsonrpc"], "2.0");
    let assert_field = |name: &str, raw: Option<&serde_json::value::RawValue>| {
        let parsed =
            raw.map_or(Value::Null, |raw| serde_json::from_str(raw.get()).expect("a part of JSON is JSON"));
        assert_eq!(value.get(name).cloned().unwrap_or_default(), parsed);
    };
    match message {
        Message::Request { id, method, params } => {
            assert_eq!(value["id"], serde_json::json!(id));
            assert_eq!(value["method"], *method);
            assert_field("params", *params);
            let written = match params {
                Some(params) => rpc::request(id, method, params),
                None => rpc::bare_request(id, method),
            };
            let parsed = Message::parse(written.as_bytes());
            assert!(matches!(parsed, Ok(Ok(Message::Request { id: again, .. })) if again == *id));
            let answer = serde_json::from_str::<Value>(&rpc::reply(id, &())).expect("a reply is JSON");
            assert_eq!(answer["id"], value["id"], "a reply repeats the id");
            // Escaping may turn two bytes into six.
            assert!(rpc::reply(id, &()).len() <= 3 * length + 64, "a reply is about as long as its id");
            // Reading the message as a request of a desk must not panic.
            if let Ok(Some(request)) = wire::read_request(method, *params) {
                drop(request);
            }
        }
        Message::Notification { method, params } => {
            assert!(value.get("id").is_none());
            assert_eq!(value["method"], *method);
            assert_field("params", *params);
        }
        Message::Reply { id, result } => {
            assert!(value.get("method").is_none_or(Value::is_null));
            assert_eq!(value.get("id").cloned().unwrap_or_default(), serde_json::json!(id));
            match result {
                Ok(result) => assert_field("result", Some(result)),
                Err(error) => assert_eq!(value["error"]["code"], error.code),
            }
        }
    }
}

fn check_round_trip<T: DeserializeOwned + Serialize + PartialEq + Debug>(json: &[u8]) {
    let Ok(read) = serde_json::from_slice::<T>(json) else { return };
    let written = serde_json::to_string(&read).expect("the message can be written");
    let again = serde_json::from_str::<T>(&written).expect("a written message can be read");
    assert_eq!(again, read, "{written}");
}
