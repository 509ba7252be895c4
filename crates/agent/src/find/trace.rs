//! The trace of a discovery: the files that an agent examined, the addresses that it dials, and the reason if
//! it gives up.

use std::fmt;
use std::path::PathBuf;

use alongside_contract::agent::FamilyAgent;
use alongside_contract::behaviour::Release;
use alongside_contract::discovery::Record;
use alongside_platform::process::Process;

use super::search_result::{SkipReason, Why};

/// The trace of a discovery.
#[derive(Debug)]
pub struct Trace {
    /// The agent.
    pub agent: FamilyAgent,
    /// The agent's release. `None` stands for the newest.
    pub release: Option<Release>,
    /// The agent's process and its ancestors, as far as the agent looks.
    pub ancestors: Vec<(u32, Process)>,
    /// The PID that the agent takes for the editor.
    pub editor: Option<u32>,
    /// The files that the agent examined, in its order. The usable files after the taken file are those that
    /// it would use without that file.
    pub files: Vec<ExaminedFile>,
    /// The index in `files` of the file that the agent uses.
    pub taken: Option<usize>,
    /// The reason why the agent does not dial, if it does not.
    pub end: Option<End>,
    /// The addresses that the agent dials, in its order, until one answers.
    pub attempts: Vec<Attempt>,
    /// The steps, as text.
    pub steps: Vec<Step>,
}

/// The reason why an agent gives up before it dials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The release has no IDE mode.
    NoIdeMode,
    /// No file fits, and the variables do not suffice.
    NothingFound,
    /// Neither a file nor the terminal identifies an editor that the agent supports.
    UnknownEditor,
    /// The editor has no folder open.
    NoFolder {
        /// The file with the empty workspace. `None` if it comes from a variable.
        path: Option<PathBuf>,
    },
    /// The file or the variable is for another directory.
    OtherWorkspace {
        /// The directories in it.
        workspace: String,
        /// The file. `None` if the directories come from a variable.
        path: Option<PathBuf>,
    },
}

/// A step of the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The file, variable or process.
    pub what: String,
    /// The result.
    pub result: StepResult,
    /// The reason for the result.
    pub why: String,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    /// The step succeeded.
    Good,
    /// The step found nothing to use, and the agent continues.
    PassedOver,
    /// The agent stops here.
    Fails,
}

impl Step {
    pub(super) fn new(what: impl Into<String>, result: StepResult, why: impl Into<String>) -> Self {
        Self { what: what.into(), result, why: why.into() }
    }
}

impl Trace {
    /// Returns the record that the agent uses.
    pub fn record(&self) -> Option<&Record> {
        self.seen()?.record.as_ref()
    }

    /// Returns the file that the agent uses.
    pub fn seen(&self) -> Option<&ExaminedFile> {
        self.files.get(self.taken?)
    }
}

/// A file that the agent examined.
#[derive(Debug)]
pub struct ExaminedFile {
    /// The file, or the directory that could not be listed.
    pub path: PathBuf,
    /// The reason why it was examined.
    pub why: Why,
    /// The record in the file, if it holds one.
    pub record: Option<Record>,
    /// Whether the file belongs to this user.
    pub is_ours: bool,
    /// The reason why the agent does not use it. `None` if the agent uses it, or would if it were the first.
    pub passed_over: Option<SkipReason>,
}

impl ExaminedFile {
    pub(super) fn port(&self) -> Option<u16> {
        self.record.as_ref().map(|record| record.port)
    }
}

/// An attempt of an agent to reach a companion.
#[derive(Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The target.
    pub to: To,
    /// The source of the port or the program.
    pub named_by: NamedBy,
    pub(super) token: Option<String>,
}

/// The target of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum To {
    /// A port.
    Http {
        /// The host.
        host: &'static str,
        /// The port.
        port: u16,
        /// The variable that sends the request through a proxy, which cannot reach the companion.
        proxy: Option<&'static str>,
    },
    /// A server that the agent starts itself.
    Stdio {
        /// The program.
        command: String,
    },
}

/// The source of a port or a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedBy {
    /// The file that the agent uses.
    File(PathBuf),
    /// Another file that fits.
    OtherFile(PathBuf),
    /// Variables.
    Variables,
}

impl Attempt {
    /// Returns the token that the agent sends. It must not be shown.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub(super) fn step(&self) -> Step {
        let from = match &self.named_by {
            NamedBy::File(_) => "named by the file",
            NamedBy::OtherFile(_) => "named by another file that fits",
            NamedBy::Variables => "named by a variable",
        };
        let token = if self.token.is_some() { "with a token" } else { "without a token" };
        match &self.to {
            To::Http { host, port, proxy: None } => {
                Step::new(format!("{host}:{port}"), StepResult::Good, format!("dialled {token}, {from}"))
            }
            To::Http { host, port, proxy: Some(variable) } => Step::new(
                format!("{host}:{port}"),
                StepResult::Fails,
                format!("{variable} sends it through a proxy, and NO_PROXY makes no exception"),
            ),
            To::Stdio { command } => {
                Step::new(format!("`{command}`"), StepResult::Good, format!("started as a server, {from}"))
            }
        }
    }
}

/// Formats an attempt without the token.
impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("to", &self.to)
            .field("named_by", &self.named_by)
            .finish_non_exhaustive()
    }
}
