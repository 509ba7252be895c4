//! The search of agents that read lock files: the port variable, or else the only lock that holds the
//! directory. With two such locks, the agent does not connect.

use std::path::{Path, PathBuf};

use alongside_contract::agent::FamilyAgent;
use alongside_contract::family::{FoundBy, LockRules};
use alongside_contract::lock_file::{self, LockFile};
use alongside_platform::untrusted::{self, Whose};
use alongside_platform::{Os, paths, process};

use super::agent_environment::Surroundings;

/// The largest lock, in bytes. Usual locks have a few hundred.
const MAX_BYTES: u64 = 1 << 20;
/// The largest settings file, in bytes. It holds a history of every project.
const MAX_SETTINGS: u64 = 64 << 20;

/// A lock that an agent accepts: it belongs to this user, and its editor runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The editor's port.
    pub port: u16,
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub content: LockFile,
}

impl Lock {
    /// Whether an agent in this directory connects with it.
    pub fn holds(&self, directory: &Path) -> bool {
        self.content.workspace_folders.iter().any(|folder| holds(folder, directory))
    }
}

/// The locks that an agent finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockSearch {
    /// This variable contains a port, which the agent dials without the token of a lock.
    WithoutToken(&'static str),
    /// The variable contains the port of this lock, and the agent searches no further.
    ByVariable(Lock),
    /// The locks that hold the agent's directory. It connects if there is only one.
    Holding(Vec<Lock>),
}

/// The settings of Claude Code that decide whether it connects and opens diffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// Whether it looks for an editor when it starts, without `--ide`.
    pub connects: bool,
    /// Whether it shows diffs only in its own terminal.
    pub shows_diffs_itself: bool,
}

impl ClaudeSettings {
    /// Reads the settings of an agent here. Unreadable settings count as absent.
    pub fn of(here: &Surroundings) -> Self {
        let moved = here.variables.get("CLAUDE_CONFIG_DIR").map(|moved| here.cwd.join(moved));
        let path = moved.unwrap_or_else(|| here.home.clone()).join(".claude.json");
        let text = untrusted::read(&path, MAX_SETTINGS, Whose::Anybodys).unwrap_or_default();
        let settings: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let is_on = |name: &str| matches!(here.variables.get(name).map(String::as_str), Some("1" | "true"));
        Self {
            connects: settings["autoConnectIde"] == true || is_on("CLAUDE_CODE_AUTO_CONNECT_IDE"),
            shows_diffs_itself: settings["diffTool"] == "terminal",
        }
    }
}

/// Searches the locks as an agent does. Returns `None` for an agent without locks, for which
/// [`candidates`](super::candidates) and [`replay`](super::replay()) search.
pub fn locks(agent: FamilyAgent, here: &Surroundings) -> Option<LockSearch> {
    match &agent.family.found_by {
        FoundBy::DiscoveryFiles(_) => None,
        FoundBy::Lock(rules) => Some(search(rules, agent, here)),
    }
}

/// Returns the lock of the companion at this port, if it exists and the agent reads such locks.
pub fn lock_of(agent: FamilyAgent, port: u16, here: &Surroundings) -> Option<PathBuf> {
    match &agent.family.found_by {
        FoundBy::DiscoveryFiles(_) => None,
        FoundBy::Lock(rules) => Some(here.resolve(rules.directory).join(lock_file::name(port))),
    }
    .filter(|lock| lock.is_file())
}

fn search(rules: &LockRules, agent: FamilyAgent, here: &Surroundings) -> LockSearch {
    let mut tokenless = rules.tokenless_port_variables.iter();
    if let Some(name) = tokenless.find(|name| here.variables.contains_key(**name)) {
        return LockSearch::WithoutToken(name);
    }
    let directory = here.resolve(rules.directory);
    let named = here.port(agent.family).and_then(|port| read(&directory.join(lock_file::name(port))));
    if let Some(lock) = named {
        return LockSearch::ByVariable(lock);
    }
    let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
    let mut found: Vec<Lock> = entries.filter_map(|entry| read(&entry.path())).collect();
    found.retain(|lock| lock.holds(&here.cwd));
    found.sort_by_key(|lock| lock.port);
    if rules.resolves_ties {
        let rank = |lock: &Lock| {
            let holding = lock.content.workspace_folders.iter().filter(|folder| holds(folder, &here.cwd));
            let written = lock.path.metadata().and_then(|found| found.modified()).ok();
            (holding.map(String::len).max(), written)
        };
        found = found.into_iter().max_by_key(rank).into_iter().collect();
    }
    LockSearch::Holding(found)
}

fn holds(folder: &str, directory: &Path) -> bool {
    paths::is_within(Os::HERE, &paths::real(directory), &paths::real(Path::new(folder)))
}

fn read(path: &Path) -> Option<Lock> {
    let port = path.file_name()?.to_str().and_then(lock_file::port_in)?;
    let content = untrusted::read(path, MAX_BYTES, Whose::Ours).ok()?;
    let content: LockFile = serde_json::from_slice(&content).ok()?;
    process::is_alive(content.pid).then(|| Lock { port, path: path.to_owned(), content })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;

    use super::*;

    #[test]
    fn the_variable_takes_precedence_and_locks_of_ended_editors_are_ignored() {
        let home = tempfile::tempdir().unwrap();
        let (locks_at, project) = (home.path().join(".claude/ide"), home.path().join("p"));
        fs::create_dir_all(&locks_at).unwrap();
        fs::create_dir_all(project.join("sub")).unwrap();
        let write = |port: u16, folder: &Path, pid: u32| {
            let lock = serde_json::json!({ "pid": pid, "workspaceFolders": [folder], "ideName": "Vim" });
            fs::write(locks_at.join(lock_file::name(port)), lock.to_string()).unwrap();
        };
        write(7, &project, std::process::id());
        write(8, &project, 4_194_305);
        write(9, &home.path().join("other"), std::process::id());
        let mut here = Surroundings {
            tmp: home.path().into(),
            home: home.path().into(),
            variables: HashMap::new(),
            cwd: project.join("sub"),
            pid: 1,
        };
        let claude = FamilyAgent::named("claude").unwrap();
        let Some(LockSearch::Holding(found)) = locks(claude, &here) else { panic!("there is no variable") };
        assert_eq!(found.iter().map(|lock| lock.port).collect::<Vec<_>>(), [7]);
        here.variables.insert("CLAUDE_CODE_SSE_PORT".into(), "9".into());
        assert!(matches!(locks(claude, &here), Some(LockSearch::ByVariable(lock)) if lock.port == 9));
        assert_eq!(ClaudeSettings::of(&here), ClaudeSettings { connects: false, shows_diffs_itself: false });
        fs::write(home.path().join(".claude.json"), r#"{"autoConnectIde":true,"diffTool":"terminal"}"#)
            .unwrap();
        assert_eq!(ClaudeSettings::of(&here), ClaudeSettings { connects: true, shows_diffs_itself: true });
        let opencode = FamilyAgent::named("opencode").unwrap();
        assert_eq!(locks(opencode, &here), Some(LockSearch::WithoutToken("CLAUDE_CODE_SSE_PORT")));
        here.variables.clear();
        write(6, &here.cwd, std::process::id());
        let Some(LockSearch::Holding(found)) = locks(opencode, &here) else { panic!("there is no variable") };
        assert_eq!(found.iter().map(|lock| lock.port).collect::<Vec<_>>(), [6], "the longest folder");
        here.variables.insert("CLAUDE_CODE_SSE_PORT".into(), "10".into());
        let Some(LockSearch::Holding(found)) = locks(claude, &here) else { panic!("that port has no lock") };
        assert_eq!(found.iter().map(|lock| lock.port).collect::<Vec<_>>(), [6, 7]);
    }
}
