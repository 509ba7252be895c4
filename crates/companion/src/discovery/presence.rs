//! The data by which agents find the companion: its addresses, token, editors and workspace. Editors and
//! workspace change, and all editors may leave and return.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::discovery::{Record, Stdio, WRITER};
use alongside_contract::environment;
use alongside_desk::{Environment, Problem, Status};

use super::publisher::PublishResult;
use super::workspace_path::workspace_path;
use crate::config::Builder;
use crate::endpoint::Endpoint;
use crate::persistence::journal::Journal;
use crate::real_path;

/// The data by which agents find the companion.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    endpoint: Endpoint,
    stdio: Option<Stdio>,
    roots: Vec<PathBuf>,
    /// The roots, with links resolved.
    real_roots: Arc<[PathBuf]>,
    /// The roots that are not directories any more. Desks get the problem once.
    vanished: Vec<PathBuf>,
    /// The id of this process, kept because its query is a system call.
    pid: u32,
    /// The process of the editor that a person used last.
    editor: u32,
    /// The variables that lead agents to the companion. They have the token.
    environment: Environment,
    /// Whether every editor has left, so that no agent is to find the companion.
    is_hidden: bool,
    /// Whether agents get no reviews, by the settings.
    context_only: bool,
    /// The result of the last write of the discovery files.
    published: PublishResult,
}

impl Presence {
    pub(crate) fn new(endpoint: Endpoint, roots: Vec<PathBuf>, builder: &Builder) -> Self {
        let (stdio, editor, context_only) = (builder.stdio.clone(), builder.editor.pid, builder.context_only);
        let pid = std::process::id();
        let mut presence = Self { endpoint, stdio, pid, editor, context_only, ..Self::default() };
        presence.set_roots(roots);
        presence
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    pub(crate) fn real_roots(&self) -> &Arc<[PathBuf]> {
        &self.real_roots
    }

    /// Returns the roots whose files are reviewed for hooks; `None` while no file is reviewed.
    pub(crate) fn reviewed_roots(&self) -> Option<Arc<[PathBuf]>> {
        (!self.context_only && !self.is_hidden).then(|| self.real_roots.clone())
    }

    /// Returns the part of the status that is about the companion itself.
    pub(crate) fn status(&self) -> Status {
        Status {
            port: self.endpoint.port(),
            pid: self.pid,
            roots: self.roots.clone(),
            context_only: self.context_only,
            environment: self.environment.clone(),
            ..Status::default()
        }
    }

    /// Returns the part of the journal that is about the companion itself.
    pub(crate) fn journal(&self) -> Journal {
        let (addresses, token) = (self.endpoint.addresses.clone(), self.endpoint.token.to_string());
        Journal { port: self.endpoint.port(), addresses, token, ..Journal::default() }
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    pub(crate) fn problems(&self) -> &[Problem] {
        &self.published.problems
    }

    /// Whether the files have to be written again from time to time: some could not be written, or another
    /// companion has a name that may get free.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.published.problems.is_empty() || self.published.has_rival
    }

    pub(crate) fn set_roots(&mut self, roots: Vec<PathBuf>) {
        self.real_roots = roots.iter().map(|root| real_path::resolve(root)).collect();
        self.roots = roots;
        self.update_environment();
    }

    /// Sets the editor that the person used last, by its process. Agents find the companion even if it was
    /// hidden.
    pub(crate) fn set_editor(&mut self, pid: u32) {
        self.is_hidden = false;
        self.editor = pid;
        self.update_environment();
    }

    pub(crate) fn hide(&mut self) {
        self.is_hidden = true;
    }

    /// Records the result of a write of the discovery files. Returns the new problems, and all earlier
    /// problems if no problem is left.
    pub(crate) fn mark_published(&mut self, published: PublishResult) -> (Vec<Problem>, Vec<Problem>) {
        let before = std::mem::replace(&mut self.published, published).problems;
        let problems = &self.published.problems;
        let new = problems.iter().filter(|problem| !before.contains(problem)).cloned().collect();
        (new, if problems.is_empty() { before } else { Vec::new() })
    }

    /// Whether an agent has started for the first time since the files were written: its directory exists
    /// now.
    pub(crate) fn has_new_agent(&self) -> bool {
        self.published.awaited.iter().any(|directory| directory.is_dir())
    }

    /// Returns the problems of roots that have vanished since the last check. Their agents stay.
    pub(crate) fn check_roots(&mut self) -> Vec<Problem> {
        let missing: Vec<PathBuf> = self.roots.iter().filter(|root| !root.is_dir()).cloned().collect();
        let before = std::mem::replace(&mut self.vanished, missing);
        self.vanished.iter().filter(|root| !before.contains(root)).map(|root| vanished_root(root)).collect()
    }

    /// Updates the variables for terminals, which depend on the editor and its workspace.
    fn update_environment(&mut self) {
        let record = Record {
            port: self.endpoint.port(),
            // The publisher reports the roots that the path cannot express.
            workspace_path: workspace_path(&self.roots).0,
            auth_token: Some(self.endpoint.token.to_string()),
            ide_info: None,
            ppid: None,
            ide_name: None,
            stdio: self.stdio.clone(),
            writer: Some(WRITER.to_owned()),
        };
        let variables = environment::variables(&record, Some(self.editor));
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value));
        self.environment = Environment(variables.collect());
    }
}

fn vanished_root(root: &Path) -> Problem {
    Problem::new(
        format!("the workspace {} no longer exists", root.display()),
        "Until it is back, agents cannot find this companion from it, and proposals for its files look like \
         new files.",
    )
}
