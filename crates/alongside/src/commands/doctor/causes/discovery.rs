//! Causes in discovery files and in the variables that lead agents to a companion.

use std::path::PathBuf;

use alongside_contract::agent::Agent;
use alongside_desk::harmless;

use super::companion;
use crate::commands::doctor::message::{Fix, Message, quoted_path};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum DiscoveryCause {
    /// The file does not name its editor.
    NoEditorName { path: PathBuf },
    /// Variables lead to a companion, but they do not name the editor.
    VariablesAlone { names: String },
    /// A file that the agent prefers to all others leads to no companion.
    OverridingFile { path: PathBuf },
    /// A root holds the character that separates roots.
    Delimiter { root: PathBuf },
    /// A root differs from the current directory in case only.
    CaseDiffers { root: PathBuf },
    /// Variables lead to a companion of another project.
    VariablesElsewhere { names: String, workspace: String },
    /// Variables lead to a companion that is gone.
    StaleVariables { names: String, port: u16 },
    /// Variables lead to a companion that is gone, and the agent connects all the same.
    StaleVariablesBeside { names: String, port: u16 },
    /// The agent cannot read the file.
    UnreadableFile { path: PathBuf, error: String },
    /// The file is not a discovery record.
    MalformedFile { path: PathBuf, error: String },
    /// The file is another user's, and the agent ignores it.
    OtherUser { path: PathBuf },
    /// The file is another user's, and the agent trusts it.
    LedByOtherUser { path: PathBuf },
    /// A lock names an editor process that has ended.
    DeadEditor { path: PathBuf, pid: u32 },
    /// A lock names no editor process, and its workspace does not exist.
    MissingWorkspace { path: PathBuf },
    /// A file of a companion that is gone hides one that runs on port `running`.
    StaleFileWins { path: PathBuf, running: u16 },
    /// The companion that wrote the file is gone.
    StaleFile { path: PathBuf },
    /// The companion that wrote the file is gone, and the agent connects all the same.
    StaleFileBeside { path: PathBuf },
}

impl DiscoveryCause {
    pub(super) fn message(&self, agent: &Agent) -> Message {
        let path = harmless::path;
        match self {
            Self::NoEditorName { path: file } => Message::fails(
                "no-editor-name",
                format!("{} does not name its editor (ideInfo), so the agent ignores it", path(file)),
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
            Self::OverridingFile { path: file } => Message::fails(
                "overriding-file",
                format!("the agent prefers {} to every other file, and it leads nowhere", path(file)),
                [Fix::delete(file)],
            ),
            Self::Delimiter { root } => Message::fails(
                "delimiter-in-path",
                format!(
                    "{} holds the character that separates directories in discovery files; no agent can read \
                     it",
                    path(root)
                ),
                [Fix::advice(
                    "rename the directory, or start editor and agent in a link to it without that character",
                )],
            ),
            Self::CaseDiffers { root } => Message::fails(
                "case-differs",
                format!(
                    "the companion serves {}, which differs from this directory in upper and lower case only",
                    path(root)
                ),
                [Fix::Command(format!("cd {}", quoted_path(root)))],
            ),
            Self::VariablesElsewhere { names, workspace } => Message::fails(
                "variables-elsewhere",
                format!("{names} in this terminal lead to a companion of {}", harmless::name(workspace)),
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
                     the \
                     same"
                ),
                [unset(names)],
            ),
            Self::UnreadableFile { path: file, error } => Message::fails(
                "unreadable-file",
                format!("{} ends its search: {error}", path(file)),
                [Fix::Command(format!("rm -r {}", quoted_path(file)))],
            ),
            Self::MalformedFile { path: file, error } => Message::fails(
                "malformed-file",
                format!("{} is the only file for this place, and {error}", path(file)),
                [Fix::delete(file), Fix::advice("then restart the companion that wrote it")],
            ),
            Self::OtherUser { path: file } => Message::fails(
                "other-user",
                format!("{} belongs to another user, so the agent ignores it", path(file)),
                [Fix::advice("start the editor and the agent as the same user")],
            ),
            Self::LedByOtherUser { path: file } => Message::fails(
                "led-by-other-user",
                format!(
                    "it trusts {}, which another user wrote: that user decides where it connects",
                    path(file)
                ),
                [Fix::delete(file)],
            ),
            Self::DeadEditor { path: file, pid } => Message::fails(
                "dead-editor",
                format!(
                    "{} names process {pid} as its editor, which has ended; the agent deletes the file",
                    path(file)
                ),
                [Fix::advice("start the editor, or the companion, again")],
            ),
            Self::MissingWorkspace { path: file } => Message::fails(
                "missing-workspace",
                format!(
                    "{} names no editor process and several directories; the agent deletes the file",
                    path(file)
                ),
                [Fix::advice("update the companion that wrote it")],
            ),
            Self::StaleFileWins { path: file, running } => Message::fails(
                "stale-file-wins",
                format!(
                    "the companion that wrote {} is gone, and the file hides the one that runs (port \
                     {running})",
                    path(file)
                ),
                [Fix::delete(file)],
            ),
            Self::StaleFile { path: file } => Message::fails(
                "stale-file",
                format!("the companion that wrote {} is gone", path(file)),
                [vec![Fix::delete(file)], companion::start_one()].concat(),
            ),
            Self::StaleFileBeside { path: file } => Message::note(
                "stale-file-beside",
                format!("the companion that wrote {} is gone; the agent tries it first, in vain", path(file)),
                [Fix::delete(file)],
            ),
        }
    }
}

fn unset(names: &str) -> Fix {
    Fix::Command(format!("unset {names}"))
}
