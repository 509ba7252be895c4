//! A code action that adds selected lines to the prompt of an agent that takes files.

use std::path::Path;

use alongside_desk::{Lines, Request, Status, messages as desk_messages};
use serde_json::{Value, json};

use crate::without_plugin::lsp_types as lsp;
use crate::without_plugin::messages;

#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// The agent that takes files for its prompt, for people.
    agent: Option<String>,
}

impl Mentions {
    /// Records the agent that takes files.
    pub(crate) fn note_agents(&mut self, status: &Status) {
        let mut taking = status.agents.iter().filter(|agent| agent.takes_files);
        let first = taking.next().map(desk_messages::agent_name);
        self.agent = first.map(|name| if taking.next().is_none() { name } else { "an agent".into() });
    }

    /// Returns the code action for these 0-based lines of a file.
    pub(crate) fn action(&self, path: &Path, (first, last): (usize, usize)) -> Option<lsp::Command> {
        let lines = Lines { start: first, end: last + 1 };
        Some(lsp::Command {
            title: messages::send(lines, self.agent.as_ref()?),
            command: "alongside.send".to_owned(),
            arguments: vec![json!({ "path": path, "lines": lines })],
        })
    }
}

/// Returns the request that the person chose. A command by name sends the active file that agents know.
pub(crate) fn request(params: &Value) -> Request {
    let argument = |name: &str| params.pointer(&format!("/arguments/0/{name}"));
    let path = argument("path").and_then(Value::as_str).map(str::to_owned);
    let lines = argument("lines").and_then(|lines| serde_json::from_value(lines.clone()).ok());
    Request::MentionFile { path, lines, agent: None }
}
