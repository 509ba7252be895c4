//! The input of a hook, whatever its form.

use alongside_contract::hook::{Hook, HookEvent, InputFormat};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The tool call as an agent tells its hook.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct HookInput {
    /// The agent's name of its session.
    #[serde(default)]
    pub session_id: String,
    /// The directory in which the agent works.
    #[serde(default)]
    pub cwd: String,
    /// The event, as in [`HookEvent::name`](alongside_contract::hook::HookEvent::name).
    #[serde(default)]
    pub hook_event_name: String,
    /// How much the agent does without asking, in its own words, if it says so.
    #[serde(default)]
    pub permission_mode: String,
    /// The subagent that calls the tool, if it is one.
    #[serde(default)]
    pub agent_id: Option<Value>,
    /// The tool that the agent is about to run.
    #[serde(default)]
    pub tool_name: String,
    /// The arguments of the tool.
    #[serde(default)]
    pub tool_input: Map<String, Value>,
}

/// An input that no agent gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput(pub String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the input of the hook cannot be read: {}", self.0)
    }
}

impl std::error::Error for BadInput {}

impl HookInput {
    /// Reads the input.
    ///
    /// # Errors
    /// When it is not the JSON object that agents give.
    pub fn read(hook: &Hook, input: &[u8]) -> Result<Self, BadInput> {
        match hook.input {
            InputFormat::SnakeCase => {
                serde_json::from_slice(input).map_err(|error| BadInput(error.to_string()))
            }
        }
    }

    /// Whether the agent only plans: it refuses to write by itself.
    pub fn is_of_a_plan(&self) -> bool {
        self.permission_mode == "plan"
    }

    /// The event that it tells of, if the hook is registered for it.
    pub fn event<'a>(&self, hook: &'a Hook) -> Option<&'a HookEvent> {
        hook.event(&self.hook_event_name)
    }

    /// The same; of an input without an event, or with another one, the event before a tool.
    pub fn event_or_first<'a>(&self, hook: &'a Hook) -> &'a HookEvent {
        self.event(hook).unwrap_or(&hook.before_tool)
    }

    /// A text among the arguments.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.tool_input.get(name)?.as_str()
    }

    /// A switch among the arguments; off if it is absent.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        match self.tool_input.get(name) {
            Some(Value::Bool(on)) => *on,
            // Models write switches as text, and agents understand that.
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }
}
