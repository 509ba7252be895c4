//! The agents as the rounds play them: rows of the table of agents, in the modes in which they run hooks,
//! with the rules for several hooks and dead ones that were measured with each agent.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::HookEvent;
use anyhow::{Context as _, Result};

/// An agent in one of its modes.
#[derive(Debug)]
pub(super) struct Player {
    /// For people.
    pub(super) name: &'static str,
    /// The row of the agent.
    id: &'static str,
    /// The events at which it runs hooks.
    events: Events,
    /// The consequence of a hook that fails.
    pub(super) dead_hook: DeadHook,
    /// The treatment of the last line end by its tool that replaces strings.
    pub(super) last_line_end: LastLineEnd,
}

/// The events at which an agent runs hooks, in this order.
#[derive(Debug, Clone, Copy)]
enum Events {
    /// It asks nobody.
    Tool,
    /// The hook has decided when it asks.
    ToolThenQuestion,
    /// It asks first.
    QuestionThenTool,
}

/// The consequence of a hook that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeadHook {
    /// The agent goes on as if there were no hook.
    LetsThrough,
    /// The tool does not run.
    Refuses,
}

/// The last line end of a file after a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLineEnd {
    /// As the replacement leaves it; a deleted line takes its line end along.
    AsReplaced,
    /// As it was.
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
    /// Its row.
    pub(super) fn agent(&self) -> Result<HookAgent> {
        HookAgent::named(self.id).with_context(|| format!("{} runs no hooks", self.id))
    }

    /// The events at which it runs hooks for a call, in order.
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
    fn only_an_agent_that_can_refuse_refuses_without_its_hook() {
        for player in &PLAYERS {
            let agent = player.agent().unwrap();
            let refuses = player.dead_hook == DeadHook::Refuses;
            let can_refuse = player.events(agent).iter().any(|event| event.on_failure.can_refuse());
            assert!(!refuses || can_refuse, "{}", player.name);
            assert!(!player.events(agent).is_empty(), "{}", player.name);
        }
    }
}
