//! The table of agent families: what each one reads, and under which names. A new fork is one row here.
//!
//! Rows hold every place that any shipped release of a family looks at, so that one companion is found by all
//! of them. What a name is matched by decides whether it is also published for ancestors of the editor (see
//! [`DiscoveryFile::names_pid`]).

use crate::behaviour::{self, Behaviour, How, Lookup, Releases};
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
    /// What `initialize` may call a client of this family, as prefixes of `clientInfo.name`. Shipped agents
    /// all say `streamable-http-client`; see [`token`](crate::token) for how they are told apart.
    pub client_names: &'static [&'static str],
    /// The variables it reads.
    pub env: Variables,
    /// The discovery files that its releases read, all of which a companion writes.
    pub files: &'static [DiscoveryFile],
    /// Its own settings, where they are known.
    pub settings: Option<&'static SettingsFiles>,
    /// The packages of npm that bring it.
    pub packages: &'static [&'static str],
    /// What its releases do to find a companion.
    pub behaviour: Behaviour,
}

/// Names of environment variables; `None` where a family has no such variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variables {
    /// The companion's port.
    pub port: &'static str,
    /// Workspace roots, joined as in the record.
    pub workspace_path: Option<&'static str>,
    /// The bearer token.
    pub auth_token: Option<&'static str>,
    /// Overrides the editor's PID as the agent would work it out.
    pub pid: Option<&'static str>,
    /// Program of a stdio server, the fallback when there is no port.
    pub stdio_command: Option<&'static str>,
    /// Its arguments, as a JSON array of strings.
    pub stdio_args: Option<&'static str>,
}

/// One discovery file of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscoveryFile {
    /// The directory it lies in.
    pub directory: Directory,
    /// Its name, with `{pid}` and `{port}` to be filled in.
    pub name: &'static str,
    /// Which fields it holds beside those of the contract.
    pub fields: Fields,
    /// Which releases read it, for messages: "Qwen Code 0.5.1 and newer".
    pub readers: &'static str,
}

/// Where a discovery file lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directory {
    /// Below the agent's temporary directory (Node's `os.tmpdir()`); `""` is that directory itself.
    Tmp(&'static str),
    /// Below the home directory, unless the variable names another base.
    Home {
        /// Directories below home.
        below_home: &'static str,
        /// A variable that replaces the first of them, such as `QWEN_HOME` for `~/.qwen`.
        base_variable: Option<&'static str>,
        /// What follows the base that the variable names.
        below_base: &'static str,
    },
}

/// Sets of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// `port`, `workspacePath`, `authToken`, `ideInfo`; a companion may add `ppid`, which these agents
    /// ignore.
    Contract,
    /// Those, and `ppid` and `ideName`, which these agents read.
    WithParent,
}

impl DiscoveryFile {
    /// Whether the name holds a PID, so that the agent matches it against its own idea of the editor's
    /// process.
    pub fn names_pid(&self) -> bool {
        self.name.contains("{pid}")
    }

    /// Whether the name holds the port. A name without it is shared by all companions of one process.
    pub fn names_port(&self) -> bool {
        self.name.contains("{port}")
    }

    /// The file's name for this process and port.
    pub fn file_name(&self, pid: u32, port: u16) -> String {
        self.name.replace("{pid}", &pid.to_string()).replace("{port}", &port.to_string())
    }

    /// The PID in `file_name` if it is a name of this row, whatever the port.
    pub fn pid_in(&self, file_name: &str) -> Option<u32> {
        let (before, after) = self.name.split_once("{pid}")?;
        let rest = file_name.strip_prefix(before)?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (pid, rest) = rest.split_at(digits);
        let tail_fits = match after.split_once("{port}") {
            None => rest == after,
            Some((before_port, after_port)) => rest
                .strip_prefix(before_port)
                .and_then(|rest| rest.strip_suffix(after_port))
                .is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())),
        };
        if tail_fits { pid.parse().ok() } else { None }
    }

    /// Whether `file_name` could have been written for this row by some process and port.
    pub fn matches(&self, file_name: &str) -> bool {
        if self.names_pid() {
            return self.pid_in(file_name).is_some();
        }
        self.name.split_once("{port}").is_some_and(|(before, after)| {
            file_name
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(after))
                .is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
        })
    }
}

/// Every family we know.
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
        files: &[
            behaviour::GEMINI_FILE,
            DiscoveryFile {
                directory: Directory::Tmp(""),
                name: "gemini-ide-server-{pid}.json",
                fields: Fields::Contract,
                readers: "Gemini CLI 0.1.22 to 0.5.2",
            },
        ],
        settings: Some(&settings::GEMINI),
        packages: &["@google/gemini-cli"],
        behaviour: behaviour::GEMINI,
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
        files: &[
            behaviour::QWEN_LOCK,
            DiscoveryFile {
                directory: Directory::Tmp("qwen/ide"),
                name: "qwen-code-ide-server-{pid}-{port}.json",
                fields: Fields::WithParent,
                readers: "Qwen Code as its specification says",
            },
            behaviour::QWEN_LISTED,
            behaviour::QWEN_PID_FILE,
            behaviour::QWEN_PORT_FILE,
        ],
        settings: Some(&settings::QWEN),
        packages: &["@qwen-code/qwen-code"],
        behaviour: behaviour::QWEN,
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
        files: &[behaviour::LLXPRT_FILE, behaviour::LLXPRT_PID_FILE],
        packages: &["@vybestack/llxprt-code"],
        behaviour: behaviour::LLXPRT,
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
        files: &[OLA_LOCK],
        packages: &[],
        behaviour: Behaviour {
            lookups: &[
                Lookup::new(Releases::ALL, OLA_LOCK, How::Spelled),
                Lookup::new(Releases::ALL, OLA_LOCK, How::ListedByAge),
            ],
            needs_living_editor: Releases::ALL,
            ..behaviour::FORK
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
        files: &[],
        settings: None,
        packages: &[],
        behaviour: behaviour::FORK,
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
        files: &[],
        settings: None,
        packages: &[],
        behaviour: behaviour::FORK,
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

/// The family that a client names itself after in `initialize`.
pub fn by_client_name(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.client_names.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_overrides_every_other_is_never_written() {
        for file in FAMILIES.iter().flat_map(|family| family.files) {
            let in_gemini = file.directory == Directory::Tmp("gemini/ide");
            assert!(!(in_gemini && file.name == "gemini-ide-server-{pid}.json"));
        }
    }

    #[test]
    fn names_are_filled_in_and_recognised_again() {
        for file in FAMILIES.iter().flat_map(|family| family.files) {
            let name = file.file_name(42, 8080);
            assert!(file.matches(&name), "{name}");
            assert!(!file.matches("readme.json"));
            assert_eq!(file.pid_in(&name), file.names_pid().then_some(42), "{name}");
        }
        assert_eq!(FAMILIES[0].files[1].pid_in("gemini-ide-server-42-8080.json"), None);
        assert_eq!(FAMILIES[0].files[0].pid_in("gemini-ide-server-42.json"), None);
    }

    #[test]
    fn families_are_recognised_by_command_and_by_client_name() {
        assert_eq!(by_command("/usr/local/bin/gemini").map(|f| f.id), Some("gemini"));
        assert_eq!(by_command("qwen.cmd").map(|f| f.id), Some("qwen"));
        assert_eq!(by_command("bash"), None);
        assert_eq!(by_client_name("qwen-code-mcp-client-qwen").map(|f| f.id), Some("qwen"));
    }
}
