//! The configuration of a companion: its [`Builder`], workspace and editor, and the errors of a start.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::discovery::Stdio;
use alongside_platform::ports::PortHold;

use crate::persistence::app_dirs::AppDirs;
use crate::rule::{Rule, RulesOf};
use crate::turns::source::TurnSource;

/// The configuration of a companion. Made by [`Companion::builder`](crate::Companion::builder).
#[derive(Debug, Clone)]
pub struct Builder {
    pub(crate) editor: Editor,
    pub(crate) workspace: Workspace,
    pub(crate) aliases: bool,
    pub(crate) git_ignored: bool,
    pub(crate) silent: Option<String>,
    pub(crate) context_only: bool,
    pub(crate) rules: Vec<Rule>,
    pub(crate) settings: Vec<PathBuf>,
    pub(crate) rules_of: Option<RulesOf>,
    pub(crate) allow_tokenless: bool,
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) stdio: Option<Stdio>,
    pub(crate) journal: Option<String>,
    pub(crate) port_hold: Option<PortHold>,
    pub(crate) max_body: usize,
    pub(crate) turns: Option<Arc<dyn TurnSource>>,
    pub(crate) dirs: Option<AppDirs>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            editor: Editor {
                name: "alongside".into(),
                display_name: "alongside".into(),
                pid: std::process::id(),
            },
            workspace: Workspace::default(),
            aliases: true,
            git_ignored: false,
            silent: None,
            context_only: false,
            rules: Vec::new(),
            settings: Vec::new(),
            rules_of: None,
            allow_tokenless: false,
            listen: None,
            stdio: None,
            journal: None,
            port_hold: None,
            max_body: 192 << 20,
            turns: None,
            dirs: None,
        }
    }
}

impl Builder {
    /// The editor as agents show it: a short lower-case identifier and a name for people.
    #[must_use]
    pub fn editor(mut self, name: impl Into<String>, display_name: impl Into<String>) -> Self {
        self.editor.name = name.into();
        self.editor.display_name = display_name.into();
        self
    }

    /// Adds a workspace root. Agents that run at or below it connect. A relative path is resolved at start.
    #[must_use]
    pub fn root(mut self, root: impl AsRef<Path>) -> Self {
        self.workspace.roots.push(root.as_ref().to_owned());
        self
    }

    /// The editor's process, by default this one: of the same user, and alive as long as the companion.
    #[must_use]
    pub fn pid(mut self, pid: u32) -> Self {
        self.editor.pid = pid;
        self
    }

    /// Whether agents find the companion under the PIDs of the editor's ancestors too (on by default): an
    /// agent outside the editor's own terminal takes one of those for the editor.
    #[must_use]
    pub fn aliases(mut self, on: bool) -> Self {
        self.aliases = on;
        self
    }

    /// Files that agents never learn about, as globs like in `.gitignore`, in addition to
    /// [`DEFAULT_EXCLUDES`](crate::DEFAULT_EXCLUDES).
    #[must_use]
    pub fn exclude(mut self, globs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.workspace.excludes.extend(globs.into_iter().map(Into::into));
        self
    }

    /// Whether agents learn about files that git ignores (off by default).
    #[must_use]
    pub fn include_git_ignored(mut self, on: bool) -> Self {
        self.git_ignored = on;
        self
    }

    /// Tells agents nothing about files; a desk's request to do so is refused with the reason `why`.
    #[must_use]
    pub fn never_tell_files(mut self, why: impl Into<String>) -> Self {
        self.silent = Some(why.into());
        self
    }

    /// Whether agents get context and no reviews (off by default): they ask in their own prompts then.
    #[must_use]
    pub fn context_only(mut self, on: bool) -> Self {
        self.context_only = on;
        self
    }

    /// The person's rules: which changes need no decision. The last one that matches counts. `settings`: the
    /// files that hold them, which no rule covers.
    #[must_use]
    pub fn rules(
        mut self,
        rules: impl IntoIterator<Item = Rule>,
        settings: impl IntoIterator<Item = PathBuf>,
    ) -> Self {
        self.rules.extend(rules);
        self.settings.extend(settings);
        self
    }

    /// The rules of projects. All of them ask, whatever the person's rules say.
    #[must_use]
    pub fn project_rules(mut self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.workspace.asks.extend(rules);
        self
    }

    /// Reads the rules of repositories that lie within a root, for each change there (by default they have
    /// none).
    #[must_use]
    pub fn rules_of_nested(mut self, rules_of: RulesOf) -> Self {
        self.rules_of = Some(rules_of);
        self
    }

    /// Agents learn nothing of these roots, and no rule accepts anything in them: their settings are unknown.
    #[must_use]
    pub fn untold(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        self.workspace.untold.extend(roots);
        self
    }

    /// Serves agents that send no token (Gemini CLI up to 0.5, Qwen Code up to 0.0.14). Off by default: with
    /// it, any process on this machine may read the context and propose changes.
    #[must_use]
    pub fn allow_tokenless_agents(mut self, on: bool) -> Self {
        self.allow_tokenless = on;
        self
    }

    /// Listens on one more address, such as a container bridge's; port 0 means the same port.
    #[must_use]
    pub fn also_listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// A command that bridges stdio to this companion, for agents that cannot use the port. In its arguments,
    /// `{agent}` stands for the identifier of the agent that starts it.
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

    /// Keeps a private journal under the caller's own key. After a crash, the next companion with this key
    /// takes over the sessions and rejects their open proposals, so that no agent waits forever. That needs a
    /// [`port_hold`](Self::port_hold); without one, the token is new and agents have to connect again. Off by
    /// default; at most one companion per key may use it.
    #[must_use]
    pub fn journal_as(mut self, key: impl Into<String>) -> Self {
        self.journal = Some(key.into());
        self
    }

    /// A hold on the port since the crashed companion took it. No other user can have heard the token from
    /// agents that came back, so the token stays valid.
    #[must_use]
    pub fn port_hold(mut self, hold: PortHold) -> Self {
        self.port_hold = Some(hold);
        self
    }

    /// The largest request body in bytes (192 MiB by default). A larger one is answered with 413.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Where desks read what changed during turns; without it, they are told that nobody knows.
    #[must_use]
    pub fn turns(mut self, source: Arc<dyn TurnSource>) -> Self {
        self.turns = Some(source);
        self
    }

    /// The directories of discovery files and drafts; by default [`AppDirs::of_this_process`].
    #[must_use]
    pub fn app_dirs(mut self, dirs: AppDirs) -> Self {
        self.dirs = Some(dirs);
        self
    }
}

/// The projects, and the parts of them that agents never learn about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// The directories. Agents that run at or below one connect.
    pub roots: Vec<PathBuf>,
    /// Files that agents never learn about, as globs relative to each root.
    pub excludes: Vec<String>,
    /// Directories of which agents learn nothing at all, and in which no rule accepts anything, because their
    /// settings are not known.
    pub untold: Vec<PathBuf>,
    /// The rules of projects, relative to each root. All of them ask, whatever they say.
    pub asks: Vec<Rule>,
}

/// An editor, as agents find and show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    /// A short lower-case identifier.
    pub name: String,
    /// Its name for people.
    pub display_name: String,
    /// Its process, which must belong to the same user.
    pub pid: u32,
}

/// An exclusion, or a pattern of a rule, that is not a valid glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the pattern `{glob}`: {why}")]
pub struct BadGlob {
    /// The glob.
    pub glob: String,
    /// The reason.
    pub why: String,
}

/// The reason why a companion cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No port is free on an address.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A workspace root cannot be used.
    #[error("cannot use {} as a workspace: {why}", .root.display())]
    Root {
        /// The root as given.
        root: PathBuf,
        /// The reason.
        why: String,
    },
    /// An exclusion or a rule cannot be read.
    #[error(transparent)]
    Exclude(#[from] BadGlob),
    /// The system has no random bytes for a token.
    #[error("the system has no random bytes: {0}")]
    Random(String),
}
