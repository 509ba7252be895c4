//! An editor that has an adapter: one row of the [table](crate::editors), with everything in which editors
//! differ for an installation.

use std::path::PathBuf;

use futures_util::future::LocalBoxFuture;

use super::installed::{Installed, InstalledFile};
use super::plan::{AdapterState, EditorProgram, Plan, Remainder};
use super::user_environment::{self, UserEnvironment};

/// An editor with an adapter.
#[derive(Debug)]
pub struct Editor {
    /// Its name on the command line and in the ledger; its commands are names there, too.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Commands that start it.
    pub(crate) commands: &'static [&'static str],
    /// The beginning of other names of its processes.
    pub(crate) process_prefix: Option<&'static str>,
    /// By which variable its terminals are known.
    pub(crate) terminal: TerminalMark,
    /// The oldest release that its adapter works with: major and minor, as the editor writes them.
    pub oldest: &'static str,
    /// How the person makes it load the adapter, as an imperative without a full stop.
    pub restart: &'static str,
    /// Whether it has its adapter; the last argument is its entry in the ledger. Fails when its files cannot
    /// be read.
    pub state: fn(&Self, &UserEnvironment, Option<&Installed>) -> anyhow::Result<AdapterState>,
    /// The changes that install the adapter of this version.
    pub plan: for<'a> fn(Request<'a>) -> LocalBoxFuture<'a, anyhow::Result<Plan>>,
    /// The rest of a file of the adapter, which a person has changed and which holds this.
    pub(crate) remove: fn(&InstalledFile, &str) -> anyhow::Result<Remainder>,
    /// The directory of an installation that is its adapter alone; `None`: it is a part of the person's
    /// files.
    pub package_of: Option<fn(&Installed) -> Option<PathBuf>>,
    /// A program that its adapter needs and this machine lacks, and the command that installs it.
    pub needs: fn(&UserEnvironment) -> Option<(&'static str, &'static str)>,
    /// The directory of the notes that its adapter keeps.
    pub notes: Option<fn(&UserEnvironment) -> PathBuf>,
    /// The directories that the editor itself makes when it is asked what it can do, outermost first. The
    /// empty ones go with the adapter.
    pub made_when_asked: Option<fn(&UserEnvironment) -> Vec<PathBuf>>,
    /// Its directories of extensions, if the adapter is one, which it installs and removes itself.
    pub(crate) extensions: Option<Extensions>,
}

/// The variable by which a terminal of an editor is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalMark {
    /// None: the processes above tell.
    None,
    /// It alone sets this variable.
    Own(&'static str),
    /// Others set the same, and terminals of other editors inherit it.
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
    /// `extensions` in these, below home: those of its windows here, and those of windows of other machines.
    BelowHome(&'static [&'static str]),
    /// This one, below the person's data.
    BelowData(&'static str),
}

/// An installation to plan.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The editor.
    pub editor: &'a Editor,
    /// The person.
    pub user: &'a UserEnvironment,
    /// The editor's program.
    pub program: &'a EditorProgram,
    /// The editor's entry in the ledger.
    pub installed: Option<&'a Installed>,
    /// Languages that the person names.
    pub languages: &'a [String],
}

impl Editor {
    /// Whether a process of that name is this editor.
    pub(crate) fn is_process(&self, name: &str) -> bool {
        self.commands.contains(&name) || self.process_prefix.is_some_and(|prefix| name.starts_with(prefix))
    }

    /// Whether this machine has its program.
    pub fn is_here(&self, user: &UserEnvironment) -> bool {
        user.find(self.commands).is_some()
    }

    /// Its program on this machine, asked for its version.
    pub async fn program(&self, user: &UserEnvironment) -> Option<EditorProgram> {
        let path = user.find(self.commands)?;
        let output = user_environment::output_of(&path, &["--version"]).await;
        Some(EditorProgram { version: output.as_deref().and_then(user_environment::version_in), path })
    }
}
