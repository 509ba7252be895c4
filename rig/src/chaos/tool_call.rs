//! The script's part of a tool call that passes a hook: where the agent works, with which variables, beside
//! which other hook, and what it does with the answer.

use serde::{Deserialize, Serialize};

/// A tool call as the script wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallScript {
    /// The tool, modulo the number of those that the agent has.
    pub tool: usize,
    /// The way to the file.
    pub way: Way,
    /// The variables of the hook.
    pub variables: Variables,
    /// The hook's program is not where the agent's settings say.
    #[serde(default, skip_serializing_if = "is_false")]
    pub program_missing: bool,
    /// The other hook on the same tool, if there is one.
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
pub enum Way {
    /// The agent works in the project.
    Project,
    /// It works outside, and names the file by its path in the project.
    Outside,
    /// It works in a link to the project, and names the file through that.
    DirectoryLink,
    /// It works outside, and names a link that leads to the file.
    FileLink,
}

/// The variables of a hook, where they differ from those of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Variables {
    /// The same.
    Same,
    /// Without `XDG_RUNTIME_DIR`, as of `su` and `cron`.
    NoRuntimeDir,
    /// With the one of somebody else.
    OtherRuntimeDir,
    /// With one that does not exist.
    MissingRuntimeDir,
    /// With another `TMPDIR`.
    OtherTmp,
    /// With another `HOME`.
    OtherHome,
    /// Without `HOME`.
    NoHome,
    /// With nothing but `PATH`.
    Cleaned,
}

/// A hook of somebody else on the same tool. It says yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherHook {
    /// It gives other arguments with its yes.
    pub rewrites: bool,
    /// Where both hooks give arguments, the agent takes those of this one: in Claude Code because it ends
    /// last.
    pub has_last_word: bool,
}

/// The conduct of an agent after the answer of its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Conduct {
    /// It obeys.
    Faithful,
    /// It writes something else after a yes.
    WritesSomethingElse,
    /// It writes its own text after a no.
    WritesRejected,
    /// It writes nothing after a yes.
    WritesNothing,
}
