//! The companion of a round, through its lives.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_companion::desk::Desk;
use alongside_companion::{Builder, Companion, Editor, Places, PortHold};
use anyhow::{Context as _, Result};
use tokio::task::JoinHandle;

use super::clock::Clock;
use crate::chaos::record::Kind;

/// A companion that lives, or is on its way out.
#[derive(Debug)]
pub(super) struct Life {
    // The first to be dropped: a companion that is dropped while it runs stops properly.
    clock: Clock,
    companion: Option<Arc<Companion>>,
    addresses: Vec<SocketAddr>,
    pub(super) port: u16,
    pub(super) token: String,
    /// What it is doing to itself, and what comes of it.
    ending: Option<JoinHandle<()>>,
    /// How far its clock is behind, while it is frozen.
    behind: Option<Duration>,
}

impl Life {
    /// Starts a companion of the project below this directory, with the journal of the one before, and its
    /// port if somebody has held it.
    pub(super) fn start(directory: &Path, hold: Option<PortHold>) -> Result<Self> {
        let clock = Clock::new()?;
        let builder = Companion::builder()
            .editor("chaos", "Chaos")
            .root(directory.join("project"))
            .places(Places::below(directory))
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

    /// Holds its port from now on.
    pub(super) fn hold(&self) -> Option<PortHold> {
        PortHold::take(&self.addresses).ok()
    }

    pub(super) fn turn(&self, turns: usize) {
        if self.behind.is_none() {
            self.clock.turn(turns);
        }
    }

    pub(super) fn until_written(&self) {
        if self.behind.is_none() {
            self.clock.until_written();
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

    /// All the time that it missed passes at once.
    pub(super) fn thaw(&mut self) {
        if let Some(behind) = self.behind.take() {
            self.clock.advance(behind);
        }
    }

    /// Joins; `None` if it is ending.
    pub(super) fn join(&self) -> Option<Desk> {
        self.companion.as_ref().map(|companion| self.clock.within(|| companion.join()))
    }

    /// The editor is gone.
    pub(super) fn hide(&self) -> bool {
        let Some(companion) = self.companion.clone() else { return false };
        self.clock.spawn(async move { companion.hide().await });
        true
    }

    /// Another editor takes it over.
    pub(super) fn show(&self) {
        let Some(companion) = self.companion.clone() else { return };
        let pid = std::process::id();
        let editor = Editor { name: "heir".into(), display_name: "Heir".into(), pid };
        self.clock.spawn(async move { companion.set_editor(editor).await });
    }

    /// Begins to end; false if it cannot just now.
    pub(super) fn end(&mut self, how: Kind) -> bool {
        let Some(companion) = self.companion.take() else { return false };
        match Arc::try_unwrap(companion) {
            Ok(companion) => {
                self.ending = Some(self.clock.spawn(async move {
                    match how {
                        Kind::HandedOver => companion.hand_over().await,
                        _ => companion.stop().await,
                    }
                }));
                true
            }
            // Somebody has not finished with it.
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
