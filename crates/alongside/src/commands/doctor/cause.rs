//! Everything that can be wrong. What each is called, how it is said and what helps is in `words`.

use std::path::PathBuf;

/// How bad a cause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// The agent does not connect.
    Fails,
    /// It connects, and yet no diff will be seen, or not by the agent that runs.
    Hinders,
    /// Nothing is wrong yet.
    Note,
}

/// Why an agent does not find a companion, or not the right one. In the order in which an agent would meet
/// them, which is also the order in which they are said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// The release has no IDE mode.
    OldAgent { needs: String },
    /// IDE mode is not switched on.
    IdeModeOff { by: Option<String> },
    /// A settings file that the agent cannot read.
    BrokenSettings { path: PathBuf, why: String },
    /// The release believes only terminals of VS Code.
    NeedsTerminal { needs: String },
    /// The record does not introduce its editor.
    NoEditorName { path: PathBuf },
    /// Variables alone, which do not introduce the editor.
    VariablesAlone { names: String },
    /// A file that counts whatever is in it.
    OverridingFile { path: PathBuf },
    /// The editor has no folder open.
    NoFolder { name: String },
    /// A root with the character that separates roots.
    Delimiter { root: PathBuf },
    /// A root that differs in case only.
    CaseDiffers { root: PathBuf },
    /// Variables that lead to another project.
    VariablesElsewhere { names: String, workspace: String },
    /// Variables that lead to a companion that is gone.
    StaleVariables { names: String, port: u16 },
    /// A file that the agent cannot read.
    UnreadableFile { path: PathBuf, why: String },
    /// A file that is no record.
    MalformedFile { path: PathBuf, why: String },
    /// A file of another user, which the agent passes over.
    OtherUser { path: PathBuf },
    /// A file of another user, by which the agent goes.
    LedByOtherUser { path: PathBuf },
    /// A lock whose editor is gone.
    DeadEditor { path: PathBuf, pid: u32 },
    /// A lock without an editor whose workspace is not there.
    MissingWorkspace { path: PathBuf },
    /// A companion that is there, but under another process than the release looks for.
    OtherProcess { name: String, port: u16, reads_any: Option<String> },
    /// A companion whose files lie in another temporary directory.
    OtherTmpdir { name: String, theirs: PathBuf, ours: PathBuf },
    /// A companion whose lock lies in another home.
    OtherHome { name: String, theirs: PathBuf, ours: PathBuf },
    /// A companion whose lock lies in another QWEN_HOME.
    OtherBase { name: String, variable: &'static str, theirs: Option<PathBuf>, ours: Option<PathBuf> },
    /// A host of ours whose files are gone.
    FilesGone { host: String, pid: u32 },
    /// A host of ours that waits for its editor.
    Waiting { editor: String },
    /// Companions, but none for this directory.
    Elsewhere { roots: Vec<String> },
    /// A file of a companion that is gone hides one that is there.
    StaleFileWins { path: PathBuf, living: u16 },
    /// A file of a companion that is gone.
    StaleFile { path: PathBuf },
    /// The editor is there and the companion in it is not.
    PortClosed { path: PathBuf, port: u16, pid: u32 },
    /// The agent dials out of its container; whether it then starts what carries it to the companion.
    ContainerHost { host: &'static str, port: u16, minds_variables: bool, is_carried: bool },
    /// The agent dials through a proxy.
    Proxy { variable: &'static str, host: &'static str },
    /// The release sends no token.
    SendsNoToken { needs: String },
    /// The record has no token, and the companion wants one.
    NoToken { path: Option<PathBuf> },
    /// The companion wants another token.
    WrongToken { path: Option<PathBuf> },
    /// It does not answer in time.
    Hangs { port: u16 },
    /// Somebody listens there who is not the companion, or not this user's.
    Stranger { port: u16, path: Option<PathBuf> },
    /// Something else listens there.
    NotACompanion { port: u16, said: String },
    /// Nothing at all.
    NoCompanion,
    /// It offers no diffs.
    NoDiffs { name: String },
    /// The mode in which the agent edits without asking; the setting that has it ask, and where that is to
    /// stand.
    ApprovalMode { mode: String, by: Option<String>, setting: String, file: PathBuf },
    /// The folder is not trusted.
    UntrustedFolder { by: Option<String> },
    /// Agents that were started before the companion.
    StartedEarlier { pids: Vec<u32> },
    /// A release newer than those that were read.
    UnknownRelease { release: String, known: String },
    /// The folder is neither trusted nor not.
    UndecidedFolder,
    /// More than one companion serves this directory.
    Several { taken: String, others: Vec<String> },
    /// A stale file that an agent gets over.
    StaleFileBeside { path: PathBuf },
    /// Variables that lead to a companion that is gone, which an agent gets over.
    StaleVariablesBeside { names: String, port: u16 },
    /// The agent starts a companion of its own where it finds none.
    StdioInstead { command: String },
    /// An agent that is installed where no shell finds it.
    AgentNotInPath { program: PathBuf },
    /// An adapter that another version of this program installed.
    OldAdapter { editor: &'static str, id: &'static str, by: String },
    /// A host of another version of this program.
    OldHost { name: String, version: String },
    /// This program is not what a shell finds, or no shell finds it.
    NotInPath { program: PathBuf },
    /// Several versions of this program.
    TwoVersions { programs: Vec<(PathBuf, String)> },
    /// Files of ours whose companion is gone.
    StaleFilesOfOurs { count: usize },
}

/// What is wrong, how bad it is, and what to do: the lines of a cure are commands that can be pasted, or
/// sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) id: &'static str,
    pub(super) weight: Weight,
    pub(super) what: String,
    pub(super) cure: Vec<Cure>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cure {
    /// In words.
    Do(String),
    /// A command, with what it is for.
    Run(String),
}

impl Cure {
    /// As it is shown.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Do(text) | Self::Run(text) => text,
        }
    }
}

/// Of which agent a cause is said.
#[derive(Debug, Clone)]
pub(super) struct Of {
    /// Its name.
    pub(super) name: &'static str,
    /// Its command.
    pub(super) command: String,
    /// The package that brings it.
    pub(super) package: Option<&'static str>,
}
