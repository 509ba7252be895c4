//! The person's context for agents: the `ide/contextUpdate` notification.

use serde::{Deserialize, Serialize};

use crate::null;

/// The method of the notification that carries an [`IdeContext`].
pub const CONTEXT_UPDATE: &str = "ide/contextUpdate";

/// The number of files that agents keep; they drop the rest (the contract's section *How the CLI uses this
/// context: truncation*).
pub const MAX_OPEN_FILES: usize = 10;

/// The UTF-16 units of the selection that agents keep; they drop the rest.
pub const MAX_SELECTED_UTF16: usize = 16_384;

/// Parameters of `ide/contextUpdate` (the `IdeContext` of the contract's context interface).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdeContext {
    /// The state of the workspace. Absent if the companion has none to report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_state: Option<WorkspaceState>,
}

impl IdeContext {
    /// Returns the open files in their order, the newest first. Empty if the context has none.
    pub fn open_files(&self) -> &[OpenFile] {
        self.workspace_state.as_ref().and_then(|state| state.open_files.as_deref()).unwrap_or_default()
    }
}

/// The part of an [`IdeContext`] that describes the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceState {
    /// Files that are open and exist on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<Vec<OpenFile>>,
    /// Whether the editor trusts the workspace. Absent if the editor has no concept of trust, because the
    /// value overrides the agent's list of trusted folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_trusted: Option<bool>,
}

/// An open file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenFile {
    /// The absolute path.
    pub path: String,
    /// The last focus, in milliseconds since the Unix epoch. Agents sort by it, newest first.
    #[serde(default, deserialize_with = "null::or_default")]
    pub timestamp: u64,
    /// Whether the file is focused. Agents accept this only for the newest file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// The cursor, in the active file only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The other end of the selection, in the active file only. Only the [dialect of Claude
    /// Code](crate::websocket) sends it.
    #[serde(skip)]
    pub anchor: Option<Cursor>,
    /// The selection, in the active file only: at most [`MAX_SELECTED_UTF16`] UTF-16 units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_text: Option<String>,
}

/// A cursor position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The line, counted from 1.
    pub line: u32,
    /// The column in UTF-16 units, counted from 1, as VS Code counts it.
    pub character: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_are_left_out_and_never_null() {
        let context = IdeContext {
            workspace_state: Some(WorkspaceState {
                open_files: Some(vec![OpenFile {
                    path: "/p/a.rs".into(),
                    timestamp: 7,
                    is_active: None,
                    cursor: None,
                    anchor: None,
                    selected_text: None,
                }]),
                is_trusted: None,
            }),
        };
        let json = serde_json::to_string(&context).unwrap();
        assert_eq!(json, r#"{"workspaceState":{"openFiles":[{"path":"/p/a.rs","timestamp":7}]}}"#);
    }

    #[test]
    fn nulls_and_unknown_fields_are_accepted() {
        let file = r#"{"path":"/a","cursor":null,"isDirty":true}"#;
        let json = format!(r#"{{"workspaceState":{{"openFiles":[{file}],"isTrusted":null}},"x":1}}"#);
        let context: IdeContext = serde_json::from_str(&json).unwrap();
        assert_eq!(context.open_files()[0].path, "/a");
        assert_eq!(context.open_files()[0].timestamp, 0);
    }
}
