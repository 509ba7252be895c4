//! What can be asked for: the [`Builder`] of a companion, and what it is made of.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use alongside_contract::discovery::Stdio;
use alongside_platform::ports::PortHold;

use crate::persistence::app_dirs::AppDirs;

/// The configuration of a companion. Made by [`Companion::builder`](crate::Companion::builder).
#[derive(Debug, Clone)]
pub struct Builder {
    pub(crate) name: String,
    pub(crate) display_name: String,
    pub(crate) workspace: Workspace,
    pub(crate) pid: u32,
    pub(crate) aliases: bool,
    pub(crate) git_ignored: bool,
    pub(crate) silent: Option<String>,
    pub(crate) allow_tokenless: bool,
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) stdio: Option<Stdio>,
    pub(crate) journal: Option<JournalKey>,
    pub(crate) port_hold: Option<PortHold>,
    pub(crate) max_body: usize,
    pub(crate) dirs: Option<AppDirs>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            name: "alongside".into(),
            display_name: "alongside".into(),
            workspace: Workspace::default(),
            pid: std::process::id(),
            aliases: true,
            git_ignored: false,
            silent: None,
            allow_tokenless: false,
            listen: None,
            stdio: None,
            journal: None,
            port_hold: None,
            max_body: 192 << 20,
            dirs: None,
        }
    }
}

impl Builder {
    /// The editor as agents show it: a short lower-case identifier and a name for people.
    #[must_use]
    pub fn editor(mut self, name: impl Into<String>, display_name: impl Into<String>) -> Self {
        self.name = name.into();
        self.display_name = display_name.into();
        self
    }

    /// Adds a workspace root. An agent connects if it runs at or below one. Relative paths are resolved at
    /// start.
    #[must_use]
    pub fn root(mut self, root: impl AsRef<Path>) -> Self {
        self.workspace.roots.push(root.as_ref().to_owned());
        self
    }

    /// The editor's process, by which agents find it; this process unless said otherwise. It must belong to
    /// the same user and outlive the companion.
    #[must_use]
    pub fn pid(mut self, pid: u32) -> Self {
        self.pid = pid;
        self
    }

    /// Whether to be found under the PIDs of the editor's ancestors too (on by default): agents outside the
    /// editor's own terminal take one of those for the editor.
    #[must_use]
    pub fn aliases(mut self, on: bool) -> Self {
        self.aliases = on;
        self
    }

    /// Files that agents are never told about, as globs in the manner of `.gitignore`, beside
    /// [`DEFAULT_EXCLUDES`](crate::DEFAULT_EXCLUDES).
    #[must_use]
    pub fn exclude(mut self, globs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.workspace.excludes.extend(globs.into_iter().map(Into::into));
        self
    }

    /// Whether agents are told about files that git ignores (they are not, by default).
    #[must_use]
    pub fn include_git_ignored(mut self, on: bool) -> Self {
        self.git_ignored = on;
        self
    }

    /// Tells agents nothing about files, whatever desks report. A desk that asks for it all the same is
    /// refused with `why`, which names what forbids it.
    #[must_use]
    pub fn never_tell_files(mut self, why: impl Into<String>) -> Self {
        self.silent = Some(why.into());
        self
    }

    /// Serves agents that send no token (Gemini CLI up to 0.5, Qwen Code up to 0.0.14). Off by default: with
    /// it, any process on this machine may read the context and propose changes.
    #[must_use]
    pub fn allow_tokenless_agents(mut self, on: bool) -> Self {
        self.allow_tokenless = on;
        self
    }

    /// Listens on one more address, such as that of a container bridge, on the same port if its port is 0.
    /// Off by default.
    #[must_use]
    pub fn also_listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// A command that bridges stdio to this companion, written into the records for agents that cannot use
    /// the port.
    #[must_use]
    pub fn stdio(
        mut self,
        command: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.stdio =
            Some(Stdio { command: command.into(), args: args.into_iter().map(Into::into).collect() });
        self
    }

    /// Keeps a private journal, and comes back after a crash with the same sessions: an agent that waits for
    /// a decision is told that its proposal is rejected, instead of waiting for good. That takes a
    /// [`port_hold`](Self::port_hold); without one, it comes back with a new token, and agents have to
    /// connect again. Off by default; at most one companion per set of roots and editor may use it.
    #[must_use]
    pub fn journal(mut self, on: bool) -> Self {
        self.journal = on.then_some(JournalKey::EditorAndRoots);
        self
    }

    /// The same under a key of the caller's own, for an editor that may
    /// [change](crate::Companion::set_editor) while the companion lives. At most one companion per key may
    /// use it.
    #[must_use]
    pub fn journal_as(mut self, key: impl Into<String>) -> Self {
        self.journal = Some(JournalKey::Own(key.into()));
        self
    }

    /// Somebody has held the port since the companion of the journal took it, and hands the hold on: no other
    /// user can have heard the token from agents that came back, so it stays good.
    #[must_use]
    pub fn port_hold(mut self, hold: PortHold) -> Self {
        self.port_hold = Some(hold);
        self
    }

    /// The largest request body in bytes (192 MiB by default); a larger one is answered with 413.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// The former name of [`app_dirs`](Self::app_dirs), until every user has the new one.
    #[must_use]
    pub fn places(self, dirs: AppDirs) -> Self {
        self.app_dirs(dirs)
    }

    /// Where agents search and where drafts lie; [`AppDirs::of_this_process`] unless said otherwise.
    #[must_use]
    pub fn app_dirs(mut self, dirs: AppDirs) -> Self {
        self.dirs = Some(dirs);
        self
    }
}

/// The projects, and what of them is nobody's business.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// The directories. An agent connects if it runs at or below one.
    pub roots: Vec<PathBuf>,
    /// Files that agents are never told about, as globs relative to each root.
    pub excludes: Vec<String>,
    /// Directories of which agents are told nothing at all: it cannot be known what shall be hidden in them.
    pub untold: Vec<PathBuf>,
}

/// By what a companion that comes after a crash knows that the journal is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JournalKey {
    EditorAndRoots,
    Own(String),
}

/// An editor as agents find it and show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    /// A short lower-case identifier.
    pub name: String,
    /// Its name for people.
    pub display_name: String,
    /// Its process, which must belong to the same user.
    pub pid: u32,
}

/// An exclusion that is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the exclusion `{glob}`: {why}")]
pub struct BadGlob {
    /// The glob.
    pub glob: String,
    /// The reason.
    pub why: String,
}

/// Why a companion could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No port on an address.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// A workspace root cannot be used.
    #[error("cannot use {} as a workspace: {why}", .root.display())]
    Root {
        /// The root as given.
        root: PathBuf,
        /// Why.
        why: String,
    },
    /// An exclusion cannot be read.
    #[error(transparent)]
    Exclude(#[from] BadGlob),
    /// The system gives no random bytes for a token.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}
