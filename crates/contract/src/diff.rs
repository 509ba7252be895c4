//! Proposed changes: the arguments of `openDiff` and `closeDiff`, and the notifications of the outcome.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::shared_text;

/// The tool that opens a diff.
pub const OPEN_DIFF: &str = "openDiff";
/// The tool that closes a diff and returns its text.
pub const CLOSE_DIFF: &str = "closeDiff";
/// The method of [`DiffAccepted`].
pub const DIFF_ACCEPTED: &str = "ide/diffAccepted";
/// The method of [`DiffRejected`].
pub const DIFF_REJECTED: &str = "ide/diffRejected";
/// The method of [`DiffClosed`].
pub const DIFF_CLOSED: &str = "ide/diffClosed";

/// The arguments of [`OPEN_DIFF`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenDiffRequest {
    /// The file, in the agent's spelling. Every later message repeats it byte for byte, because agents
    /// compare the strings and wait without end for an equal path.
    pub file_path: String,
    /// The whole proposed file.
    #[serde(deserialize_with = "shared_text::deserialize")]
    pub new_content: Arc<str>,
}

/// The arguments of [`CLOSE_DIFF`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseDiffRequest {
    /// The file, spelled as in the `openDiff` of the diff.
    pub file_path: String,
    /// Whether the agent wants no notification. A companion sends none after a `closeDiff` in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_notification: Option<bool>,
}

/// The content of the text block that answers [`CLOSE_DIFF`], as JSON in a string. Released agents parse it,
/// and would lose the person's edits if it were plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedDiff {
    /// The edited text. Absent if there is no such diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The parameters of [`DIFF_ACCEPTED`]: the person has accepted, and the agent writes the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffAccepted {
    /// The path as `openDiff` spelled it.
    pub file_path: String,
    /// The text to write. Released agents test it for truth, so it is empty only if the proposal is.
    pub content: String,
}

/// The parameters of [`DIFF_REJECTED`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffRejected {
    /// The path as `openDiff` spelled it.
    pub file_path: String,
}

/// The parameters of [`DIFF_CLOSED`], the only rejection that Gemini CLI up to 0.5 and Qwen Code 0.0.14 know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffClosed {
    /// The path as `openDiff` spelled it.
    pub file_path: String,
    /// The text at that time, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_diff_reads_with_and_without_suppress_notification() {
        let plain: CloseDiffRequest = serde_json::from_str(r#"{"filePath":"/a"}"#).unwrap();
        assert_eq!(plain.suppress_notification, None);
        let quiet: CloseDiffRequest =
            serde_json::from_str(r#"{"filePath":"/a","suppressNotification":true}"#).unwrap();
        assert_eq!(quiet.suppress_notification, Some(true));
    }
}
