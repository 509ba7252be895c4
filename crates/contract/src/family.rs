//! The table of agent families: the variables, files and settings that each one reads. A new fork is one row.
//!
//! A row holds every place where any shipped release of a family looks, so that all of them find one
//! companion.

use crate::behaviour::releases;
use crate::behaviour::{Behaviour, How, Lookup, Releases};
pub use crate::discovery_file::{Directory, DiscoveryFile, Fields};
use crate::settings::{self, SettingsFiles};

/// One family of agents: everything that differs between forks of the same contract.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Short identifier, such as `gemini`.
    pub id: &'static str,
    /// Name for people.
    pub display_name: &'static str,
    /// Commands that start an agent of this family.
    pub commands: &'static [&'static str],
    /// Prefixes of `clientInfo.name`. Shipped agents give none of them; the [token](crate::token) tells.
    pub client_names: &'static [&'static str],
    /// The variables that it reads.
    pub env: Variables,
    /// How it differs from other agents of the WebSocket dialect; `None`: it speaks MCP over HTTP.
    pub websocket: Option<WebSocketAgent>,
    /// The discovery files that its releases read; a companion writes all of them.
    pub files: &'static [DiscoveryFile],
    /// Its own settings files, if known.
    pub settings: Option<&'static SettingsFiles>,
    /// Its npm packages.
    pub packages: &'static [&'static str],
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

    /// Whether its releases are proven to find a companion: npm has them, and the rig runs them.
    pub fn is_proven(&self) -> bool {
        !self.packages.is_empty()
    }

    /// The variables that lead it to other directories than those below home.
    pub fn directory_variables(&self) -> impl Iterator<Item = &'static str> {
        let of_settings = self.settings.into_iter().flat_map(|table| {
            let variables = [table.home_variable, table.base_variable];
            variables.into_iter().flatten().map(|(name, _)| name)
        });
        let locks = self.websocket.as_ref().map(|agent| agent.locks);
        let directories = self.files.iter().map(|file| file.directory).chain(locks);
        let of_files = directories.filter_map(|directory| match directory {
            Directory::Home { base_variable, .. } => base_variable,
            Directory::Tmp(_) => None,
        });
        of_settings.chain(of_files)
    }
}

/// How the agents of a family speak to a companion.
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
}

/// The directories of lock files, each once.
pub const LOCK_DIRECTORIES: [Directory; 2] = [LOCKS, LOCKS_AT_HOME];

/// The directory of lock files that Claude Code reads.
pub const LOCKS: Directory = Directory::Home {
    below_home: ".claude/ide",
    base_variable: Some("CLAUDE_CONFIG_DIR"),
    below_base: "ide",
};

/// The directory of lock files that OpenCode reads, whatever the variable says.
pub const LOCKS_AT_HOME: Directory =
    Directory::Home { below_home: ".claude/ide", base_variable: None, below_base: "" };

/// Names of environment variables; `None` where a family has no such variable.
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
    /// Only the variable of the port.
    const fn port(name: &'static str) -> Self {
        let (workspace_path, auth_token, pid, stdio_command, stdio_args) = (None, None, None, None, None);
        Self { port: name, workspace_path, auth_token, pid, stdio_command, stdio_args }
    }
}

/// The directories of all discovery files, each as often as it occurs.
pub fn directories() -> impl Iterator<Item = Directory> {
    let files = FAMILIES.iter().flat_map(|family| family.files);
    files.map(|file| file.directory).chain(LOCK_DIRECTORIES)
}

/// Every known family.
pub const FAMILIES: &[Family] = &[
    Family {
        id: "gemini",
        display_name: "Gemini CLI",
        commands: &["gemini"],
        client_names: &["gemini-cli"],
        env: Variables {
            port: "GEMINI_CLI_IDE_SERVER_PORT",
            workspace_path: Some("GEMINI_CLI_IDE_WORKSPACE_PATH"),
            auth_token: Some("GEMINI_CLI_IDE_AUTH_TOKEN"),
            pid: Some("GEMINI_CLI_IDE_PID"),
            stdio_command: Some("GEMINI_CLI_IDE_SERVER_STDIO_COMMAND"),
            stdio_args: Some("GEMINI_CLI_IDE_SERVER_STDIO_ARGS"),
        },
        websocket: None,
        files: &[
            releases::GEMINI_FILE,
            DiscoveryFile {
                directory: Directory::Tmp(""),
                name: "gemini-ide-server-{pid}.json",
                fields: Fields::Contract,
                readers: "Gemini CLI 0.1.22 to 0.5.2",
            },
        ],
        settings: Some(&settings::GEMINI),
        packages: &["@google/gemini-cli"],
        behaviour: releases::GEMINI,
    },
    Family {
        id: "qwen",
        display_name: "Qwen Code",
        commands: &["qwen"],
        client_names: &["qwen-code"],
        env: Variables {
            port: "QWEN_CODE_IDE_SERVER_PORT",
            workspace_path: Some("QWEN_CODE_IDE_WORKSPACE_PATH"),
            auth_token: None,
            pid: None,
            stdio_command: Some("QWEN_CODE_IDE_SERVER_STDIO_COMMAND"),
            stdio_args: Some("QWEN_CODE_IDE_SERVER_STDIO_ARGS"),
        },
        websocket: None,
        files: &[
            releases::QWEN_LOCK,
            DiscoveryFile {
                directory: Directory::Tmp("qwen/ide"),
                name: "qwen-code-ide-server-{pid}-{port}.json",
                fields: Fields::WithParent,
                readers: "Qwen Code as its specification says",
            },
            releases::QWEN_LISTED,
            releases::QWEN_PID_FILE,
            releases::QWEN_PORT_FILE,
        ],
        settings: Some(&settings::QWEN),
        packages: &["@qwen-code/qwen-code"],
        behaviour: releases::QWEN,
    },
    Family {
        id: "llxprt",
        display_name: "LLxprt Code",
        commands: &["llxprt"],
        client_names: &["llxprt"],
        env: Variables {
            port: "LLXPRT_CODE_IDE_SERVER_PORT",
            workspace_path: Some("LLXPRT_CODE_IDE_WORKSPACE_PATH"),
            auth_token: Some("LLXPRT_CODE_IDE_AUTH_TOKEN"),
            pid: None,
            stdio_command: None,
            stdio_args: None,
        },
        websocket: None,
        files: &[releases::LLXPRT_FILE, releases::LLXPRT_PID_FILE],
        packages: &["@vybestack/llxprt-code"],
        behaviour: releases::LLXPRT,
        settings: None,
    },
    Family {
        id: "ola",
        display_name: "OLA Code",
        commands: &["ola"],
        client_names: &["ola"],
        env: Variables {
            port: "OLA_CODE_IDE_SERVER_PORT",
            workspace_path: Some("OLA_CODE_IDE_WORKSPACE_PATH"),
            auth_token: None,
            pid: None,
            stdio_command: None,
            stdio_args: None,
        },
        websocket: None,
        files: &[OLA_LOCK],
        packages: &[],
        behaviour: Behaviour {
            lookups: &[
                Lookup::new(Releases::ALL, OLA_LOCK, How::Spelled),
                Lookup::new(Releases::ALL, OLA_LOCK, How::ListedByAge),
            ],
            needs_living_editor: Releases::ALL,
            ..releases::FORK
        },
        settings: None,
    },
    Family {
        id: "bob",
        display_name: "IBM Bob",
        commands: &["bob"],
        client_names: &["bob"],
        env: Variables {
            port: "BOB_SHELL_CLI_IDE_SERVER_PORT",
            workspace_path: Some("BOB_SHELL_CLI_IDE_WORKSPACE_PATH"),
            auth_token: Some("BOB_SHELL_CLI_IDE_AUTH_TOKEN"),
            pid: None,
            stdio_command: None,
            stdio_args: None,
        },
        websocket: None,
        files: &[],
        settings: None,
        packages: &[],
        behaviour: releases::FORK,
    },
    Family {
        id: "hopcode",
        display_name: "HopCode",
        commands: &["hopcode"],
        client_names: &["hopcode"],
        env: Variables {
            port: "HOPCODE_IDE_SERVER_PORT",
            workspace_path: Some("HOPCODE_IDE_WORKSPACE_PATH"),
            auth_token: None,
            pid: None,
            stdio_command: None,
            stdio_args: None,
        },
        websocket: None,
        files: &[],
        settings: None,
        packages: &[],
        behaviour: releases::FORK,
    },
    Family {
        id: "claude",
        display_name: "Claude Code",
        commands: &["claude"],
        client_names: &["claude-code"],
        env: Variables::port("CLAUDE_CODE_SSE_PORT"),
        websocket: Some(WebSocketAgent {
            locks: LOCKS,
            first_line: 0,
            forgets: true,
            takes_newest: false,
            tokenless_ports: &[],
        }),
        files: &[],
        settings: Some(&settings::CLAUDE),
        packages: &["@anthropic-ai/claude-code"],
        behaviour: releases::FORK,
    },
    Family {
        id: "opencode",
        display_name: "OpenCode",
        commands: &["opencode"],
        client_names: &["opencode"],
        env: Variables::port("OPENCODE_EDITOR_SSE_PORT"),
        websocket: Some(WebSocketAgent {
            locks: LOCKS_AT_HOME,
            first_line: 1,
            forgets: false,
            takes_newest: true,
            tokenless_ports: &["OPENCODE_EDITOR_SSE_PORT", "CLAUDE_CODE_SSE_PORT"],
        }),
        files: &[],
        settings: None,
        packages: &["opencode-ai"],
        behaviour: releases::FORK,
    },
];

const OLA_LOCK: DiscoveryFile = DiscoveryFile {
    directory: Directory::Home { below_home: ".ola/ide", base_variable: None, below_base: "" },
    name: "{port}.lock",
    fields: Fields::WithParent,
    readers: "OLA Code",
};

/// The family that a command such as `/usr/bin/gemini` or `qwen.cmd` starts.
pub fn by_command(command: &str) -> Option<&'static Family> {
    let base = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let stem = base.split('.').next().unwrap_or(base);
    FAMILIES.iter().find(|family| family.commands.contains(&stem))
}

/// The family of a client that gives this name in `initialize`.
pub fn by_client_name(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.client_names.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overriding_file_is_never_written() {
        for file in FAMILIES.iter().flat_map(|family| family.files) {
            let in_gemini = file.directory == Directory::Tmp("gemini/ide");
            assert!(!(in_gemini && file.name == "gemini-ide-server-{pid}.json"));
        }
    }

    #[test]
    fn command_and_client_name_select_the_family() {
        assert_eq!(by_command("/usr/local/bin/gemini").map(|f| f.id), Some("gemini"));
        assert_eq!(by_command("qwen.cmd").map(|f| f.id), Some("qwen"));
        assert_eq!(by_command("bash"), None);
        assert_eq!(by_client_name("qwen-code-mcp-client-qwen").map(|f| f.id), Some("qwen"));
    }
}
