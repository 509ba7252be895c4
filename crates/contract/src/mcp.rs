//! The part of the Model Context Protocol that the contract uses: versions, headers, `initialize` and tools.

use serde::{Deserialize, Serialize};

use crate::null;

/// The protocol versions that a companion supports, the oldest first.
pub const PROTOCOL_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version of a client that sends none in its requests.
pub const ASSUMED_VERSION: &str = "2025-03-26";

/// The versions that allow several messages in a POST.
pub const BATCH_VERSIONS: [&str; 2] = ["2024-11-05", "2025-03-26"];

/// The header with the session id, in lower case.
pub const SESSION_HEADER: &str = "mcp-session-id";

/// The header with the protocol version, in lower case.
pub const VERSION_HEADER: &str = "mcp-protocol-version";

/// The parameters of `initialize` that a companion reads.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The version that the client proposes.
    #[serde(default, deserialize_with = "null::or_default")]
    pub protocol_version: String,
    /// The client's capabilities, an object because strict servers require it. They are not read.
    #[serde(default, deserialize_with = "unread")]
    pub capabilities: serde_json::Map<String, serde_json::Value>,
    /// The client.
    #[serde(default, deserialize_with = "null::or_default")]
    pub client_info: Implementation,
}

fn unread<'de, D: serde::Deserializer<'de>, T: Default>(deserializer: D) -> Result<T, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| T::default())
}

/// The result of `initialize`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The version that both sides use.
    pub protocol_version: String,
    /// The companion's capabilities. `tools` must be an object, since agents disable diffs otherwise.
    pub capabilities: serde_json::Value,
    /// The companion.
    pub server_info: Implementation,
}

/// A program's name and version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    /// The identifier.
    #[serde(default, deserialize_with = "null::or_default")]
    pub name: String,
    /// The version, in the program's own scheme.
    #[serde(default, deserialize_with = "null::or_default")]
    pub version: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Returns the version in the answer to `initialize`: the proposed version if it is known, or else the
/// newest.
pub fn negotiate(proposed: &str) -> &'static str {
    PROTOCOL_VERSIONS.into_iter().find(|version| *version == proposed).unwrap_or(PROTOCOL_VERSIONS[3])
}

/// The result of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// The text blocks. Empty for an opened diff.
    #[serde(default, deserialize_with = "null::or_default")]
    pub content: Vec<TextContent>,
    /// True if the tool failed, and absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

impl CallToolResult {
    /// Makes a result with a single text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![TextContent::new(text)], is_error: None }
    }

    /// Makes a result with `isError: true` and a single text block with the reason.
    pub fn error(why: impl Into<String>) -> Self {
        Self { content: vec![TextContent::new(why)], is_error: Some(true) }
    }
}

/// A block of text. A block of another kind is read as an empty text of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextContent {
    /// The kind, which is always `text` in written blocks.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    #[serde(default, deserialize_with = "null::or_default")]
    pub text: String,
}

impl TextContent {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { kind: "text".into(), text: text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_version_gets_the_newest() {
        assert_eq!(negotiate("2025-06-18"), "2025-06-18");
        assert_eq!(negotiate("2099-01-01"), "2025-11-25");
    }

    #[test]
    fn an_opened_diff_answers_with_empty_content() {
        assert_eq!(serde_json::to_string(&CallToolResult::default()).unwrap(), r#"{"content":[]}"#);
    }
}
