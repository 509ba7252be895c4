//! The handle of the running loop, behind [`Companion`](crate::Companion).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alongside_desk::{self as desk, Desk, Environment, Problem, Status};
use tokio::sync::oneshot;

use super::{DeskId, Event, Events, start};
use crate::builder::{Editor, StartError, Workspace};
use crate::context::privacy::{BadGlob, Privacy};
use crate::places::Places;

/// The handle of the running loop.
pub(crate) struct Hub {
    pub(crate) port: u16,
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) token: Arc<str>,
    pub(super) events: Events,
    pub(super) desks: AtomicU64,
    pub(super) rules: Rules,
}

/// What decides on what may be told.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) workspace: Mutex<Workspace>,
    pub(super) git_ignored: bool,
    pub(super) places: Places,
}

impl Rules {
    fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn privacy(&self) -> Result<Privacy, BadGlob> {
        Privacy::new(&self.workspace(), self.git_ignored, &self.places)
    }
}

impl Hub {
    /// `observes`: it shows no reviews, so that it is neither counted nor asked to flush.
    pub(crate) fn join(&self, observes: bool) -> Desk {
        let (desk, mut seat) = desk::pair();
        let number = self.desks.fetch_add(1, Ordering::Relaxed);
        let (events, id) = (self.events.clone(), DeskId(number));
        events.send(Event::DeskJoined { desk: id, observes, events: seat.events });
        tokio::spawn(async move {
            while let Some(call) = seat.calls.recv().await {
                events.send(Event::DeskAsked { desk: id, call });
            }
            events.send(Event::DeskLeft { desk: id });
        });
        desk
    }

    pub(crate) async fn set_workspace(
        &self,
        change: impl FnOnce(Workspace) -> Workspace,
    ) -> Result<Vec<Problem>, StartError> {
        let mut workspace = change(self.rules.workspace().clone());
        workspace.roots = start::usable_roots(&workspace.roots)?;
        let privacy = Privacy::new(&workspace, self.rules.git_ignored, &self.rules.places)?;
        let (roots, privacy) = (workspace.roots.clone(), Box::new(privacy));
        *self.rules.workspace() = workspace;
        // After the end of the loop there is no workspace to change.
        let changed = self.events.ask(|changed| Event::RootsChanged { roots, privacy, changed }).await;
        Ok(changed.unwrap_or_default())
    }

    pub(crate) fn focus(&self) {
        self.events.send(Event::Focused);
    }

    pub(crate) async fn set_editor(&self, editor: Editor) -> Vec<Problem> {
        self.events.ask(|shown| Event::EditorChanged { editor, shown }).await.unwrap_or_default()
    }

    pub(crate) async fn status(&self) -> Status {
        let status = self.events.ask(Event::StatusWanted).await.unwrap_or_default();
        Status { environment: Environment::default(), ..status }
    }

    pub(crate) async fn hide(&self) {
        self.events.ask(Event::Hide).await;
    }

    pub(crate) async fn hand_over(&self) {
        self.events.ask(Event::HandOver).await;
    }

    pub(crate) async fn stop(&self) {
        self.events.ask(Event::Stop).await;
    }
}

impl std::fmt::Debug for Hub {
    /// Without the token, which has no place in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.events.send(Event::Stop(oneshot::channel().0));
    }
}
