//! The two MCP tools that agents call: `openDiff` and `closeDiff`.

use alongside_contract::diff::{CLOSE_DIFF, CloseDiffRequest, ClosedDiff, OPEN_DIFF, OpenDiffRequest};
use alongside_contract::mcp::CallToolResult;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::mcp::excerpt::excerpt;
use crate::reviews::large_text::LargeText;
use crate::reviews::proposal::NotOpened;

/// A call of one of the tools.
#[derive(Debug)]
pub(in crate::mcp) enum ToolCall {
    OpenDiff(OpenDiffRequest),
    /// A call of `openDiff` whose text is still in the block of memory in which it was received.
    OpenLarge {
        file_path: String,
        proposed: LargeText,
    },
    CloseDiff(CloseDiffRequest),
}

/// A call that cannot be carried out.
#[derive(Debug)]
pub(in crate::mcp) enum BadCall {
    /// The request is malformed and gets a JSON-RPC error.
    Protocol(String),
    /// The arguments are wrong, and the result of the tool has `isError`.
    Tool(CallToolResult),
}

/// The answer to a call that opens a review where agents get no reviews.
pub(in crate::mcp) const CONTEXT_ONLY: &str =
    "reviews are off in the settings of this companion: ask in your own prompt";

/// Returns the result of `tools/list` where agents get no reviews.
pub(in crate::mcp) fn no_tools() -> Value {
    json!({ "tools": [] })
}

/// Returns the result of `tools/list`. If one of both names is missing, an agent turns diffing off.
pub(in crate::mcp) fn list() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({ "tools": [
        {
            "name": OPEN_DIFF,
            "description": "Shows a proposed change of a file for review. Answers at once; the outcome \
                follows as ide/diffAccepted or ide/diffRejected.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filePath": text("Absolute path of the file."),
                    "newContent": text("The whole proposed content of the file."),
                },
                "required": ["filePath", "newContent"],
            },
        },
        {
            "name": CLOSE_DIFF,
            "description": "Closes the review of a file. Answers with JSON that holds the text as last \
                edited: {\"content\": \"…\"}.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filePath": text("The path given to openDiff."),
                    "suppressNotification": {
                        "type": "boolean",
                        "description": "Accepted; no notification follows in any case.",
                    },
                },
                "required": ["filePath"],
            },
        },
    ] })
}

/// Parses the parameters of `tools/call`.
pub(in crate::mcp) fn parse(params: Option<&RawValue>) -> Result<ToolCall, BadCall> {
    #[derive(Deserialize)]
    struct RawCall<'a> {
        name: String,
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }
    let params = params.map_or("{}", RawValue::get);
    let call: RawCall<'_> = serde_json::from_str(params).map_err(|error| {
        BadCall::Protocol(format!("tools/call needs a name and arguments: {}", excerpt(&error.to_string())))
    })?;
    let arguments = call.arguments.map_or("{}", RawValue::get);
    let bad = |error: serde_json::Error| {
        let (name, why) = (&call.name, error.to_string());
        BadCall::Tool(CallToolResult::error(format!("{name} cannot read its arguments: {}", excerpt(&why))))
    };
    match call.name.as_str() {
        OPEN_DIFF => serde_json::from_str(arguments).map(ToolCall::OpenDiff).map_err(bad),
        CLOSE_DIFF => serde_json::from_str(arguments).map(ToolCall::CloseDiff).map_err(bad),
        unknown => Err(BadCall::Protocol(format!("there is no tool {:?} here", excerpt(unknown)))),
    }
}

/// Returns the result of `openDiff`; `None` for an unknown session.
pub(in crate::mcp) fn opened(answer: Result<(), NotOpened>) -> Option<CallToolResult> {
    match answer {
        Ok(()) => Some(CallToolResult::default()),
        Err(NotOpened::UnknownSession) => None,
        Err(NotOpened::Overtaken) => {
            Some(CallToolResult::error("a later request has proposed for this file already"))
        }
        Err(NotOpened::BadTarget(why)) => Some(CallToolResult::error(why)),
    }
}

/// Returns the result of `closeDiff`: JSON in a text block, which shipped agents parse.
pub(in crate::mcp) fn closed(text: Option<&str>) -> CallToolResult {
    let closed = ClosedDiff { content: text.map(str::to_owned) };
    CallToolResult::text(serde_json::to_string(&closed).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(params: Value) -> Result<ToolCall, BadCall> {
        parse(Some(&serde_json::value::to_raw_value(&params).unwrap()))
    }

    #[test]
    fn both_tools_are_listed() {
        let tools = list();
        let names: Vec<_> = tools["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["openDiff", "closeDiff"]);
    }

    #[test]
    fn bad_arguments_are_tool_errors_and_unknown_tools_rpc_errors() {
        let open = |arguments: Value| parsed(json!({ "name": "openDiff", "arguments": arguments }));
        assert!(matches!(open(json!({ "filePath": "/a", "newContent": "x" })), Ok(ToolCall::OpenDiff(_))));
        assert!(matches!(open(json!({ "filePath": "/a" })), Err(BadCall::Tool(_))));
        assert!(matches!(open(json!({ "filePath": 7, "newContent": "x" })), Err(BadCall::Tool(_))));
        assert!(matches!(parsed(json!({ "name": "openDiff" })), Err(BadCall::Tool(_))));
        assert!(matches!(parsed(json!({ "name": "rm", "arguments": {} })), Err(BadCall::Protocol(_))));
        assert!(matches!(parsed(json!({})), Err(BadCall::Protocol(_))));
        assert!(matches!(parse(None), Err(BadCall::Protocol(_))));
    }

    #[test]
    fn a_call_is_read_in_any_order_of_keys() {
        for call in [
            r#"{"name":"openDiff","arguments":{"filePath":"/a","newContent":"x"}}"#,
            r#"{"arguments":{"filePath":"/a","newContent":"x"},"name":"openDiff"}"#,
            r#"{"_meta":[1],"name":"openDiff","arguments":{"newContent":"x","y":[1],"filePath":"/a"},"x":0}"#,
        ] {
            let params = RawValue::from_string(call.to_owned()).unwrap();
            let expected = OpenDiffRequest { file_path: "/a".into(), new_content: "x".into() };
            let Ok(ToolCall::OpenDiff(open)) = parse(Some(&params)) else { panic!("{call}") };
            assert_eq!(open, expected, "{call}");
        }
    }

    #[test]
    fn close_diff_returns_json_in_one_text_block() {
        assert_eq!(closed(Some("a\n")).content[0].text, r#"{"content":"a\n"}"#);
        assert_eq!((closed(None).content[0].text.as_str(), closed(None).is_error), ("{}", None));
    }
}
