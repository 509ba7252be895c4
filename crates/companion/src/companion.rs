//! The handle of a running companion, for the program that embeds it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alongside_desk::{self as desk, Call, Desk, Environment, HookProposal, Problem, Status, Verdict};
use tokio::sync::oneshot;

use crate::config::{Builder, Editor, StartError, Workspace};
use crate::context::privacy::Privacy;
use crate::desks::profile::DeskProfile;
use crate::endpoint::Endpoint;
use crate::events::{Event, Events};
use crate::hook_calls::HookCalls;
use crate::ids::DeskId;
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::{journal, recovery_store};
use crate::rule::Rule;
use crate::rules::evaluation::Rules;
use crate::workspace_roots;

/// A running companion. Dropping the handle stops the companion without an outcome for waiting agents;
/// [`stop`](Self::stop) sends the outcomes first.
pub struct Companion {
    pub(crate) endpoint: Endpoint,
    pub(crate) events: Events,
    /// The number of the newest desk.
    pub(crate) desks: AtomicU64,
    /// Whether agents learn about files that git ignores.
    pub(crate) git_ignored: bool,
    /// The person's rules, and the files that hold them.
    pub(crate) rules: (Vec<Rule>, Vec<PathBuf>),
    pub(crate) dirs: AppDirs,
    pub(crate) hook_calls: Arc<HookCalls>,
}

impl Companion {
    /// Begins the configuration of a companion.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Whether a live companion keeps the journal of [this key](Builder::journal_as).
    pub fn keeps_journal(dirs: &AppDirs, key: &str) -> bool {
        recovery_store::is_kept(dirs, &journal::name(key))
    }

    /// Whether there is a journal of this key: its companion lives, or was interrupted.
    pub fn has_journal(dirs: &AppDirs, key: &str) -> bool {
        recovery_store::was_left(dirs, &journal::name(key))
    }

    /// Returns the port on 127.0.0.1 and [::1].
    pub fn port(&self) -> u16 {
        self.endpoint.port()
    }

    /// Returns the listening addresses: the port on both loopback addresses, and [one
    /// more](Builder::also_listen). A program that [holds](crate::PortHold) the port across a crash needs all
    /// of them.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.endpoint.addresses
    }

    /// Returns the bearer token that agents must send. Never log it.
    pub fn token(&self) -> &str {
        &self.endpoint.token
    }

    /// Returns the status that desks get, without the variables.
    pub async fn status(&self) -> Status {
        let status = self.events.ask(Event::StatusWanted).await.unwrap_or_default();
        Status { environment: Environment::default(), ..status }
    }

    /// Joins as a desk: [`Desk::next`] gives the status, the reviews that wait, and all that follows.
    pub fn join(&self) -> Desk {
        self.join_as(DeskProfile::default()).1
    }

    /// Joins as an observer: it shows no reviews, does not count as a desk, and has no unsent edits.
    pub fn observe(&self) -> Desk {
        self.join_as(DeskProfile { observes: true, ..DeskProfile::default() }).1
    }

    /// Joins as this desk.
    pub fn join_as(&self, profile: DeskProfile) -> (DeskId, Desk) {
        let (desk, mut seat) = desk::pair();
        let id = DeskId(self.desks.fetch_add(1, Ordering::Relaxed));
        let events = self.events.clone();
        events.send(Event::DeskJoined { desk: id, profile, events: seat.events });
        tokio::spawn(async move {
            while let Some(Call { request, answer }) = seat.calls.recv().await {
                events.send(Event::DeskAsked { desk: id, request, answer });
            }
            events.send(Event::DeskLeft(id));
        });
        (id, desk)
    }

    /// Opens a review of a proposal by an agent's hook, and waits for the verdict. The review ends if the
    /// returned future is dropped. Callers are not authenticated: let no program of another user call this
    /// function.
    pub fn review(&self, proposal: HookProposal) -> impl Future<Output = Verdict> + Send + use<> {
        let calls = self.hook_calls.clone();
        async move { calls.review(proposal).await }
    }

    /// Reports that a snapshot of the working tree of this directory was taken. If the directory is in a
    /// root, desks get what has changed there. Returns at once.
    pub fn snapshot_taken(&self, directory: PathBuf) {
        self.events.send(Event::SnapshotTaken(directory));
    }

    /// Ends reported problems. Desks get the harmless text `news`. A desk that joins later gets none of these
    /// problems.
    pub fn end_problems(&self, over: Vec<Problem>, news: String) {
        self.events.send(Event::ProblemsOver(over, news));
    }

    /// Sets the names, for people, of the parties that keep the companion and its reviews when this desk
    /// leaves.
    pub fn set_kept_by(&self, desk: DeskId, kept_by: Vec<String>) {
        self.events.send(Event::KeepersChanged { desk, kept_by });
    }

    /// Replaces the workspace: its roots, the files that agents never learn about, and the rules of projects.
    /// Rewrites the discovery files. Connected agents stay. Returns the reasons why some agents cannot find
    /// the companion.
    ///
    /// # Errors
    /// When a root cannot be used, or an exclusion or a rule cannot be read; then nothing has changed.
    pub async fn set_workspace(&self, workspace: Workspace) -> Result<Vec<Problem>, StartError> {
        let roots = workspace_roots::usable_roots(&workspace.roots)?;
        let workspace = Workspace { roots: roots.clone(), ..workspace };
        let privacy = Box::new(Privacy::new(&workspace, self.git_ignored, &self.dirs)?);
        let (own, settings) = &self.rules;
        let rules = Box::new(Rules::new(own, &workspace, settings)?);
        let change = |answer| Event::WorkspaceChanged { roots, privacy, rules, answer };
        // After the end of the loop there is no workspace to change.
        let problems = self.events.ask(change).await;
        Ok(problems.unwrap_or_default())
    }

    /// Sets the editors under which agents find this companion: rewrites the discovery files, with one under
    /// the process of each editor, also if the files were [hidden](Self::hide). The first editor is the one
    /// that the person used last. File names without a process, and the variables for terminals, are for that
    /// editor. Connected agents stay. Returns the reasons why some agents cannot find the companion. Without
    /// an editor, nothing changes.
    pub async fn set_editors(&self, editors: Vec<Editor>) -> Vec<Problem> {
        self.events.ask(|answer| Event::EditorsChanged { editors, answer }).await.unwrap_or_default()
    }

    /// Hides the companion while every editor has left and may come back. Every review is rejected, edits go
    /// to drafts, the context of agents has no files, and the discovery files are removed. Port, sessions and
    /// streams stay, and later proposals wait. [`set_editors`](Self::set_editors) ends this state.
    pub async fn hide(&self) {
        self.events.ask(Event::Hide).await;
    }

    /// Ends at once for a successor that has the same [journal](Builder::journal_as): nothing is decided,
    /// streams are cut, and the files stay. The port is free when it returns.
    pub async fn hand_over(self) {
        self.events.ask(Event::HandOver).await;
    }

    /// Ends the companion: rejects the reviews that wait, ends every stream, removes the discovery files, in
    /// this order. Takes about a second at most, also while agents do not read.
    pub async fn stop(self) {
        self.events.ask(Event::Stop).await;
    }
}

impl std::fmt::Debug for Companion {
    /// Formats the companion without the token, which has no place in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Companion").field("port", &self.port()).finish_non_exhaustive()
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.events.send(Event::Stop(oneshot::channel().0));
    }
}
