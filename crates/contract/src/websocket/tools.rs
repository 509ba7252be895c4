//! The tools of Claude Code's dialect apart from those of a review. Agents call `getDiagnostics` before and
//! after each write. The other tools ask about the editor, and recent agents do not call them. Results are
//! JSON in a single text block.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{SelectedRange, SelectionChanged};
use crate::mcp::CallToolResult;

/// The tool that returns the problems that the editor has found in files.
pub const GET_DIAGNOSTICS: &str = "getDiagnostics";
/// The tool that shows a file in the editor.
pub const OPEN_FILE: &str = "openFile";
/// The tool that returns the selection in the active file.
pub const GET_CURRENT_SELECTION: &str = "getCurrentSelection";
/// The tool that returns the last selection, also of a file that is not active any more.
pub const GET_LATEST_SELECTION: &str = "getLatestSelection";
/// The tool that returns the open files.
pub const GET_OPEN_EDITORS: &str = "getOpenEditors";
/// The tool that returns the workspace roots.
pub const GET_WORKSPACE_FOLDERS: &str = "getWorkspaceFolders";
/// The tool that returns whether a file has unsaved changes.
pub const CHECK_DOCUMENT_DIRTY: &str = "checkDocumentDirty";
/// The tool that saves a file.
pub const SAVE_DOCUMENT: &str = "saveDocument";

/// The arguments of [`GET_DIAGNOSTICS`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetDiagnosticsCall {
    /// The file, as a `file:` URL or as `file://` and the bare path. Without it, every file.
    #[serde(default)]
    pub uri: Option<String>,
}

/// The arguments of [`CHECK_DOCUMENT_DIRTY`] and [`SAVE_DOCUMENT`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentCall {
    /// The absolute path.
    pub file_path: String,
}

/// The problems in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileDiagnostics {
    /// The URL in the call, or else the `file:` URL of the file.
    pub uri: String,
    /// Its problems.
    pub diagnostics: Vec<Diagnostic>,
}

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Its message.
    pub message: String,
    /// `Error`, `Warning`, `Info` or `Hint`.
    pub severity: String,
    /// Its place.
    pub range: SelectedRange,
    /// The program that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// An open file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenEditor {
    /// The file as a `file:` URL.
    pub uri: String,
    /// The absolute path.
    pub file_name: String,
    /// The last part of the path.
    pub label: String,
    /// Whether the file is active.
    pub is_active: bool,
    /// Whether the file has unsaved changes.
    pub is_dirty: bool,
}

/// Makes the result of [`GET_DIAGNOSTICS`].
pub fn diagnostics(files: &[FileDiagnostics]) -> CallToolResult {
    in_text(&json!(files))
}

/// Makes the result of [`GET_CURRENT_SELECTION`] and [`GET_LATEST_SELECTION`].
pub fn current_selection(selection: &SelectionChanged) -> CallToolResult {
    if selection.file_path.is_none() {
        return failed("No active editor found");
    }
    let mut result = json!(selection);
    result["success"] = true.into();
    in_text(&result)
}

/// Makes the result of [`GET_OPEN_EDITORS`].
pub fn open_editors(tabs: &[OpenEditor]) -> CallToolResult {
    in_text(&json!({ "tabs": tabs }))
}

/// Makes the result of [`GET_WORKSPACE_FOLDERS`]: each folder with its name, URL and path. The first folder
/// is the root.
pub fn workspace_folders(folders: &[(String, String, String)]) -> CallToolResult {
    let list: Vec<Value> =
        folders.iter().map(|(name, uri, path)| json!({ "name": name, "uri": uri, "path": path })).collect();
    let root = folders.first().map(|(_, _, path)| path);
    in_text(&json!({ "success": true, "folders": list, "rootPath": root }))
}

/// Makes the result of [`CHECK_DOCUMENT_DIRTY`] for an open file.
pub fn document_dirty(file_path: &str, is_dirty: bool) -> CallToolResult {
    in_text(&json!({ "success": true, "filePath": file_path, "isDirty": is_dirty, "isUntitled": false }))
}

/// Makes the result of [`SAVE_DOCUMENT`] for a file without unsaved changes.
pub fn nothing_to_save(file_path: &str) -> CallToolResult {
    let message = "The file has no unsaved changes";
    in_text(&json!({ "success": true, "filePath": file_path, "saved": true, "message": message }))
}

/// Makes the result of a tool that failed.
pub fn failed(message: &str) -> CallToolResult {
    in_text(&json!({ "success": false, "message": message }))
}

fn in_text(result: &Value) -> CallToolResult {
    CallToolResult::text(result.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(result: &CallToolResult) -> Value {
        let [block] = result.content.as_slice() else { panic!("one block: {result:?}") };
        serde_json::from_str(&block.text).unwrap()
    }

    #[test]
    fn results_are_json_in_a_single_text_block() {
        assert_eq!(text(&diagnostics(&[])), json!([]));
        assert_eq!(text(&current_selection(&SelectionChanged::default()))["success"], false);
        let selection = SelectionChanged { file_path: Some("/a".into()), ..SelectionChanged::default() };
        let told = text(&current_selection(&selection));
        assert_eq!((&told["success"], &told["filePath"]), (&json!(true), &json!("/a")));
        let folder = ("a".to_owned(), "file:///a".to_owned(), "/a".to_owned());
        assert_eq!(text(&workspace_folders(&[folder]))["rootPath"], "/a");
        assert_eq!(text(&document_dirty("/a", true))["isDirty"], true);
    }
}
