//! The agents as the rounds play them: rows of the table of agents in the modes in which the agents run
//! hooks, with the rules for failed hooks that were measured with each agent.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::HookEvent;
use anyhow::{Context as _, Result};

/// An agent in one of its modes.
#[derive(Debug)]
pub(super) struct Player {
    /// The name of the agent and of its mode, for people.
    pub(super) name: &'static str,
    /// The identifier of the agent's row.
    id: &'static str,
    /// The events at which the agent runs hooks.
    events: Events,
    /// The consequence of a hook that fails.
    pub(super) dead_hook: DeadHook,
    /// The treatment of the last line ending by its tool that replaces strings.
    pub(super) last_line_end: LastLineEnd,
}

/// The events at which an agent runs hooks, in their order.
#[derive(Debug, Clone, Copy)]
enum Events {
    /// Before the tool; the agent does not ask in its own prompt.
    Tool,
    /// Before the tool, and then before the question in the agent's own prompt.
    ToolThenQuestion,
    /// Before the question in the agent's own prompt, and then before the tool.
    QuestionThenTool,
}

/// The consequence of a hook that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeadHook {
    /// The agent continues as if there were no hook.
    LetsThrough,
    /// The tool does not run.
    Refuses,
}

/// The last line ending of a file after a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLineEnd {
    /// As the replacement leaves it. Deleting a line deletes its line ending too.
    AsReplaced,
    /// As before the replacement.
    Kept,
}

const CLAUDE: Player = Player {
    name: "Claude Code",
    id: "claude",
    events: Events::Tool,
    dead_hook: DeadHook::LetsThrough,
    last_line_end: LastLineEnd::AsReplaced,
};

const CODEX: Player = Player { name: "codex exec", id: "codex", ..CLAUDE };

const QWEN: Player = Player { name: "Qwen Code", id: "qwen", ..CLAUDE };

/// All agents, each with its modes.
pub(super) static PLAYERS: [Player; 7] = [
    CLAUDE,
    Player { name: "Claude Code with onFailure", dead_hook: DeadHook::Refuses, ..CLAUDE },
    CODEX,
    Player { name: "Codex that asks", events: Events::ToolThenQuestion, ..CODEX },
    Player { name: "Gemini CLI", id: "gemini", last_line_end: LastLineEnd::Kept, ..CLAUDE },
    QWEN,
    Player { name: "Qwen Code that asks", events: Events::QuestionThenTool, ..QWEN },
];

impl Player {
    /// Returns the row of the agent.
    pub(super) fn agent(&self) -> Result<HookAgent> {
        HookAgent::named(self.id).with_context(|| format!("{} runs no hooks", self.id))
    }

    /// Returns the events at which the agent runs hooks for a call, in order.
    pub(super) fn events(&self, agent: HookAgent) -> Vec<&'static HookEvent> {
        let (tool, question) = (Some(&agent.hook.before_tool), agent.hook.before_question.as_ref());
        let events = match self.events {
            Events::Tool => [tool, None],
            Events::ToolThenQuestion => [tool, question],
            Events::QuestionThenTool => [question, tool],
        };
        events.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_refuses_without_its_hook_has_an_event_for_it() {
        for player in &PLAYERS {
            let agent = player.agent().unwrap();
            let refuses = player.dead_hook == DeadHook::Refuses;
            let can_refuse = player.events(agent).iter().any(|event| event.on_failure.can_refuse());
            assert!(!refuses || can_refuse, "{}", player.name);
            assert!(!player.events(agent).is_empty(), "{}", player.name);
        }
    }
}
