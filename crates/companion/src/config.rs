//! The configuration of a companion: its [`Builder`], workspace and editor, and the errors of a start.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::discovery::Stdio;
use alongside_platform::ports::PortHold;

use crate::persistence::app_dirs::AppDirs;
use crate::rule::{Rule, RulesOf};
use crate::turns::source::TurnSource;

/// The configuration of a companion, begun by [`Companion::builder`](crate::Companion::builder).
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
    /// Sets the editor as agents show it: a short lower-case identifier and a name for people.
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

    /// Sets the editor's process, by default this one: of the same user, and alive as long as the companion.
    #[must_use]
    pub fn pid(mut self, pid: u32) -> Self {
        self.editor.pid = pid;
        self
    }

    /// Sets whether agents find the companion under the PIDs of the editor's ancestors too (on by default):
    /// an agent outside the editor's own terminal takes one of these ancestors for the editor.
    #[must_use]
    pub fn aliases(mut self, on: bool) -> Self {
        self.aliases = on;
        self
    }

    /// Adds files that agents never learn about, as globs like in `.gitignore`, besides
    /// [`DEFAULT_EXCLUDES`](crate::DEFAULT_EXCLUDES).
    #[must_use]
    pub fn exclude(mut self, globs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.workspace.excludes.extend(globs.into_iter().map(Into::into));
        self
    }

    /// Sets whether agents learn about files that git ignores (off by default).
    #[must_use]
    pub fn include_git_ignored(mut self, on: bool) -> Self {
        self.git_ignored = on;
        self
    }

    /// Sends agents no context; a desk's request to send one is refused with the reason `why`.
    #[must_use]
    pub fn never_tell_files(mut self, why: impl Into<String>) -> Self {
        self.silent = Some(why.into());
        self
    }

    /// Sets whether agents get context but no reviews (off by default): agents then ask in their own prompts.
    #[must_use]
    pub fn context_only(mut self, on: bool) -> Self {
        self.context_only = on;
        self
    }

    /// Adds the person's rules, which say what changes need no decision. The last rule that matches counts.
    /// `settings`: the files that hold the rules, which no rule covers.
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

    /// Adds the rules of projects. Each of them asks, whatever the person's rules say.
    #[must_use]
    pub fn project_rules(mut self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.workspace.asks.extend(rules);
        self
    }

    /// Sets the function that reads the rules of a repository within a root, for each change there. By
    /// default such repositories have no rules.
    #[must_use]
    pub fn rules_of_nested(mut self, rules_of: RulesOf) -> Self {
        self.rules_of = Some(rules_of);
        self
    }

    /// Adds roots with unknown settings: agents learn nothing of them, and no rule accepts anything in them.
    #[must_use]
    pub fn untold(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        self.workspace.untold.extend(roots);
        self
    }

    /// Sets whether agents that send no token are served (Gemini CLI up to 0.5, Qwen Code up to 0.0.14). Off
    /// by default: with it, any process on this machine may read the context and propose changes.
    #[must_use]
    pub fn allow_tokenless_agents(mut self, on: bool) -> Self {
        self.allow_tokenless = on;
        self
    }

    /// Listens on one more address, such as that of a container bridge; port 0 means the companion's port.
    #[must_use]
    pub fn also_listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// Sets the command that bridges stdio to this companion, for agents that cannot use the port. In its
    /// arguments, `{agent}` stands for the identifier of the agent that starts the command.
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
    /// takes over the sessions and rejects their open proposals, so that no agent waits forever. The takeover
    /// needs a [`port_hold`](Self::port_hold); without one, the token is new and agents have to connect
    /// again. Off by default; at most one companion per key may use it.
    #[must_use]
    pub fn journal_as(mut self, key: impl Into<String>) -> Self {
        self.journal = Some(key.into());
        self
    }

    /// Sets the hold on the port since the crash of the predecessor. Because of it, no other user can have
    /// received the token from agents that tried to reconnect, so the token stays valid.
    #[must_use]
    pub fn port_hold(mut self, hold: PortHold) -> Self {
        self.port_hold = Some(hold);
        self
    }

    /// Sets the largest request body in bytes (192 MiB by default). A larger one gets status 413.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Sets the source of the changes of turns. Without one, desks get the answer that this companion records
    /// no turns.
    #[must_use]
    pub fn turns(mut self, source: Arc<dyn TurnSource>) -> Self {
        self.turns = Some(source);
        self
    }

    /// Sets the directories of discovery files and drafts; by default [`AppDirs::of_this_process`].
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
    /// Directories of which agents learn nothing at all, and in which no rule accepts anything: their
    /// settings are unknown.
    pub untold: Vec<PathBuf>,
    /// The rules of projects, relative to each root. Each of them asks, whatever ruling it names.
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

/// The error about an exclusion, or a pattern of a rule, that is not a valid glob.
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
