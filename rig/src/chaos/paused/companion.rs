//! The companion of a round, from its start to its end.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_companion::desk::Desk;
use alongside_companion::{AppDirs, Builder, Companion, Editor, PortHold};
use anyhow::{Context as _, Result};
use tokio::task::JoinHandle;

use super::clock::Clock;
use crate::chaos::record::TroubleKind;

/// A companion that runs or is ending.
#[derive(Debug)]
pub(super) struct RunningCompanion {
    // Dropped first: a companion that is dropped while its runtime lives stops properly.
    clock: Clock,
    companion: Option<Arc<Companion>>,
    addresses: Vec<SocketAddr>,
    pub(super) port: u16,
    pub(super) token: String,
    /// The task that ends the companion.
    ending: Option<JoinHandle<()>>,
    /// The time by which the clock of a frozen companion is behind.
    behind: Option<Duration>,
}

impl RunningCompanion {
    /// Starts a companion for the project in this directory. It takes over its predecessor's journal, and the
    /// predecessor's port if `hold` is given.
    pub(super) fn start(directory: &Path, hold: Option<PortHold>) -> Result<Self> {
        let clock = Clock::new()?;
        let builder = Companion::builder()
            .editor("chaos", "Chaos")
            .root(directory.join("project"))
            .app_dirs(AppDirs::below(directory))
            .aliases(false)
            .journal_as("chaos");
        let builder = hold.into_iter().fold(builder, Builder::port_hold);
        let companion = clock.complete(builder.start()).context("the companion does not start")?;
        let (port, token) = (companion.port(), companion.token().to_owned());
        let addresses = companion.addresses().to_vec();
        Ok(Self {
            addresses,
            clock,
            companion: Some(Arc::new(companion)),
            port,
            token,
            ending: None,
            behind: None,
        })
    }

    /// Takes a hold on the companion's port.
    pub(super) fn hold_port(&self) -> Option<PortHold> {
        PortHold::take(&self.addresses).ok()
    }

    pub(super) fn turn(&self, turns: usize) {
        if self.behind.is_none() {
            self.clock.turn(turns);
        }
    }

    pub(super) fn finish_blocking_work(&self) {
        if self.behind.is_none() {
            self.clock.finish_blocking_work();
        }
    }

    pub(super) fn advance(&mut self, by: Duration) {
        match &mut self.behind {
            Some(behind) => *behind += by,
            None => self.clock.advance(by),
        }
    }

    pub(super) fn freeze(&mut self) {
        self.behind.get_or_insert_default();
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.behind.is_some()
    }

    /// Ends the freeze, and advances the clock by the missed time at once.
    pub(super) fn thaw(&mut self) {
        if let Some(behind) = self.behind.take() {
            self.clock.advance(behind);
        }
    }

    /// Joins a new desk; `None` if the companion is ending.
    pub(super) fn join(&self) -> Option<Desk> {
        self.companion.as_ref().map(|companion| self.clock.within(|| companion.join()))
    }

    /// Tells the companion that its editor has ended. Returns false if the companion is ending.
    pub(super) fn hide(&self) -> bool {
        let Some(companion) = self.companion.clone() else { return false };
        self.clock.spawn(async move { companion.hide().await });
        true
    }

    /// Gives the companion another editor.
    pub(super) fn take_over(&self) {
        let Some(companion) = self.companion.clone() else { return };
        let pid = std::process::id();
        let editor = Editor { name: "heir".into(), display_name: "Heir".into(), pid };
        self.clock.spawn(async move { companion.set_editors(vec![editor]).await });
    }

    /// Begins to end the companion. Returns false if another task still uses it, or if it is ending.
    pub(super) fn end(&mut self, how: TroubleKind) -> bool {
        let Some(companion) = self.companion.take() else { return false };
        match Arc::try_unwrap(companion) {
            Ok(companion) => {
                self.ending = Some(self.clock.spawn(async move {
                    match how {
                        TroubleKind::HandedOver => companion.hand_over().await,
                        _ => companion.stop().await,
                    }
                }));
                true
            }
            Err(companion) => {
                self.companion = Some(companion);
                false
            }
        }
    }

    pub(super) fn is_ending(&self) -> bool {
        self.ending.is_some()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ending.as_ref().is_some_and(JoinHandle::is_finished)
    }
}
