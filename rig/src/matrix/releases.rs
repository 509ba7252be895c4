//! The agents on npm, and their releases on npm.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};

/// An agent on npm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    /// The name on the command line and in the results.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The packages of its releases. The first package with a version wins.
    pub packages: &'static [&'static str],
    /// Whether versions with a suffix count: some forks publish no others.
    pub suffixes: bool,
    /// The chosen releases of an agent that has hundreds; empty for every release.
    pub chosen: &'static [&'static str],
}

/// The known agents on npm with IDE mode.
pub const AGENTS: &[Agent] = &[
    agent("gemini", "Gemini CLI", &["@google/gemini-cli-core", "@google/gemini-cli"]),
    agent("qwen", "Qwen Code", &["@qwen-code/qwen-code", "@qwen-code/qwen-code-core"]),
    agent("llxprt", "LLxprt Code", &["@vybestack/llxprt-code-core"]),
    agent("aioncli", "AionCLI", &["@office-ai/aioncli-core"]),
    Agent { suffixes: true, ..agent("qwen-termux", "Qwen Code for Termux", &["@mmmbuto/qwen-code-termux"]) },
    Agent {
        // Ten releases of a year, before and after each relevant change.
        chosen: &[
            "2.0.31", "2.0.59", "2.1.19", "2.1.63", "2.1.112", "2.1.113", "2.1.168", "2.1.220", "2.1.329",
            "2.1.332",
        ],
        ..agent(
            "claude",
            "Claude Code",
            &["@anthropic-ai/claude-code-linux-x64", "@anthropic-ai/claude-code"],
        )
    },
];

/// Creates an agent of which every release without a suffix counts.
const fn agent(id: &'static str, name: &'static str, packages: &'static [&'static str]) -> Agent {
    Agent { id, name, packages, suffixes: false, chosen: &[] }
}

/// A release on npm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The agent.
    pub agent: Agent,
    /// Its package.
    pub package: &'static str,
    /// Its version.
    pub version: String,
}

/// Returns the releases of an agent, the oldest first; none if npm has no package of the agent.
pub async fn of(agent: Agent) -> Result<Vec<Release>> {
    let mut found = BTreeMap::new();
    for package in agent.packages {
        for version in versions(package).await? {
            let is_chosen = agent.chosen.is_empty() || agent.chosen.contains(&version.as_str());
            if is_chosen && (agent.suffixes || !version.contains('-')) {
                let release = Release { agent, package, version: version.clone() };
                found.entry((number(&version), version)).or_insert(release);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Returns the sort key of a version.
pub fn number(version: &str) -> [u64; 3] {
    let plain = version.split(['-', '+']).next().unwrap_or(version);
    let mut parts = plain.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

async fn versions(package: &str) -> Result<Vec<String>> {
    let mut npm = tokio::process::Command::new("npm");
    npm.args(["view", package, "versions", "--json", "--loglevel=error"]).kill_on_drop(true);
    // Two attempts within seconds: for an unreachable registry, an error is better than a long wait.
    npm.args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000"]);
    let output = npm.output().await.context("npm does not start (install Node with npm)")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        let list = serde_json::from_str::<serde_json::Value>(&printed)
            .with_context(|| format!("npm view {package} printed no JSON"))?;
        // For a single version, npm prints a string instead of a list.
        return Ok(match list {
            serde_json::Value::String(version) => vec![version],
            list => serde_json::from_value(list).with_context(|| format!("npm view {package}"))?,
        });
    }
    let error = String::from_utf8_lossy(&output.stderr);
    if printed.contains("E404") || error.contains("E404") {
        return Ok(Vec::new());
    }
    let error =
        error.lines().filter(|line| line.starts_with("npm error")).take(2).collect::<Vec<_>>().join("; ");
    bail!(
        "npm's registry does not answer for {package} (try again later, or check `npm config get registry`): \
         {error}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        assert!(number("0.9.9") < number("0.10.1"));
        assert_eq!(number("0.22.2-termux"), [0, 22, 2]);
        assert_eq!(number("1"), [1, 0, 0]);
    }
}
