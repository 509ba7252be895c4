//! The discovery record: the JSON file with which an agent finds a companion and its token.

use alongside_platform::{Os, path_lists};
use serde::{Deserialize, Deserializer, Serialize};

use crate::agent::FamilyAgent;
use crate::null;

/// The [`Record::writer`] in files of alongside.
pub const WRITER: &str = "alongside";

/// The content of a discovery file (the contract's *discovery mechanism*; Qwen adds `ppid` and `ideName`).
///
/// Its `Debug` form hides the token, so that a record may be logged.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The companion's TCP port on 127.0.0.1. Some programs write it as a string, and reading accepts both.
    #[serde(deserialize_with = "number_or_string")]
    pub port: u16,
    /// The workspace roots, joined by [`delimiter`]. Empty if no folder is open. See [`join_roots`].
    #[serde(default, deserialize_with = "null::or_default")]
    pub workspace_path: String,
    /// The bearer token of every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_token: Option<String>,
    /// The editor's name, which lets an agent accept an unknown editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ide_info: Option<IdeInfo>,
    /// The editor's PID. Qwen Code ≥ 0.15.6 deletes the file if it cannot signal the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ppid: Option<u32>,
    /// The editor's display name, as Qwen Code reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ide_name: Option<String>,
    /// The command of a stdio server, for agents that cannot reach `port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdio: Option<Stdio>,
    /// The program that wrote the file. A companion removes only old files with [`WRITER`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record")
            .field("port", &self.port)
            .field("workspace_path", &self.workspace_path)
            .field("auth_token", &self.auth_token.as_ref().map(|_| "…"))
            .field("ide_info", &self.ide_info)
            .field("ppid", &self.ppid)
            .field("ide_name", &self.ide_name)
            .field("stdio", &self.stdio)
            .field("writer", &self.writer)
            .finish()
    }
}

/// The editor, as agents show it to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdeInfo {
    /// The short identifier in lower case, such as `neovim`.
    #[serde(default, deserialize_with = "null::or_default")]
    pub name: String,
    /// The name for people, such as `Neovim`.
    #[serde(default, deserialize_with = "null::or_default")]
    pub display_name: String,
}

/// A command that serves the companion over stdio.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stdio {
    /// The program.
    pub command: String,
    /// Its arguments.
    #[serde(default, deserialize_with = "null::or_default")]
    pub args: Vec<String>,
}

/// The placeholder in the arguments of a stdio server for the identifier of the agent that starts it. Over
/// stdio, agents do not identify themselves.
pub const AGENT: &str = "{agent}";

impl Stdio {
    /// Returns the command for an agent.
    pub fn for_agent(&self, agent: FamilyAgent) -> Self {
        let args = self.args.iter().map(|arg| arg.replace(AGENT, agent.id)).collect();
        Self { command: self.command.clone(), args }
    }
}

/// Returns the character between workspace roots: `;` on Windows, `:` elsewhere.
pub const fn delimiter() -> char {
    path_lists::delimiter(Os::HERE)
}

/// Joins roots for [`Record::workspace_path`].
///
/// # Errors
/// Returns the first root that contains the delimiter.
pub fn join_roots<'a>(roots: impl IntoIterator<Item = &'a str>) -> Result<String, &'a str> {
    path_lists::join(Os::HERE, roots)
}

/// Splits [`Record::workspace_path`] as agents do, and skips empty parts.
pub fn split_roots(workspace_path: &str) -> impl Iterator<Item = &str> {
    path_lists::split(Os::HERE, workspace_path)
}

fn number_or_string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u16),
        Text(String),
    }
    match Either::deserialize(deserializer)? {
        Either::Number(port) => Ok(port),
        Either::Text(text) => text.trim().parse().map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimal_record_round_trips_without_nulls() {
        let record: Record =
            serde_json::from_str(r#"{"port":"12345","workspacePath":"/a","authToken":null}"#).unwrap();
        assert_eq!(record.port, 12345);
        assert_eq!(serde_json::to_string(&record).unwrap(), r#"{"port":12345,"workspacePath":"/a"}"#);
    }

    #[test]
    fn the_debug_form_hides_the_token() {
        let record: Record = serde_json::from_str(r#"{"port":1,"authToken":"s3cret"}"#).unwrap();
        assert!(!format!("{record:?}").contains("s3cret"));
    }

    #[test]
    fn roots_join_and_split_and_refuse_the_delimiter() {
        let two = join_roots(["/a b", "/c"]).unwrap();
        assert_eq!(split_roots(&two).collect::<Vec<_>>(), ["/a b", "/c"]);
        assert_eq!(split_roots("").count(), 0);
        let bad = format!("/x{}y", delimiter());
        assert_eq!(join_roots([bad.as_str()]), Err(bad.as_str()));
    }
}
