//! The structures of LSP that this server sends, with the fields that it sets; [`Range`] is that of the desk
//! protocol. A crate with all structures of LSP takes longer to build than this one.

use alongside_desk::Range;
use serde::Serialize;
use serde_json::Value;

/// `TextEdit`: a text in place of a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEdit {
    pub(crate) range: Range,
    pub(crate) new_text: String,
}

/// `Command`: what the editor asks for when the person chooses the title.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Command {
    pub(crate) title: String,
    pub(crate) command: String,
    pub(crate) arguments: Vec<Value>,
}

/// `CodeLens`: a command above a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CodeLens {
    pub(crate) range: Range,
    pub(crate) command: Command,
}

/// `Diagnostic`: a mark at a range, with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Diagnostic {
    pub(crate) range: Range,
    pub(crate) severity: Severity,
    pub(crate) source: &'static str,
    pub(crate) message: String,
}

/// `DiagnosticSeverity`, a number; also `MessageType`, whose numbers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "u8")]
pub(crate) enum Severity {
    Warning = 2,
    Information = 3,
    Hint = 4,
}

impl From<Severity> for u8 {
    fn from(severity: Severity) -> Self {
        severity as Self
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::Position;
    use serde_json::json;

    use super::*;
    use crate::without_plugin::commands::code_actions::to_lsp;

    /// Checks the names and numbers against the specification of LSP 3.18.
    #[test]
    fn structures_have_the_names_and_numbers_of_lsp() {
        let at = |line, character| Position { line, character };
        let range = Range { start: at(1, 2), end: at(3, 4) };
        let range_json = json!({"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 4}});
        let edit = TextEdit { range, new_text: "x".to_owned() };
        assert_eq!(json!(edit), json!({"range": range_json, "newText": "x"}));

        let command = Command {
            title: "Accept".to_owned(),
            command: "alongside.accept".to_owned(),
            arguments: vec![json!({"review": 1})],
        };
        let command_json =
            json!({"title": "Accept", "command": "alongside.accept", "arguments": [{"review": 1}]});
        assert_eq!(json!(command), command_json);
        let lens = CodeLens { range, command: command.clone() };
        assert_eq!(json!(lens), json!({"range": range_json, "command": command_json}));
        let action = json!({"title": "Accept", "kind": "quickfix", "command": command_json});
        assert_eq!(to_lsp(vec![command], &Value::Null, true), json!([action]));

        let severity = Severity::Information;
        let mark = Diagnostic { range, severity, source: "alongside", message: "m".to_owned() };
        let mark_json = json!({"range": range_json, "severity": 3, "source": "alongside", "message": "m"});
        assert_eq!(json!(mark), mark_json);
        assert_eq!(json!([Severity::Warning, Severity::Information, Severity::Hint]), json!([2, 3, 4]));
    }
}
