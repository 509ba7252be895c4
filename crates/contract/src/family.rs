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
    /// How it differs from other agents of the WebSocket dialect; `None`: it speaks MCP over HTTP.
    pub websocket: Option<WebSocketAgent>,
    /// The discovery files that its releases read; a companion writes all of them.
    pub files: &'static [DiscoveryFile],
    /// How its releases find a companion.
    pub behaviour: Behaviour,
}

impl Family {
    /// Whether its port variable makes it dial without the token.
    pub fn dials_without_token(&self) -> bool {
        self.websocket.as_ref().is_some_and(|agent| agent.tokenless_ports.contains(&self.env.port))
    }

    /// How it speaks to a companion.
    pub fn dialect(&self) -> Dialect {
        if self.websocket.is_some() { Dialect::WebSocket } else { Dialect::Http }
    }

    /// The variables that lead it to other directories of its files than those below home.
    pub fn directory_variables(&self) -> impl Iterator<Item = &'static str> {
        let locks = self.websocket.as_ref().map(|agent| agent.locks);
        let directories = self.files.iter().map(|file| file.directory).chain(locks);
        directories.filter_map(|directory| match directory {
            Directory::Home { base_variable, .. } => base_variable,
            Directory::Tmp(_) => None,
        })
    }
}

/// How agents speak to a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// MCP over HTTP: calls are answered at once, and outcomes are notifications on a stream.
    Http,
    /// MCP over a [WebSocket](crate::websocket): a call stays open until its outcome. The companion is found
    /// by a [lock file](crate::lock_file).
    WebSocket,
}

/// The differences between agents of the WebSocket dialect. All were measured.
#[derive(Debug, PartialEq, Eq)]
pub struct WebSocketAgent {
    /// The directory of the lock files that it reads.
    pub locks: Directory,
    /// The number of a file's first line in messages to it.
    pub first_line: u32,
    /// Whether a message without a file makes it forget the last one. Otherwise empty texts do.
    pub forgets: bool,
    /// Of several locks that hold its directory, it takes that with the longest folder, and then the newest.
    /// Otherwise it takes none of them.
    pub takes_newest: bool,
    /// Variables that make it dial a port without the token: no companion lets it in then.
    pub tokenless_ports: &'static [&'static str],
    /// The settings that keep it from a companion whose lock it finds.
    pub own_settings: OwnSettings,
}

/// The settings by which an agent of the WebSocket dialect may not connect, or not open diffs.
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

/// Names of environment variables; `None` where an agent has no such variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variables {
    /// The companion's port.
    pub port: &'static str,
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
    /// The variable of the port alone, to which a row adds the others that its agent reads.
    pub(crate) const fn port(name: &'static str) -> Self {
        let (workspace_path, auth_token, pid, stdio_command, stdio_args) = (None, None, None, None, None);
        Self { port: name, workspace_path, auth_token, pid, stdio_command, stdio_args }
    }
}
