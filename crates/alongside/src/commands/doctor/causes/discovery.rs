//! Causes in discovery files and in the variables that lead agents to a companion.

use alongside_contract::agent::Agent;

use super::companion;
use crate::commands::doctor::message::{Fix, Message, ShownPath};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum DiscoveryCause {
    /// The file does not name its editor.
    NoEditorName { path: ShownPath },
    /// Variables lead to a companion, but they do not name the editor.
    VariablesAlone { names: String },
    /// A file that the agent prefers to all others leads to no companion.
    OverridingFile { path: ShownPath },
    /// A root holds the character that separates roots.
    Delimiter { root: ShownPath },
    /// A root differs from the current directory in case only.
    CaseDiffers { root: ShownPath },
    /// Variables lead to a companion of another project.
    VariablesElsewhere { names: String, workspace: String },
    /// Variables lead to a companion that is gone.
    StaleVariables { names: String, port: u16 },
    /// Variables lead to a companion that is gone, and the agent connects all the same.
    StaleVariablesBeside { names: String, port: u16 },
    /// The agent cannot read the file.
    UnreadableFile { path: ShownPath, error: String },
    /// The file is not a discovery record.
    MalformedFile { path: ShownPath, error: String },
    /// The file is another user's, and the agent ignores it.
    OtherUser { path: ShownPath },
    /// The file is another user's, and the agent trusts it.
    LedByOtherUser { path: ShownPath },
    /// A lock names an editor process that has ended.
    DeadEditor { path: ShownPath, pid: u32 },
    /// A lock names no editor process, and its workspace does not exist.
    MissingWorkspace { path: ShownPath },
    /// A file of a companion that is gone hides one that runs on port `running`.
    StaleFileWins { path: ShownPath, running: u16 },
    /// The companion that wrote the file is gone.
    StaleFile { path: ShownPath },
    /// The companion that wrote the file is gone, and the agent connects all the same.
    StaleFileBeside { path: ShownPath },
}

impl DiscoveryCause {
    pub(super) fn message(&self, agent: &Agent) -> Message {
        match self {
            Self::NoEditorName { path } => Message::fails(
                "no-editor-name",
                format!("{path} does not name its editor (ideInfo), so the agent ignores it"),
                [
                    Fix::advice("update the companion that wrote it, or pretend to be in VS Code:"),
                    Fix::pretend_vscode(agent),
                ],
            ),
            Self::VariablesAlone { names } => Message::fails(
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
                    Fix::pretend_vscode(agent),
                ],
            ),
            Self::OverridingFile { path } => Message::fails(
                "overriding-file",
                format!("the agent prefers {path} to every other file, and it leads nowhere"),
                [Fix::delete(path)],
            ),
            Self::Delimiter { root } => Message::fails(
                "delimiter-in-path",
                format!(
                    "{root} holds the character that separates directories in discovery files; no agent can \
                     read it"
                ),
                [Fix::advice(
                    "rename the directory, or start editor and agent in a link to it without that character",
                )],
            ),
            Self::CaseDiffers { root } => Message::fails(
                "case-differs",
                format!(
                    "the companion serves {root}, which differs from this directory in upper and lower \
                     case only"
                ),
                [Fix::command(format!("cd {}", root.quoted()))],
            ),
            Self::VariablesElsewhere { names, workspace } => Message::fails(
                "variables-elsewhere",
                format!("{names} in this terminal lead to a companion of {workspace}"),
                [unset(names)],
            ),
            Self::StaleVariables { names, port } => Message::fails(
                "stale-variables",
                format!("{names} in this terminal name port {port}, where no companion answers any more"),
                [unset(names)],
            ),
            Self::StaleVariablesBeside { names, port } => Message::note(
                "stale-variables-beside",
                format!(
                    "{names} in this terminal name port {port}, where no companion answers; it connects all \
                     the same"
                ),
                [unset(names)],
            ),
            Self::UnreadableFile { path, error } => Message::fails(
                "unreadable-file",
                format!("{path} ends its search: {error}"),
                [Fix::command(format!("rm -r {}", path.quoted()))],
            ),
            Self::MalformedFile { path, error } => Message::fails(
                "malformed-file",
                format!("{path} is the only file for this place, and {error}"),
                [Fix::delete(path), Fix::advice("then restart the companion that wrote it")],
            ),
            Self::OtherUser { path } => Message::fails(
                "other-user",
                format!("{path} belongs to another user, so the agent ignores it"),
                [Fix::advice("start the editor and the agent as the same user")],
            ),
            Self::LedByOtherUser { path } => Message::fails(
                "led-by-other-user",
                format!("it trusts {path}, which another user wrote: that user decides where it connects"),
                [Fix::delete(path)],
            ),
            Self::DeadEditor { path, pid } => Message::fails(
                "dead-editor",
                format!(
                    "{path} names process {pid} as its editor, which has ended; the agent deletes the file"
                ),
                [Fix::advice("start the editor, or the companion, again")],
            ),
            Self::MissingWorkspace { path } => Message::fails(
                "missing-workspace",
                format!("{path} names no editor process and several directories; the agent deletes the file"),
                [Fix::advice("update the companion that wrote it")],
            ),
            Self::StaleFileWins { path, running } => Message::fails(
                "stale-file-wins",
                format!(
                    "the companion that wrote {path} is gone, and the file hides the one that runs (port \
                     {running})"
                ),
                [Fix::delete(path)],
            ),
            Self::StaleFile { path } => Message::fails(
                "stale-file",
                format!("the companion that wrote {path} is gone"),
                [vec![Fix::delete(path)], companion::start_one()].concat(),
            ),
            Self::StaleFileBeside { path } => Message::note(
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
