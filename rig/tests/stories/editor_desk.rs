//! A desk without a screen, which reports files and selections as an editor does.

use alongside_rig::tmux::Pane;
use anyhow::Result;
use serde_json::{Value, json};

use crate::desk::WIDE;
use crate::stage::Stage;

/// `alongside review --json` in a pane.
pub(crate) struct EditorDesk {
    pane: Pane,
}

impl EditorDesk {
    /// Starts a desk that reports the second to fourth line of the stage's file as selected.
    pub(crate) fn with_three_lines_selected(stage: &Stage) -> Result<Self> {
        let pane = stage.terminal.window("alongside review", WIDE)?;
        pane.enter_and_see("alongside review --json", "its first event", "alongside/didChangeStatus")?;
        let editor = Self { pane };
        let active = json!({
            "path": stage.file,
            "anchor": { "line": 1, "character": 0 },
            "cursor": { "line": 3, "character": 4 },
            "selectedText": "two\nthree\nfour",
        });
        editor.ask("alongside/didChangeContext", &json!({ "active": active }))?;
        Ok(editor)
    }

    /// Sends a request.
    pub(crate) fn ask(&self, method: &str, params: &Value) -> Result<()> {
        self.pane.enter(&json!({ "id": 1, "method": method, "params": params }).to_string())
    }
}
