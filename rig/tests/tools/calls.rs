//! The way of a tool call through the hook: the changes that the person sees, and the arguments with which
//! the tool runs after the decision.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::{AnswerFormat, Hook};
use alongside_desk::Verdict;
use alongside_hook::{Answer, Change, HookInput, TextFile, ToolCall, answer};
use serde_json::{Map, Value};

/// A call that the hook shows to the person.
#[derive(Debug)]
pub(crate) struct ReviewedCall {
    hook: &'static Hook,
    input: HookInput,
    call: ToolCall,
    /// The changes that the person sees, one for each file.
    pub(crate) changes: Vec<Change>,
}

/// Returns the hook of an agent.
pub(crate) fn hook_of(agent: &str) -> &'static Hook {
    HookAgent::named(agent).unwrap().hook
}

/// Returns a file as the hook reads it. `None` stands for a missing file.
pub(crate) fn text_file(bytes: Option<&[u8]>) -> TextFile {
    match bytes.map(|bytes| String::from_utf8(bytes.to_vec())) {
        None => TextFile::Absent,
        Some(Ok(text)) => TextFile::Text(text),
        Some(Err(error)) => TextFile::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

impl ReviewedCall {
    /// Returns the call as the person gets it, or `None` if the hook refuses it.
    pub(crate) fn new(
        agent: &str,
        tool: &str,
        arguments: Value,
        read: impl Fn(&str) -> TextFile,
    ) -> Option<Self> {
        let hook = hook_of(agent);
        let input = HookInput {
            hook_event_name: hook.before_tool.name.to_owned(),
            tool_name: tool.to_owned(),
            tool_input: arguments.as_object().cloned().unwrap_or_default(),
            ..HookInput::default()
        };
        let call = ToolCall::read(hook, &input).ok()?;
        let changes = call.changes(read).ok()?;
        Some(Self { hook, input, call, changes })
    }

    /// Returns the arguments with which the tool runs after the person has accepted these texts, and rejected
    /// the changes without a text. Returns `None` if the tool does not run.
    pub(crate) fn arguments_after(
        &self,
        texts: &[Option<String>],
        read: impl Fn(&str) -> TextFile,
    ) -> Option<Map<String, Value>> {
        let verdicts: Vec<_> = texts
            .iter()
            .map(|text| match text {
                Some(text) => Verdict::Accepted { text: text.as_str().into(), message: None },
                None => Verdict::Rejected { message: "no".into() },
            })
            .collect();
        let line = match answer(self.hook, &self.input, &self.call, &self.changes, &verdicts, read) {
            Answer::Silence => return Some(self.input.tool_input.clone()),
            Answer::Line(line) => serde_json::from_str::<Value>(&line).unwrap(),
        };
        let output = &line["hookSpecificOutput"];
        let (decision, arguments) = match self.hook.before_tool.answer {
            AnswerFormat::Decision => (&line["decision"], &output["tool_input"]),
            AnswerFormat::Behavior => (&output["decision"]["behavior"], &output["decision"]["updatedInput"]),
            AnswerFormat::PermissionDecision => (&output["permissionDecision"], &output["updatedInput"]),
        };
        match decision == "deny" {
            true => None,
            false => Some(arguments.as_object().unwrap_or(&self.input.tool_input).clone()),
        }
    }
}
