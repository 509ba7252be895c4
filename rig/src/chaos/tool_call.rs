//! The circumstances of a tool call with hooks, as the script chooses them: the agent's working directory,
//! the hook's variables, another hook on the same tool, and the agent's obedience.

use serde::{Deserialize, Serialize};

/// The circumstances of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallScript {
    /// The number of the tool, modulo the number of the agent's tools.
    pub tool: usize,
    /// The agent's working directory, and the path by which it names the file.
    #[serde(rename = "way")]
    pub file_path: FilePath,
    /// The environment variables of the hook.
    pub variables: Variables,
    /// Whether the program that the agent's settings name is missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub program_missing: bool,
    /// Another hook on the same tool, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherHook>,
    /// The agent's obedience.
    pub conduct: Conduct,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The agent's working directory, and the path by which it names the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FilePath {
    /// The agent works in the project, and names the file by its path there.
    Project,
    /// The agent works outside of the project, and names the file by its path in the project.
    Outside,
    /// The agent works in a link to the project, and names the file by its path through the link.
    DirectoryLink,
    /// The agent works outside of the project, and names a link to the file.
    FileLink,
}

/// The environment variables of a hook, as they differ from the variables of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Variables {
    /// The variables of the host.
    Same,
    /// Without `XDG_RUNTIME_DIR`, as from `su` and `cron`.
    NoRuntimeDir,
    /// With the `XDG_RUNTIME_DIR` of another user.
    OtherRuntimeDir,
    /// With an `XDG_RUNTIME_DIR` that does not exist.
    MissingRuntimeDir,
    /// With another `TMPDIR`.
    OtherTmp,
    /// With another `HOME`.
    OtherHome,
    /// Without `HOME`.
    NoHome,
    /// With `PATH` only.
    Cleaned,
}

/// Another program's hook on the same tool, which allows every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherHook {
    /// Whether this hook also changes the arguments.
    pub rewrites: bool,
    /// Whether the agent takes the arguments of this hook if alongside's hook changes them too. Claude Code
    /// takes the arguments of the hook that ends last.
    pub has_last_word: bool,
}

/// The conduct of an agent after the answer of its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Conduct {
    /// The agent obeys.
    Faithful,
    /// The agent writes another text after an allowed call.
    WritesSomethingElse,
    /// The agent writes its own text after a refused call.
    WritesRejected,
    /// The agent writes nothing after an allowed call.
    WritesNothing,
}
