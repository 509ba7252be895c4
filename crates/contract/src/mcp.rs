//! The little of the Model Context Protocol that the contract rests on: versions, headers, `initialize`,
//! tools.

use serde::{Deserialize, Serialize};

use crate::null;

/// Protocol versions a companion speaks, oldest first.
pub const PROTOCOL_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What a client that names no version in its requests is held to.
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
    #[serde(default, deserialize_with = "null::is_absent")]
    pub protocol_version: String,
    /// What the client can do; an object for strict servers. Nobody needs it, so it is not read.
    #[serde(default, deserialize_with = "unread")]
    pub capabilities: serde_json::Map<String, serde_json::Value>,
    /// Who the client is.
    #[serde(default, deserialize_with = "null::is_absent")]
    pub client_info: Implementation,
}

fn unread<'de, D: serde::Deserializer<'de>, T: Default>(deserializer: D) -> Result<T, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| T::default())
}

/// Result of `initialize`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The version both sides will speak.
    pub protocol_version: String,
    /// `tools` must be an object, or agents turn diffing off.
    pub capabilities: serde_json::Value,
    /// Who the companion is.
    pub server_info: Implementation,
}

/// A program's name and version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    /// Identifier.
    #[serde(default, deserialize_with = "null::is_absent")]
    pub name: String,
    /// Version, in whatever scheme the program uses.
    #[serde(default, deserialize_with = "null::is_absent")]
    pub version: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The version to answer `initialize` with: the proposed one if we speak it, else our newest.
pub fn negotiate(proposed: &str) -> &'static str {
    PROTOCOL_VERSIONS.into_iter().find(|version| *version == proposed).unwrap_or(PROTOCOL_VERSIONS[3])
}

/// Result of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// Text blocks; empty for a diff that was opened.
    #[serde(default, deserialize_with = "null::is_absent")]
    pub content: Vec<TextContent>,
    /// True when the tool could not do it. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

impl CallToolResult {
    /// One text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![TextContent::new(text)], is_error: None }
    }

    /// `isError: true` and one text block that says why.
    pub fn error(why: impl Into<String>) -> Self {
        Self { content: vec![TextContent::new(why)], is_error: Some(true) }
    }
}

/// A block of text. Blocks of other kinds read as empty text of their kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextContent {
    /// Always `text` in what we write.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    #[serde(default, deserialize_with = "null::is_absent")]
    pub text: String,
}

impl TextContent {
    fn new(text: impl Into<String>) -> Self {
        Self { kind: "text".into(), text: text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_proposal_is_answered_with_the_newest_version() {
        assert_eq!(negotiate("2025-06-18"), "2025-06-18");
        assert_eq!(negotiate("2099-01-01"), "2025-11-25");
    }

    #[test]
    fn an_opened_diff_answers_with_empty_content() {
        assert_eq!(serde_json::to_string(&CallToolResult::default()).unwrap(), r#"{"content":[]}"#);
    }
}
