//! The table of agents that run a hook before a tool writes a file: a user-defined command whose answer they
//! obey. Everything here was measured with the agents.

use std::time::Duration;

/// An agent that runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookAgent {
    /// Short identifier, as in `alongside hook claude`. That of its [family](crate::family), if it has one.
    pub id: &'static str,
    /// Name for people.
    pub display_name: &'static str,
    /// Commands that start it.
    pub commands: &'static [&'static str],
    /// The directory of its settings, below home and below each project.
    pub directory: &'static str,
    /// A variable that replaces that directory below home.
    pub directory_variable: Option<&'static str>,
    /// The file in that directory that names the hooks.
    pub file: &'static str,
    /// The events to register for, and the tools.
    pub events: &'static [HookEvent],
    /// The `timeout` to register, in the agent's unit.
    pub timeout: u64,
    /// The unit of [`Self::timeout`], for people.
    pub timeout_unit: &'static str,
    /// How long the agent really waits then. Afterwards it goes on as if there were no hook.
    pub limit: Duration,
    /// How much earlier than that the hook answers.
    pub margin: Duration,
    /// Whether a person must trust a hook before the agent runs it.
    pub needs_trust: bool,
    /// Whether it may bring the same edit once more, by `openDiff` or by the hook.
    pub comes_twice: bool,
    /// Whether its model calls a tool again whose review is still open, because the agent cannot wait longer.
    pub calls_again: bool,
    /// Whether its model reads a message of a hook that lets the tool run. A refusal is read in every agent.
    pub hears_acceptances: bool,
    /// The directories below its own where it keeps notes for itself, as plans.
    pub notes: &'static [&'static str],
}

/// An event before which an agent runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// Its name in the settings, and in `hook_event_name` of the hook's input.
    pub name: &'static str,
    /// The pattern of the tools.
    pub matcher: &'static str,
}

impl HookAgent {
    /// The agent of that identifier.
    pub fn named(id: &str) -> Option<&'static Self> {
        HOOK_AGENTS.iter().find(|agent| agent.id == id)
    }

    /// How long the hook waits for a decision.
    pub fn patience(&self) -> Duration {
        self.patience_within(self.limit)
    }

    /// The same if the agent waits as long as this.
    pub fn patience_within(&self, limit: Duration) -> Duration {
        limit.saturating_sub(self.margin.min(limit / 4))
    }
}

/// An hour, as long as all but Qwen Code wait if they are told to.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// Every agent whose hook is known.
pub const HOOK_AGENTS: &[HookAgent] = &[
    HookAgent {
        id: "claude",
        display_name: "Claude Code",
        commands: &["claude"],
        directory: ".claude",
        directory_variable: Some("CLAUDE_CONFIG_DIR"),
        file: "settings.json",
        events: &[HookEvent { name: "PreToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit" }],
        timeout: 3600,
        timeout_unit: "s",
        limit: AN_HOUR,
        margin: Duration::from_secs(20),
        needs_trust: false,
        comes_twice: false,
        calls_again: false,
        hears_acceptances: true,
        notes: &["plans", "projects"],
    },
    HookAgent {
        id: "codex",
        display_name: "Codex",
        commands: &["codex"],
        directory: ".codex",
        directory_variable: Some("CODEX_HOME"),
        file: "hooks.json",
        // Before its own prompt it asks once more: a person who has decided is not asked again.
        events: &[
            HookEvent { name: "PreToolUse", matcher: "apply_patch" },
            HookEvent { name: "PermissionRequest", matcher: "apply_patch" },
        ],
        timeout: 3600,
        timeout_unit: "s",
        limit: AN_HOUR,
        margin: Duration::from_secs(20),
        needs_trust: true,
        comes_twice: true,
        calls_again: false,
        hears_acceptances: true,
        notes: &[],
    },
    HookAgent {
        id: "gemini",
        display_name: "Gemini CLI",
        commands: &["gemini"],
        directory: ".gemini",
        directory_variable: None,
        file: "settings.json",
        events: &[HookEvent { name: "BeforeTool", matcher: "write_file|replace" }],
        timeout: 3_600_000,
        timeout_unit: "ms",
        limit: AN_HOUR,
        margin: Duration::from_secs(20),
        needs_trust: false,
        comes_twice: true,
        calls_again: false,
        hears_acceptances: false,
        notes: &["tmp"],
    },
    HookAgent {
        id: "qwen",
        display_name: "Qwen Code",
        commands: &["qwen"],
        directory: ".qwen",
        directory_variable: Some("QWEN_HOME"),
        file: "settings.json",
        // Where a permission is asked for, the answer may hold another text; before the tool it may not.
        events: &[
            HookEvent { name: "PreToolUse", matcher: "^(write_file|edit|notebook_edit)$" },
            HookEvent { name: "PermissionRequest", matcher: "^(write_file|edit|notebook_edit)$" },
        ],
        // The agent waits for a minute whatever this says, and takes a value below 1,000 for seconds.
        timeout: 60_000,
        timeout_unit: "ms",
        limit: Duration::from_secs(60),
        margin: Duration::from_secs(5),
        needs_trust: false,
        comes_twice: true,
        calls_again: true,
        hears_acceptances: false,
        notes: &["tmp", "projects"],
    },
];
