//! A desk's report about the person's open files. Its positions are LSP's, not the contract's.

use serde::{Deserialize, Serialize};

/// The person's open files, as far as one desk knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextReport {
    /// The focused file, if a file in this desk has the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveFile>,
    /// All open files, most recently focused first. If absent, the companion keeps the earlier list and adds
    /// the active file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<Vec<OpenFile>>,
    /// Whether the editor trusts the workspace; absent if the editor has no workspace trust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
}

/// The focused file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActiveFile {
    /// Absolute path.
    pub path: String,
    /// The cursor, or the end of the selection at the cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Position>,
    /// The other end of the selection; absent if the selection is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Position>,
    /// The selected text; absent or empty when nothing is selected. It may be longer than the contract
    /// allows: the companion cuts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_text: Option<String>,
}

/// An open file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFile {
    /// Absolute path.
    pub path: String,
    /// Whether the editor holds unsaved changes to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
}

/// A position in a text, as LSP counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// 0-based line.
    pub line: u32,
    /// 0-based column in UTF-16 units.
    pub character: u32,
}

/// A range of text; `end` is exclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// First position.
    pub start: Position,
    /// First position after it.
    pub end: Position,
}
