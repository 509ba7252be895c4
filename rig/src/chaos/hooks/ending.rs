//! The end of a round with hooks: ends every call and every process, and collects everything that is left.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::Signal;
use tokio::time::Instant;

use super::machine::HOOK_LIMIT;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::processes::{END_TIMEOUT, signal, until_ended};
use crate::chaos::record::Record;

/// The longest time until a new desk has a companion.
const SERVE_TIMEOUT: Duration = Duration::from_secs(40);

/// The time between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl Round<'_> {
    /// Ends the round, and returns its record.
    pub(super) async fn end(mut self) -> Result<Record> {
        let mut strays = Vec::new();
        self.thaw_all();
        let last = self.people.desks();
        let desk = self.rejoin(last)?.context("the desk that has just joined is gone")?;
        match desk.until(SERVE_TIMEOUT, |state| state.host).await {
            Some(_) => self.reject_until_idle(last, &desk).await,
            None => strays.push("a desk that starts at the end has no companion after 40 s".to_owned()),
        }
        while let Some(played) = self.calls.try_join_next() {
            played.context("a call panicked")??;
        }
        self.record.seal();
        strays.extend(self.stop_all().await?);
        self.calls.shutdown().await;
        self.tasks.shutdown().await;
        self.people.shut_down().await;
        strays.extend(self.machine.strays());
        let record = self.record.take(self.machine.drafts(), strays, self.machine.sandbox.logs());
        self.machine.tidy()?;
        Ok(record)
    }

    /// Thaws all companions and desks. Hooks stay frozen: their agents do not wait longer than their
    /// patience.
    fn thaw_all(&self) {
        for pid in self.machine.companions() {
            signal(pid, Signal::CONT);
        }
        self.people.present().for_each(|(_, desk)| signal(desk.pid, Signal::CONT));
    }

    /// Rejects every review until all agents are idle.
    async fn reject_until_idle(&mut self, number: usize, desk: &Desk) {
        // Each agent may make several calls, each with the whole patience.
        let deadline = Instant::now() + Duration::from_secs(3 * HOOK_LIMIT);
        let mut rejected = BTreeSet::new();
        while Instant::now() < deadline && self.agents.iter().any(|slot| slot.is_busy()) {
            self.people.reject_all(number, desk, &mut rejected);
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Ends all desks and companions. Returns the processes that do not end.
    async fn stop_all(&mut self) -> Result<Vec<String>> {
        for desk in self.people.all() {
            desk.leave();
        }
        for pid in self.machine.companions() {
            let mut command = self.machine.alongside()?;
            command.args(["host", "--stop", &pid.as_raw_nonzero().to_string()]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut stop = command.spawn().context("cannot stop a host")?;
            let _ = tokio::time::timeout(END_TIMEOUT, stop.wait()).await;
        }
        Ok(until_ended(|| self.machine.processes()).await)
    }
}
