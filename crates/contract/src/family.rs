//! How an agent finds a companion and speaks to it. The part holds every place where any shipped release
//! looks, so that all of them find one companion.

use crate::behaviour::Behaviour;
pub use crate::discovery_file::{Directory, DiscoveryFile, Fields};

/// The part of an agent that finds companions.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Prefixes of `clientInfo.name`. Shipped agents give none of them; the [token](crate::token) tells.
    pub client_names: &'static [&'static str],
    /// The variables that it reads.
    pub env: Variables,
    /// The files by which it finds a companion.
    pub found_by: FoundBy,
    /// The way of its messages.
    pub transport: Transport,
    /// The words of its messages.
    pub dialect: Dialect,
    /// How its releases find a companion.
    pub behaviour: Behaviour,
}

impl Family {
    /// The discovery files that its releases read.
    pub fn discovery_files(&self) -> &'static [DiscoveryFile] {
        match self.found_by {
            FoundBy::DiscoveryFiles(files) => files,
            FoundBy::Lock(_) => &[],
        }
    }

    /// How it searches a lock file; `None`: it reads none.
    pub fn lock_rules(&self) -> Option<&LockRules> {
        match &self.found_by {
            FoundBy::DiscoveryFiles(_) => None,
            FoundBy::Lock(rules) => Some(rules),
        }
    }

    /// Whether its port variable makes it dial without the token.
    pub fn dials_without_token(&self) -> bool {
        let rules = self.lock_rules().zip(self.env.port);
        rules.is_some_and(|(rules, port)| rules.tokenless_ports.contains(&port))
    }

    /// The directories in which it searches.
    pub fn directories(&self) -> Vec<Directory> {
        match &self.found_by {
            FoundBy::DiscoveryFiles(files) => files.iter().map(|file| file.directory).collect(),
            FoundBy::Lock(rules) => vec![rules.directory],
        }
    }

    /// The variables that lead it to other directories of its files than those below home.
    pub fn directory_variables(&self) -> impl Iterator<Item = &'static str> {
        self.directories().into_iter().filter_map(|directory| match directory {
            Directory::Home { base_variable, .. } => base_variable,
            Directory::Tmp(_) => None,
        })
    }
}

/// The files by which an agent finds a companion.
#[derive(Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// The [discovery files](crate::discovery) that its releases read; a companion writes all of them.
    DiscoveryFiles(&'static [DiscoveryFile]),
    /// The [lock file](crate::lock_file).
    Lock(LockRules),
}

/// How an agent searches the lock file of a companion: measured with the releases that the agent's file
/// names. The release matrix fails where one finds no companion.
#[derive(Debug, PartialEq, Eq)]
pub struct LockRules {
    /// The directory of the lock files that it reads.
    pub directory: Directory,
    /// The agents that read it, for messages.
    pub readers: &'static str,
    /// Of several locks that hold its directory, it takes that with the longest folder, and then the newest.
    /// Otherwise it takes none of them.
    pub takes_newest: bool,
    /// Variables that make it dial a port without the token: no companion lets it in then.
    pub tokenless_ports: &'static [&'static str],
    /// The settings that keep it from a companion whose lock it finds.
    pub own_settings: OwnSettings,
}

/// The way of the messages between agent and companion. Both ways carry JSON-RPC, and need the token first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// POSTs to a companion and a stream of server-sent events from it. The session outlives a connection.
    Http,
    /// A [WebSocket](crate::websocket). The session ends with the connection.
    WebSocket,
}

/// The words of the messages between agent and companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How the agent learns of an outcome.
    pub outcomes: Outcomes,
    /// How the agent learns of the person's files.
    pub context: ContextForm,
}

impl Dialect {
    /// The dialect of the public contract.
    pub const CONTRACT: Self = Self { outcomes: Outcomes::Notified, context: ContextForm::Update };
    /// That of Claude Code.
    pub const CLAUDE: Self = Self { outcomes: Outcomes::Answered, context: ContextForm::Selection };
}

/// How an agent learns of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcomes {
    /// By a notification: the call that opened the diff was answered at once.
    Notified,
    /// By the response to the call that opened the diff. The agent asks in its own prompt meanwhile.
    Answered,
}

/// How an agent learns of the person's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextForm {
    /// All open files in [`ide/contextUpdate`](crate::context::CONTEXT_UPDATE).
    Update,
    /// The active file in [`selection_changed`](crate::websocket::SELECTION_CHANGED), and files for its
    /// prompt in [`at_mentioned`](crate::websocket::AT_MENTIONED). Lines are counted from 0, and a message
    /// without a file makes the agent forget the last one.
    Selection,
    /// The same with lines that are counted from 1; empty texts make the agent forget the last file.
    SelectionFromOne,
}

/// The settings by which an agent may not connect to a companion whose lock it finds, or not open diffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSettings {
    /// None are known.
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

/// The agents that read the lock file there.
pub(crate) const LOCK_READERS: &str = "Claude Code and OpenCode";

/// Names of environment variables; `None` where an agent has no such variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variables {
    /// The companion's port.
    pub port: Option<&'static str>,
    /// Workspace roots, joined as in the record.
    pub workspace_path: Option<&'static str>,
    /// The bearer token.
    pub auth_token: Option<&'static str>,
    /// Overrides the editor's PID, which the agent otherwise derives.
    pub pid: Option<&'static str>,
    /// The program of a stdio server, for use without a port.
    pub stdio_command: Option<&'static str>,
    /// Its arguments, as a JSON array of strings.
    pub stdio_args: Option<&'static str>,
}

impl Variables {
    /// No variable, to which a row adds those that its agent reads.
    pub(crate) const NONE: Self = Self {
        port: None,
        workspace_path: None,
        auth_token: None,
        pid: None,
        stdio_command: None,
        stdio_args: None,
    };

    /// The variable of the port alone.
    pub(crate) const fn port(name: &'static str) -> Self {
        Self { port: Some(name), ..Self::NONE }
    }
}
