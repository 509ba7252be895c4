//! The input of a hook, in each of its formats.

use alongside_contract::hook::{Hook, HookEvent, InputFormat};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The tool call that an agent reports to its hook.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct HookInput {
    /// The session's identifier, which the agent has chosen.
    #[serde(default)]
    pub session_id: String,
    /// The directory in which the agent works.
    #[serde(default)]
    pub cwd: String,
    /// The event, as in [`HookEvent::name`](alongside_contract::hook::HookEvent::name).
    #[serde(default)]
    pub hook_event_name: String,
    /// The agent's own name of its permission mode, if it sends one.
    #[serde(default)]
    pub permission_mode: String,
    /// The identifier of the subagent that calls the tool, if a subagent does.
    #[serde(default)]
    pub agent_id: Option<Value>,
    /// The tool that the agent is about to run.
    #[serde(default)]
    pub tool_name: String,
    /// The arguments of the tool.
    #[serde(default)]
    pub tool_input: Map<String, Value>,
}

/// An input that no agent sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput(pub String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the input of the hook cannot be read: {}", self.0)
    }
}

impl std::error::Error for BadInput {}

impl HookInput {
    /// Parses the input.
    ///
    /// # Errors
    /// When the input is not the JSON object that agents send.
    pub fn read(hook: &Hook, input: &[u8]) -> Result<Self, BadInput> {
        match hook.input {
            InputFormat::SnakeCase => {
                serde_json::from_slice(input).map_err(|error| BadInput(error.to_string()))
            }
        }
    }

    /// Whether the agent is in its planning mode, in which it refuses to write.
    pub fn is_of_a_plan(&self) -> bool {
        self.permission_mode == "plan"
    }

    /// Returns the event of the input, if the hook is registered for it.
    pub fn event<'a>(&self, hook: &'a Hook) -> Option<&'a HookEvent> {
        hook.event(&self.hook_event_name)
    }

    /// Returns the event like [`event`](Self::event), or the event before a tool if the input has no known
    /// event.
    pub fn event_or_first<'a>(&self, hook: &'a Hook) -> &'a HookEvent {
        self.event(hook).unwrap_or(&hook.before_tool)
    }

    /// Returns the value of a string argument.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.tool_input.get(name)?.as_str()
    }

    /// Returns the value of a boolean argument; false if it is absent.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        match self.tool_input.get(name) {
            Some(Value::Bool(on)) => *on,
            // Models may write a boolean as a string, which agents accept.
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }
}
