//! The table of agents, and every look-up in it. A new agent needs a row and a file next to the others; see
//! CONTRIBUTING.md.
//!
//! Only look-ups compare identifiers. Other code asks the row.

mod bob;
mod claude;
mod codex;
mod gemini;
mod hopcode;
mod llxprt;
mod ola;
mod opencode;
mod qwen;

use crate::agent::{Agent, FamilyAgent, HookAgent};
use crate::discovery_file::DiscoveryFile;

/// Every known agent, in the order of lists for people. A new one comes last.
pub static AGENTS: &[Agent] = &[
    gemini::AGENT,
    qwen::AGENT,
    llxprt::AGENT,
    ola::AGENT,
    bob::AGENT,
    hopcode::AGENT,
    claude::AGENT,
    opencode::AGENT,
    codex::AGENT,
];

impl Agent {
    /// Returns the agent with this identifier.
    pub fn named(id: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.id == id)
    }

    /// Returns the agent that a command such as `/usr/bin/gemini` or `qwen.cmd` starts.
    pub fn of_command(command: &str) -> Option<&'static Self> {
        let base = command.rsplit(['/', '\\']).next().unwrap_or(command);
        let stem = base.split('.').next().unwrap_or(base);
        AGENTS.iter().find(|agent| agent.commands.contains(&stem))
    }

    /// Returns the agent in an npm package.
    pub fn of_package(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.packages.contains(&name))
    }
}

impl FamilyAgent {
    /// Returns the agent with this identifier, if it finds companions.
    pub fn named(id: &str) -> Option<Self> {
        Agent::named(id)?.with_family()
    }

    /// Returns the agent that a command starts, if it finds companions.
    pub fn of_command(command: &str) -> Option<Self> {
        Agent::of_command(command)?.with_family()
    }

    /// Returns the agent that uses this name in `initialize`.
    pub fn of_client(name: &str) -> Option<Self> {
        with_family().find(|agent| agent.family.client_names.iter().any(|prefix| name.starts_with(prefix)))
    }
}

impl HookAgent {
    /// Returns the agent with this identifier, if it runs hooks.
    pub fn named(id: &str) -> Option<Self> {
        Agent::named(id)?.with_hook()
    }
}

/// Returns every agent that finds companions.
pub fn with_family() -> impl Iterator<Item = FamilyAgent> {
    AGENTS.iter().filter_map(Agent::with_family)
}

/// Returns every agent that runs hooks, by identifier.
pub fn with_hook() -> impl Iterator<Item = HookAgent> {
    let mut agents: Vec<HookAgent> = AGENTS.iter().filter_map(Agent::with_hook).collect();
    agents.sort_unstable_by_key(|agent| agent.id);
    agents.into_iter()
}

/// Returns every agent that reports turns to its hooks, by identifier.
pub fn with_turns() -> impl Iterator<Item = &'static Agent> {
    let mut agents: Vec<&Agent> = AGENTS.iter().filter(|agent| agent.turns.is_some()).collect();
    agents.sort_unstable_by_key(|agent| agent.id);
    agents.into_iter()
}

/// Returns the discovery files of all agents.
pub fn discovery_files() -> impl Iterator<Item = &'static DiscoveryFile> {
    with_family().flat_map(|agent| agent.family.discovery_files())
}

/// Returns the names of the files and directories in which a person or a project configures or instructs an
/// agent. Some names occur twice. A `*` at the end stands for any ending.
pub fn agent_files() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().flat_map(|agent| {
        let settings = agent.settings.into_iter().flat_map(|table| [Some(table.directory), table.ide_file]);
        let hook = agent.hook.iter().map(|hook| hook.file.directory().0);
        settings.flatten().chain(hook).chain(agent.own_files.iter().copied())
    })
}

/// Whether a name, in lower case, is one of [`agent_files`].
pub fn is_agent_file(name: &str) -> bool {
    agent_files().any(|known| match known.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)),
        None => known.eq_ignore_ascii_case(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery_file::Directory;

    #[test]
    fn command_and_client_name_select_the_agent() {
        assert_eq!(Agent::of_command("/usr/local/bin/gemini").map(|agent| agent.id), Some("gemini"));
        assert_eq!(Agent::of_command("qwen.cmd").map(|agent| agent.id), Some("qwen"));
        assert_eq!(Agent::of_command("bash"), None);
        let client = FamilyAgent::of_client("qwen-code-mcp-client-qwen");
        assert_eq!(client.map(|agent| agent.id), Some("qwen"));
    }

    #[test]
    fn no_two_agents_have_an_identifier_or_a_command_in_common() {
        let names = |agent: &'static Agent| agent.commands.iter().copied().chain([agent.id]);
        for (at, agent) in AGENTS.iter().enumerate() {
            for other in &AGENTS[at + 1..] {
                assert!(names(agent).all(|name| !names(other).any(|other| other == name)), "{}", other.id);
            }
        }
    }

    #[test]
    fn the_overriding_file_is_never_written() {
        for file in discovery_files() {
            let in_gemini = file.directory == Directory::Tmp("gemini/ide");
            assert!(!(in_gemini && file.name == "gemini-ide-server-{pid}.json"));
        }
    }

    #[test]
    fn agent_files_are_names() {
        let names: Vec<_> = agent_files().collect();
        for known in
            [".claude", ".claude.json", "CLAUDE.md", ".codex", "AGENTS.md", ".gemini", ".qwen", ".opencode"]
        {
            assert!(names.contains(&known), "{known}");
        }
        assert!(names.iter().all(|name| !name.is_empty() && !name.contains(['/', '\\'])), "{names:?}");
        for own in [".claude", "agents.md", ".bobrules", ".bobrules-code", ".bobignore", ".env"] {
            assert!(is_agent_file(own), "{own}");
        }
        for other in [".bobrule", "claude", ".envrc", ".env.example", "é"] {
            assert!(!is_agent_file(other), "{other}");
        }
    }

    #[test]
    fn every_hook_is_called_for_all_of_its_tools() {
        for agent in with_hook() {
            for event in agent.hook.events() {
                let named = event.matcher.split(['^', '$', '(', ')', '|']).filter(|name| !name.is_empty());
                let tools = agent.hook.tools.iter().map(|tool| tool.name);
                assert_eq!(named.collect::<Vec<_>>(), tools.collect::<Vec<_>>(), "{}", agent.id);
            }
        }
    }
}
