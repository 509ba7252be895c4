//! The front door: a [`Builder`] that says what the companion is, and the [`Companion`] handle that comes of
//! it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use alongside_contract::discovery::Stdio;
use alongside_desk::{Desk, Problem, Status};
use alongside_platform::ports::PortHold;

use crate::context::privacy::BadGlob;
use crate::journal;
use crate::places::Places;
use crate::session::outbox::Receipts;

/// What a companion shall be. Made by [`Companion::builder`].
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
    pub(crate) places: Option<Places>,
    pub(crate) receipts: Receipts,
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
            places: None,
            receipts: Receipts::default(),
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

    /// The same under a key of the caller's own, for an editor that may [change](Companion::set_editor) while
    /// the companion lives. At most one companion per key may use it.
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

    /// Where agents search and where drafts lie; [`Places::of_this_process`] unless said otherwise.
    #[must_use]
    pub fn places(mut self, places: Places) -> Self {
        self.places = Some(places);
        self
    }

    /// Starts serving and writes the discovery files. Needs a Tokio runtime with I/O and time.
    ///
    /// # Errors
    /// When no companion can run at all. What merely keeps some agents from finding it is a
    /// [`Problem`](alongside_desk::Problem), told to every desk.
    pub async fn start(self) -> Result<Companion, StartError> {
        crate::hub::start(self).await
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

/// A running companion. Dropping it stops it without ceremony; [`stop`](Self::stop) does it properly.
#[derive(Debug)]
pub struct Companion {
    pub(crate) hub: crate::hub::Hub,
}

impl Companion {
    /// Says what a companion shall be.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Whether a companion lives that keeps the journal of [this key](Builder::journal_as).
    pub fn keeps_journal(places: &Places, key: &str) -> bool {
        journal::is_kept(places, &journal::own_name(key))
    }

    /// Whether there is a journal of this key: its companion lives, or was interrupted.
    pub fn has_journal(places: &Places, key: &str) -> bool {
        journal::was_left(places, &journal::own_name(key))
    }

    /// The port on 127.0.0.1 and [::1].
    pub fn port(&self) -> u16 {
        self.hub.port
    }

    /// Every address it listens on: the port on both loopbacks, and [one more](Builder::also_listen). For
    /// whoever [holds](PortHold) them across a crash.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.hub.addresses
    }

    /// The bearer token that agents must send. Never log it.
    pub fn token(&self) -> &str {
        &self.hub.token
    }

    /// How it is just now: what desks are told, but for the variables.
    pub async fn status(&self) -> Status {
        self.hub.status().await
    }

    /// Joins as a desk: [`Desk::next`] is the stream of everything that happens, starting with the status and
    /// the reviews that wait.
    pub fn join(&self) -> Desk {
        self.hub.join(false)
    }

    /// Joins as somebody who watches and reports but shows no reviews to a person: not counted among the
    /// desks, and never asked for unsent edits.
    pub fn observe(&self) -> Desk {
        self.hub.join(true)
    }

    /// Replaces the workspace roots and rewrites the discovery files. Connected agents stay, and so do the
    /// exclusions.
    ///
    /// # Errors
    /// When a root cannot be used; nothing has changed then.
    pub async fn set_roots(&self, roots: Vec<PathBuf>) -> Result<Vec<Problem>, StartError> {
        self.hub.set_workspace(|workspace| Workspace { roots, ..workspace }).await
    }

    /// Replaces the workspace: its roots and what is never told of them, both at once.
    ///
    /// # Errors
    /// As [`set_roots`](Self::set_roots), and when an exclusion cannot be read.
    pub async fn set_workspace(&self, workspace: Workspace) -> Result<Vec<Problem>, StartError> {
        self.hub.set_workspace(|_| workspace).await
    }

    /// Is found as another editor's from now on: the discovery files are rewritten, and written again if they
    /// were [hidden](Self::hide). Connected agents stay. Returns what keeps which agents from finding it.
    pub async fn set_editor(&self, editor: Editor) -> Vec<Problem> {
        self.hub.set_editor(editor).await
    }

    /// The editor is gone and may come back: everything that waits is rejected, edits go to drafts, agents
    /// are told of no files, and the discovery files are removed; but port, sessions and streams stay. What
    /// is proposed from now on waits. [`set_editor`](Self::set_editor) ends it.
    pub async fn hide(&self) {
        self.hub.hide().await;
    }

    /// Ends at once for a successor that has the same [journal](Builder::journal): nothing is decided,
    /// streams are cut, and the files stay. The port is free when it returns.
    pub async fn hand_over(self) {
        self.hub.hand_over().await;
    }

    /// The editor got the focus: where several companions could be meant, agents find this one first.
    pub fn focus(&self) {
        self.hub.focus();
    }

    /// Stops: rejects the reviews that wait, ends every stream, removes the discovery files, in this order.
    /// Takes about a second at most, also while agents do not read.
    pub async fn stop(self) {
        self.hub.stop().await;
    }
}
