//! A code action that adds selected lines to the prompt of an agent, where one takes files.

use std::path::Path;

use alongside_desk::{Lines, Request, Status};
use serde_json::{Value, json};

use super::lsp_types as lsp;
use super::{LspDesk, messages};
use crate::frontend::Frontend as _;
use crate::io::{Io, RequestOrigin};

impl LspDesk {
    /// Notes which agent takes files.
    pub(super) fn note_agents(&mut self, status: &Status) {
        let mut taking = status.agents.iter().filter(|agent| agent.takes_files);
        let first = taking.next().map(alongside_desk::messages::agent_name);
        self.takes_files = first.map(|name| if taking.next().is_none() { name } else { "an agent".into() });
    }

    /// The code action for these 0-based lines of a file. Requests that the editor makes by itself get none,
    /// because some editors show a mark where there is one.
    pub(super) fn send_action(
        &self,
        path: Option<&Path>,
        (first, last): (usize, usize),
        params: &Value,
    ) -> Option<lsp::Command> {
        let agent = self.takes_files.as_ref()?;
        let is_automatic = params.pointer("/context/triggerKind").and_then(Value::as_u64) == Some(2);
        let path = path.filter(|path| !is_automatic && !self.owns(path))?;
        let lines = Lines { start: first, end: last + 1 };
        Some(lsp::Command {
            title: messages::send(lines, agent),
            command: "alongside.send".to_owned(),
            arguments: vec![json!({ "path": path, "lines": lines })],
        })
    }

    /// The person chose it. A command by name sends the active file that agents know.
    pub(super) fn send(&mut self, io: &mut Io, params: &Value) {
        let argument = |name: &str| params.pointer(&format!("/arguments/0/{name}"));
        let path = argument("path").and_then(Value::as_str).map(str::to_owned);
        let lines = argument("lines").and_then(|lines| serde_json::from_value(lines.clone()).ok());
        io.request(RequestOrigin::Mention, Request::MentionFile { path, lines, agent: None });
    }
}
