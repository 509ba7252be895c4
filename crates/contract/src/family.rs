//! The way in which an agent finds a companion and communicates with it. This part of the row holds every
//! place where any release looks, so that all releases find the same companion.

use crate::behaviour::Behaviour;
pub use crate::discovery_file::{Directory, DiscoveryFile, Fields};

/// The part of an agent that finds companions.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The prefixes of `clientInfo.name`. Released agents do not send them, so the [token](crate::token)
    /// identifies the agent.
    pub client_names: &'static [&'static str],
    /// The variables that it reads.
    pub env: Variables,
    /// The files with which it finds a companion.
    pub found_by: FoundBy,
    /// The transport of its messages.
    pub transport: Transport,
    /// The dialect of its messages.
    pub dialect: Dialect,
    /// The way in which its releases find a companion.
    pub behaviour: Behaviour,
}

impl Family {
    /// Returns the discovery files that its releases read.
    pub fn discovery_files(&self) -> &'static [DiscoveryFile] {
        match self.found_by {
            FoundBy::DiscoveryFiles(files) => files,
            FoundBy::Lock(_) => &[],
        }
    }

    /// Returns the rules for its lock files. `None` if it reads none.
    pub fn lock_rules(&self) -> Option<&LockRules> {
        match &self.found_by {
            FoundBy::DiscoveryFiles(_) => None,
            FoundBy::Lock(rules) => Some(rules),
        }
    }

    /// Whether its port variable makes it connect without the token.
    pub fn dials_without_token(&self) -> bool {
        let rules = self.lock_rules().zip(self.env.port);
        rules.is_some_and(|(rules, port)| rules.tokenless_port_variables.contains(&port))
    }

    /// Returns the directories in which it searches.
    pub fn directories(&self) -> Vec<Directory> {
        match &self.found_by {
            FoundBy::DiscoveryFiles(files) => files.iter().map(|file| file.directory).collect(),
            FoundBy::Lock(rules) => vec![rules.directory],
        }
    }

    /// Returns the variables that replace the directories of its files below home.
    pub fn directory_variables(&self) -> impl Iterator<Item = &'static str> {
        self.directories().into_iter().filter_map(|directory| match directory {
            Directory::Home { base_variable, .. } => base_variable,
            Directory::Tmp(_) => None,
        })
    }
}

/// The files with which an agent finds a companion.
#[derive(Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// The [discovery files](crate::discovery) that its releases read. A companion writes all of them.
    DiscoveryFiles(&'static [DiscoveryFile]),
    /// The [lock file](crate::lock_file).
    Lock(LockRules),
}

/// The rules by which an agent searches lock files, measured with the releases that the agent's file lists.
/// The release matrix fails if a release finds no companion.
#[derive(Debug, PartialEq, Eq)]
pub struct LockRules {
    /// The directory of the lock files that it reads.
    pub directory: Directory,
    /// The agents that read it, for messages.
    pub readers: &'static str,
    /// Whether it takes, of several locks that hold its directory, the lock with the longest folder, and of
    /// those the newest. Otherwise it takes none.
    pub resolves_ties: bool,
    /// The variables that make it dial a port without the token, so that every companion refuses it.
    pub tokenless_port_variables: &'static [&'static str],
    /// The settings that can keep it from a companion whose lock it finds.
    pub own_settings: OwnSettings,
}

/// The transport between agent and companion. Both transports carry JSON-RPC and require the token first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// POST requests to a companion, and a stream of server-sent events from it. The session outlives a
    /// connection.
    Http,
    /// A [WebSocket](crate::websocket). The session ends with the connection.
    WebSocket,
}

/// The dialect of the messages between agent and companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The way in which the agent gets an outcome.
    pub outcomes: Outcomes,
    /// The form in which the agent gets the person's files.
    pub context: ContextForm,
}

impl Dialect {
    /// The dialect of the public contract.
    pub const CONTRACT: Self = Self { outcomes: Outcomes::Notified, context: ContextForm::Update };
    /// The dialect of Claude Code.
    pub const CLAUDE: Self = Self { outcomes: Outcomes::Answered, context: ContextForm::Selection };
}

/// The way in which an agent gets an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcomes {
    /// In a notification, after the call that opened the diff is answered.
    Notified,
    /// In the response to the call that opened the diff. The agent asks in its own prompt meanwhile.
    Answered,
}

/// The form in which an agent gets the person's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextForm {
    /// All open files in [`ide/contextUpdate`](crate::context::CONTEXT_UPDATE).
    Update,
    /// The active file in [`selection_changed`](crate::websocket::SELECTION_CHANGED), and files for its
    /// prompt in [`at_mentioned`](crate::websocket::AT_MENTIONED). Lines are counted from 0, and a message
    /// without a file clears the agent's last file.
    Selection,
    /// The same, but lines are counted from 1, and empty texts clear the agent's last file.
    OneBasedSelection,
}

/// The settings that can keep an agent from a companion whose lock it finds, or from opening diffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSettings {
    /// No such settings are known.
    None,
    /// `autoConnectIde` and `diffTool` in `.claude.json`.
    ClaudeCode,
}

/// The directory of lock files that Claude Code reads.
pub const LOCKS: Directory = Directory::Home {
    below_home: ".claude/ide",
    base_variable: Some("CLAUDE_CONFIG_DIR"),
    below_base: "ide",
};

/// The agents that read lock files in [`LOCKS`].
pub(crate) const LOCK_READERS: &str = "Claude Code and OpenCode";

/// Names of environment variables. `None` if an agent has no such variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variables {
    /// The companion's port.
    pub port: Option<&'static str>,
    /// The workspace roots, joined as in the record.
    pub workspace_path: Option<&'static str>,
    /// The bearer token.
    pub auth_token: Option<&'static str>,
    /// The editor's PID, which the agent otherwise determines itself.
    pub pid: Option<&'static str>,
    /// The program of a stdio server, for use without a port.
    pub stdio_command: Option<&'static str>,
    /// Its arguments, as a JSON array of strings.
    pub stdio_args: Option<&'static str>,
}

impl Variables {
    /// No variables. A row adds those that its agent reads.
    pub(crate) const NONE: Self = Self {
        port: None,
        workspace_path: None,
        auth_token: None,
        pid: None,
        stdio_command: None,
        stdio_args: None,
    };

    /// Makes the variables of an agent that reads only the port.
    pub(crate) const fn port(name: &'static str) -> Self {
        Self { port: Some(name), ..Self::NONE }
    }
}
