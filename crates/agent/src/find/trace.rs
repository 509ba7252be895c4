//! The steps of a discovery: the files an agent looked at, what it dials, and why it gives up.

use std::fmt;
use std::path::PathBuf;

use alongside_contract::agent::FamilyAgent;
use alongside_contract::behaviour::Release;
use alongside_contract::discovery::Record;
use alongside_platform::process::Process;

use super::search_result::{Reason, Why};

/// All that happened.
#[derive(Debug)]
pub struct Trace {
    /// Whose discovery this is.
    pub agent: FamilyAgent,
    /// Of which release; `None` stands for the newest.
    pub release: Option<Release>,
    /// The agent's process and those above it, as far as it looks.
    pub ancestors: Vec<(u32, Process)>,
    /// The process it takes for the editor.
    pub editor: Option<u32>,
    /// The files it looked at, in its order. Those after the one that was taken are what it would take
    /// without it.
    pub files: Vec<Seen>,
    /// Which of them it goes by.
    pub taken: Option<usize>,
    /// Why it does not dial.
    pub end: Option<End>,
    /// The addresses it dials, in its order, until one answers.
    pub attempts: Vec<Attempt>,
    /// The whole in words.
    pub steps: Vec<Step>,
}

/// Why an agent gives up before it dials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The release has no IDE mode.
    NoIdeMode,
    /// No file fits and no variable says enough.
    NothingFound,
    /// Neither a file nor the terminal names an editor that it supports.
    UnknownEditor,
    /// The editor has no folder open.
    NoFolder {
        /// The file that says so; none if a variable does.
        path: Option<PathBuf>,
    },
    /// Its file or variable names another directory.
    OtherWorkspace {
        /// The directories it names.
        workspace: String,
        /// The file that says so; none if a variable does.
        path: Option<PathBuf>,
    },
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The file, variable or process.
    pub what: String,
    /// The result.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It helps the agent on its way.
    Good,
    /// It is of no use, and the agent goes on.
    PassedOver,
    /// The agent stops here.
    Fails,
}

impl Step {
    pub(super) fn new(what: impl Into<String>, verdict: Verdict, why: impl Into<String>) -> Self {
        Self { what: what.into(), verdict, why: why.into() }
    }
}

impl Trace {
    /// The record that the agent goes by.
    pub fn record(&self) -> Option<&Record> {
        self.seen()?.record.as_ref()
    }

    /// The file that the agent goes by.
    pub fn seen(&self) -> Option<&Seen> {
        self.files.get(self.taken?)
    }
}

/// A file that was looked at.
#[derive(Debug)]
pub struct Seen {
    /// The file, or the directory that could not be listed.
    pub path: PathBuf,
    /// The reason why it was found.
    pub why: Why,
    /// Its record, if it holds one.
    pub record: Option<Record>,
    /// Whether it is this user's.
    pub is_ours: bool,
    /// Why the agent does not go by it; `None` if it does, or would if it were the first.
    pub passed_over: Option<Reason>,
}

impl Seen {
    pub(super) fn port(&self) -> Option<u16> {
        self.record.as_ref().map(|record| record.port)
    }
}

/// One try of an agent to reach a companion.
#[derive(Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Where.
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
        /// On which host.
        host: &'static str,
        /// The port.
        port: u16,
        /// The variable that sends it through a proxy, which will not find it.
        proxy: Option<&'static str>,
    },
    /// A server that the agent starts itself.
    Stdio {
        /// The program.
        command: String,
    },
}

/// Where an agent has a port or a program from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedBy {
    /// The file it goes by.
    File(PathBuf),
    /// Another file that fits.
    OtherFile(PathBuf),
    /// The variables.
    Variables,
}

impl Attempt {
    /// The token that is sent along. Not to be shown.
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
                Step::new(format!("{host}:{port}"), Verdict::Good, format!("dialled {token}, {from}"))
            }
            To::Http { host, port, proxy: Some(variable) } => Step::new(
                format!("{host}:{port}"),
                Verdict::Fails,
                format!("{variable} sends it through a proxy, and NO_PROXY makes no exception"),
            ),
            To::Stdio { command } => {
                Step::new(format!("`{command}`"), Verdict::Good, format!("started as a server, {from}"))
            }
        }
    }
}

/// Without the token.
impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("to", &self.to)
            .field("named_by", &self.named_by)
            .finish_non_exhaustive()
    }
}
