//! The part of the Model Context Protocol that the contract uses: versions, headers, `initialize`, tools.

use serde::{Deserialize, Serialize};

use crate::null;

/// Protocol versions a companion speaks, oldest first.
pub const PROTOCOL_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version of a client that names none in its requests.
pub const ASSUMED_VERSION: &str = "2025-03-26";

/// The versions that let one POST carry several messages.
pub const BATCH_VERSIONS: [&str; 2] = ["2024-11-05", "2025-03-26"];

/// The header that names the session, lower case.
pub const SESSION_HEADER: &str = "mcp-session-id";

/// The header that names the protocol version, lower case.
pub const VERSION_HEADER: &str = "mcp-protocol-version";

/// Parameters of `initialize`, as far as a companion looks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The version the client proposes.
    #[serde(default, deserialize_with = "null::or_default")]
    pub protocol_version: String,
    /// The client's capabilities, an object for strict servers. Reading ignores them.
    #[serde(default, deserialize_with = "unread")]
    pub capabilities: serde_json::Map<String, serde_json::Value>,
    /// The client.
    #[serde(default, deserialize_with = "null::or_default")]
    pub client_info: Implementation,
}

fn unread<'de, D: serde::Deserializer<'de>, T: Default>(deserializer: D) -> Result<T, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| T::default())
}

/// Result of `initialize`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The version for both sides.
    pub protocol_version: String,
    /// `tools` must be an object; otherwise agents disable diffs.
    pub capabilities: serde_json::Value,
    /// The companion.
    pub server_info: Implementation,
}

/// A program's name and version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    /// Identifier.
    #[serde(default, deserialize_with = "null::or_default")]
    pub name: String,
    /// Version, in whatever scheme the program uses.
    #[serde(default, deserialize_with = "null::or_default")]
    pub version: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The version in the answer to `initialize`: the proposed one if it is known, otherwise the newest.
pub fn negotiate(proposed: &str) -> &'static str {
    PROTOCOL_VERSIONS.into_iter().find(|version| *version == proposed).unwrap_or(PROTOCOL_VERSIONS[3])
}

/// Result of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// Text blocks; empty for an opened diff.
    #[serde(default, deserialize_with = "null::or_default")]
    pub content: Vec<TextContent>,
    /// True if the tool failed, otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

impl CallToolResult {
    /// One text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![TextContent::new(text)], is_error: None }
    }

    /// `isError: true` and one text block with the reason.
    pub fn error(why: impl Into<String>) -> Self {
        Self { content: vec![TextContent::new(why)], is_error: Some(true) }
    }
}

/// A block of text. Blocks of other kinds read as empty text of their kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextContent {
    /// Always `text` in written blocks.
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
