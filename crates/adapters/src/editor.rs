//! An editor that has an adapter: a row of the [table](crate::editors) with everything in which an
//! installation differs between editors.

use std::path::PathBuf;

use futures_util::future::LocalBoxFuture;

use super::installation::{Installation, InstalledFile};
use super::plan::{AdapterState, EditorProgram, Plan, Remainder};
use super::user_environment::{self, UserEnvironment};

/// An editor with an adapter.
#[derive(Debug)]
pub struct Editor {
    /// The editor's name on the command line and in the ledger. On the command line its commands are names,
    /// too.
    pub id: &'static str,
    /// The editor's name for people.
    pub name: &'static str,
    /// The commands that start the editor.
    pub(crate) commands: &'static [&'static str],
    /// The beginning of the names of other processes of the editor.
    pub(crate) process_prefix: Option<&'static str>,
    /// The variable by which the editor's terminals are known.
    pub(crate) terminal: TerminalVariable,
    /// The oldest release that the adapter works with: major and minor number as the editor writes them.
    pub oldest: &'static str,
    /// The step by which the person makes the editor load the adapter: an imperative without a full stop.
    pub restart: &'static str,
    /// Returns whether the editor has its adapter; the last argument is the editor's entry in the ledger.
    /// Fails when the editor's files cannot be read.
    pub state: fn(&Self, &UserEnvironment, Option<&Installation>) -> anyhow::Result<AdapterState>,
    /// Returns the changes that install the adapter of this version.
    pub plan: for<'a> fn(Request<'a>) -> LocalBoxFuture<'a, anyhow::Result<Plan>>,
    /// Returns the rest of a file of the adapter that a person has changed. The last argument is the file's
    /// text now.
    pub(crate) remove: fn(&InstalledFile, &str) -> anyhow::Result<Remainder>,
    /// Returns the directory of an installation that holds nothing but the adapter. `None` if the adapter is
    /// a part of the person's files.
    pub package_of: Option<fn(&Installation) -> Option<PathBuf>>,
    /// Returns a program that the adapter needs and this machine lacks, and the command that installs it.
    pub missing_program: fn(&UserEnvironment) -> Option<(&'static str, &'static str)>,
    /// Returns the directory in which the adapter keeps its own files between two runs of the editor.
    pub own_directory: Option<fn(&UserEnvironment) -> PathBuf>,
    /// Returns the directories, outermost first, that the editor creates when our installation runs it for
    /// its version or its language servers. An uninstallation removes the empty ones.
    pub directories_made_by_queries: Option<fn(&UserEnvironment) -> Vec<PathBuf>>,
    /// The editor's directories of extensions, if the adapter is an extension. The editor installs and
    /// removes it.
    pub(crate) extensions: Option<Extensions>,
}

/// The variable by which a terminal of an editor is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalVariable {
    /// The editor sets none: only the processes above ours show the editor.
    None,
    /// A variable that only this editor sets.
    Own(&'static str),
    /// A variable that several editors set to the same value, and that terminals of other editors inherit.
    Shared {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: &'static str,
    },
}

/// The directories of an editor's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extensions {
    /// `extensions` in these directories below home: those for windows on this machine, and the one for
    /// windows on other machines that edit files of this one.
    BelowHome(&'static [&'static str]),
    /// This directory below the person's data directory.
    BelowData(&'static str),
}

/// An installation to plan.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The editor.
    pub editor: &'a Editor,
    /// The person's environment.
    pub user: &'a UserEnvironment,
    /// The editor's program.
    pub program: &'a EditorProgram,
    /// The editor's entry in the ledger.
    pub installed: Option<&'a Installation>,
    /// The languages that the person names on the command line.
    pub languages: &'a [String],
}

impl Editor {
    /// Whether a process of the name `name` is this editor.
    pub(crate) fn is_process(&self, name: &str) -> bool {
        self.commands.contains(&name) || self.process_prefix.is_some_and(|prefix| name.starts_with(prefix))
    }

    /// Whether this machine has the editor's program.
    pub fn has_program(&self, user: &UserEnvironment) -> bool {
        user.find(self.commands).is_some()
    }

    /// Returns the editor's program on this machine. Runs the program for its version.
    pub async fn program(&self, user: &UserEnvironment) -> Option<EditorProgram> {
        let path = user.find(self.commands)?;
        let output = user_environment::output_of(&path, &["--version"]).await;
        Some(EditorProgram { version: output.as_deref().and_then(user_environment::version_in), path })
    }
}
