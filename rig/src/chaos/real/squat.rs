//! The squatter of a round in the real world: it takes ports while everybody else goes on.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alongside_agent::{Endpoint, prove};

use super::agent::{WHERE, companions, records};
use super::world::{Act, Notes, World};
use crate::chaos::record::Kind;
use crate::chaos::squatter::Squatter;
use crate::sandbox::Sandbox;

/// How often it looks whether a port is free: a companion is back after some hundred milliseconds.
const EVERY: Duration = Duration::from_millis(2);
/// How often it is looked which tokens are good, in turns of the above.
const LOOK_EVERY: usize = 10;

/// A squatter that several share.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Squatter>>);

impl Shared {
    pub(super) fn get(&self) -> MutexGuard<'_, Squatter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays its part until the round is over.
    pub(super) async fn play(self, sandbox: Arc<Sandbox>, notes: Notes) {
        for turn in 0.. {
            self.get().poll();
            if turn % LOOK_EVERY == 0 && !self.get().heard().is_empty() {
                self.look(&sandbox, &notes).await;
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Notes which good tokens it knows: those that companions stand by which answer for them.
    pub(super) async fn look(&self, sandbox: &Sandbox, notes: &Notes) {
        for (port, token) in published(sandbox) {
            let is_known = self.get().heard().contains(&token);
            // A file that a killed one has left leads to nobody.
            if is_known && prove(&Endpoint::local(port), &token).await.is_ok() {
                let leak = format!("the token of the companion on port {port} is known to a squatter");
                let leaks = &mut notes.write().leaks;
                if !leaks.contains(&leak) {
                    leaks.push(leak);
                }
            }
        }
    }
}

impl World<'_> {
    /// The squatter wants every port that a companion has now.
    pub(super) fn squat(&mut self, ms: u64) -> bool {
        let ports: BTreeSet<u16> = published(&self.lane.sandbox).into_iter().map(|(port, _)| port).collect();
        ports.iter().for_each(|port| self.squatter.get().want(*port));
        if !ports.is_empty() {
            let trouble = self.notes.trouble(Kind::Squatted, None);
            self.later(ms, Act::Vacate(trouble));
        }
        !ports.is_empty()
    }
}

/// The ports and tokens in the discovery files of this machine.
fn published(sandbox: &Sandbox) -> BTreeSet<(u16, String)> {
    let records = WHERE.iter().flat_map(|(root, below)| records(&companions(sandbox, root, below)));
    let known = records.filter_map(|(_, record)| {
        let token = record["authToken"].as_str()?;
        Some((
            u16::try_from(record["port"].as_u64()?).ok()?,
            alongside_contract::token::split(token).0.to_owned(),
        ))
    });
    known.collect()
}
