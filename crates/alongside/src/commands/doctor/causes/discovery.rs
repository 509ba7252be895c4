//! Causes in discovery files and in the variables that lead agents to a companion.

use alongside_contract::agent::Agent;

use super::companion;
use crate::commands::doctor::diagnosis::{Diagnosis, Fix, ShownPath};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum DiscoveryCause {
    /// The file does not name its editor.
    NoEditorName { path: ShownPath },
    /// Variables lead to a companion, but neither they nor a file name the editor.
    VariablesWithoutFile { names: String },
    /// A file that the agent prefers to all others leads to no companion.
    OverridingFile { path: ShownPath },
    /// A root contains the character that separates roots.
    Delimiter { root: ShownPath },
    /// A root differs from the current directory in case only.
    CaseDiffers { root: ShownPath },
    /// Variables lead to a companion of another project.
    VariablesElsewhere { names: String, workspace: String },
    /// Variables lead to a companion that is gone.
    StaleVariables { names: String, port: u16 },
    /// Variables lead to a companion that is gone, but the agent connects in another way.
    UnusedStaleVariables { names: String, port: u16 },
    /// The agent cannot read the file.
    UnreadableFile { path: ShownPath, error: String },
    /// The file is not a discovery record.
    MalformedFile { path: ShownPath, error: String },
    /// The file belongs to another user, and the agent ignores it.
    IgnoredFileOfOtherUser { path: ShownPath },
    /// The file belongs to another user, and the agent trusts it.
    TrustedFileOfOtherUser { path: ShownPath },
    /// A lock names an editor process that has ended.
    DeadEditor { path: ShownPath, pid: u32 },
    /// A lock names no editor process, and its workspace does not exist.
    MissingWorkspace { path: ShownPath },
    /// The file of a companion that is gone hides the companion on port `running`.
    StaleFileWins { path: ShownPath, running: u16 },
    /// The companion that wrote the file is gone.
    StaleFile { path: ShownPath },
    /// The companion that wrote the file is gone, but the agent connects to another one.
    UnusedStaleFile { path: ShownPath },
}

impl DiscoveryCause {
    pub(super) fn diagnosis(&self, agent: &Agent) -> Diagnosis {
        match self {
            Self::NoEditorName { path } => Diagnosis::fails(
                "no-editor-name",
                format!("{path} does not name its editor (ideInfo), so the agent ignores it"),
                [
                    Fix::advice("update the companion that wrote it, or pretend to be in VS Code:"),
                    Fix::start_as_in_vscode(agent),
                ],
            ),
            Self::VariablesWithoutFile { names } => Diagnosis::fails(
                "variables-alone",
                format!(
                    "{names} lead to a companion, but no file names its editor, and without a name the agent \
                     does not connect"
                ),
                [
                    Fix::advice(
                        "start the agent with the TMPDIR and HOME of the companion, or pretend to be in VS \
                         Code:",
                    ),
                    Fix::start_as_in_vscode(agent),
                ],
            ),
            Self::OverridingFile { path } => Diagnosis::fails(
                "overriding-file",
                format!("the agent prefers {path} to every other file, and it leads nowhere"),
                [Fix::delete(path)],
            ),
            Self::Delimiter { root } => Diagnosis::fails(
                "delimiter-in-path",
                format!(
                    "{root} holds the character that separates directories in discovery files; no agent can \
                     read it"
                ),
                [Fix::advice(
                    "rename the directory, or start editor and agent in a link to it without that character",
                )],
            ),
            Self::CaseDiffers { root } => Diagnosis::fails(
                "case-differs",
                format!(
                    "the companion serves {root}, which differs from this directory in upper and lower \
                     case only"
                ),
                [Fix::command(format!("cd {}", root.quoted()))],
            ),
            Self::VariablesElsewhere { names, workspace } => Diagnosis::fails(
                "variables-elsewhere",
                format!("{names} in this terminal lead to a companion of {workspace}"),
                [unset(names)],
            ),
            Self::StaleVariables { names, port } => Diagnosis::fails(
                "stale-variables",
                format!("{names} in this terminal name port {port}, where no companion answers any more"),
                [unset(names)],
            ),
            Self::UnusedStaleVariables { names, port } => Diagnosis::note(
                "stale-variables-beside",
                format!(
                    "{names} in this terminal name port {port}, where no companion answers; it connects all \
                     the same"
                ),
                [unset(names)],
            ),
            Self::UnreadableFile { path, error } => Diagnosis::fails(
                "unreadable-file",
                format!("{path} ends its search: {error}"),
                [Fix::command(format!("rm -r {}", path.quoted()))],
            ),
            Self::MalformedFile { path, error } => Diagnosis::fails(
                "malformed-file",
                format!("{path} is the only file for this place, and {error}"),
                [Fix::delete(path), Fix::advice("then restart the companion that wrote it")],
            ),
            Self::IgnoredFileOfOtherUser { path } => Diagnosis::fails(
                "other-user",
                format!("{path} belongs to another user, so the agent ignores it"),
                [Fix::advice("start the editor and the agent as the same user")],
            ),
            Self::TrustedFileOfOtherUser { path } => Diagnosis::fails(
                "led-by-other-user",
                format!("it trusts {path}, which another user wrote: that user decides where it connects"),
                [Fix::delete(path)],
            ),
            Self::DeadEditor { path, pid } => Diagnosis::fails(
                "dead-editor",
                format!(
                    "{path} names process {pid} as its editor, which has ended; the agent deletes the file"
                ),
                [Fix::advice("start the editor, or the companion, again")],
            ),
            Self::MissingWorkspace { path } => Diagnosis::fails(
                "missing-workspace",
                format!("{path} names no editor process and several directories; the agent deletes the file"),
                [Fix::advice("update the companion that wrote it")],
            ),
            Self::StaleFileWins { path, running } => Diagnosis::fails(
                "stale-file-wins",
                format!(
                    "the companion that wrote {path} is gone, and the file hides the one that runs (port \
                     {running})"
                ),
                [Fix::delete(path)],
            ),
            Self::StaleFile { path } => Diagnosis::fails(
                "stale-file",
                format!("the companion that wrote {path} is gone"),
                [vec![Fix::delete(path)], companion::start_fixes()].concat(),
            ),
            Self::UnusedStaleFile { path } => Diagnosis::note(
                "stale-file-beside",
                format!("the companion that wrote {path} is gone; the agent tries it first, in vain"),
                [Fix::delete(path)],
            ),
        }
    }
}

fn unset(names: &str) -> Fix {
    Fix::command(format!("unset {names}"))
}
