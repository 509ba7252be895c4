//! The dialect of Claude Code and OpenCode: MCP over a WebSocket. It is not documented, and was measured with
//! Claude Code 2.0.31 to 2.1.332. `rig/tests/stories/claude.rs` and the release matrix fail if a release
//! differs.
//!
//! The agent finds the port and the token in a [lock file](crate::lock_file). `openDiff` has no notification
//! of its outcome: the call stays open until the person has decided, and its result is the outcome. Lines and
//! characters are counted from 0, and characters are UTF-16 units.

pub mod tools;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::mcp::{CallToolResult, TextContent};
use crate::shared_text;

/// The header with the token, in lower case.
pub const TOKEN_HEADER: &str = "x-claude-code-ide-authorization";
/// The WebSocket subprotocol, which the companion repeats.
pub const SUBPROTOCOL: &str = "mcp";

/// The tool that ends a single review, after the person has answered in the agent's own prompt.
pub const CLOSE_TAB: &str = "close_tab";
/// The tool that ends all reviews of the agent. The agent calls it with each prompt.
pub const CLOSE_ALL_DIFF_TABS: &str = "closeAllDiffTabs";
/// The method of [`SelectionChanged`].
pub const SELECTION_CHANGED: &str = "selection_changed";

/// The method of [`AtMentioned`].
pub const AT_MENTIONED: &str = "at_mentioned";

/// The arguments of [`OPEN_DIFF`](crate::diff::OPEN_DIFF) in this dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDiffCall {
    /// The file that the agent is to write.
    pub new_file_path: String,
    /// The whole proposed file.
    #[serde(deserialize_with = "shared_text::deserialize")]
    pub new_file_contents: Arc<str>,
    /// The name of this review in [`CLOSE_TAB`] and in a rejection.
    pub tab_name: String,
}

/// The arguments of [`CLOSE_TAB`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseTabCall {
    /// The name in the `openDiff` of the review.
    pub tab_name: String,
}

/// Makes the result of an accepted `openDiff`. The agent writes `text`. It treats a text that equals the file
/// as a rejection.
pub fn accepted(text: &str) -> CallToolResult {
    texts(["FILE_SAVED", text])
}

/// Makes the result of a rejected `openDiff`.
pub fn rejected(tab_name: &str) -> CallToolResult {
    texts(["DIFF_REJECTED", tab_name])
}

/// Makes the result of [`CLOSE_TAB`], whether or not there was a review. As the result of `openDiff` it would
/// accept the proposal.
pub fn tab_closed() -> CallToolResult {
    texts(["TAB_CLOSED"])
}

/// Makes the result of [`CLOSE_ALL_DIFF_TABS`], which ended `count` reviews.
pub fn tabs_closed(count: usize) -> CallToolResult {
    texts([format!("CLOSED_{count}_DIFF_TABS")])
}

fn texts<const N: usize>(texts: [impl Into<String>; N]) -> CallToolResult {
    CallToolResult { content: texts.into_iter().map(TextContent::new).collect(), ..CallToolResult::default() }
}

/// The parameters of `selection_changed`: the active file and the selection in it. Without a file and with an
/// empty range, the agent clears its state. It ignores a message without a range.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectionChanged {
    /// The selected text. Empty for a cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// The path as a `file:` URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_url: Option<String>,
    /// The range of the selection.
    pub selection: SelectedRange,
}

/// The parameters of `at_mentioned`. The agent adds the file, or lines of it, to the prompt that the person
/// types.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AtMentioned {
    /// The absolute path.
    pub file_path: String,
    /// The first line, counted from 0. Absent for the whole file, and never null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_start: Option<u32>,
    /// The last line, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_end: Option<u32>,
}

/// A range of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectedRange {
    /// Its first character.
    pub start: FilePosition,
    /// The character after its last one.
    pub end: FilePosition,
    /// Whether the start and the end are the same.
    pub is_empty: bool,
}

/// A position in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FilePosition {
    /// The line, counted from 0.
    pub line: u32,
    /// The character, counted from 0 in UTF-16 units.
    pub character: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_those_that_agents_expect() {
        let texts = |result: CallToolResult| serde_json::to_string(&result.content).unwrap();
        assert_eq!(
            texts(accepted("a\n")),
            r#"[{"type":"text","text":"FILE_SAVED"},{"type":"text","text":"a\n"}]"#
        );
        assert!(texts(rejected("tab")).contains(r#""DIFF_REJECTED"},{"type":"text","text":"tab""#));
        assert!(texts(tab_closed()).contains("TAB_CLOSED"));
        assert!(texts(tabs_closed(2)).contains("CLOSED_2_DIFF_TABS"));
    }

    #[test]
    fn an_empty_selection_has_a_range_and_no_file() {
        let json = serde_json::to_string(&SelectionChanged::default()).unwrap();
        let place = r#"{"line":0,"character":0}"#;
        let range = format!(r#"{{"start":{place},"end":{place},"isEmpty":false}}"#);
        assert_eq!(json, format!(r#"{{"selection":{range}}}"#));
    }
}
