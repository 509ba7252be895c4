//! The end of a round with hooks: every call ends, everything ends properly, and nothing may be left.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::Signal;
use tokio::time::Instant;

use super::machine::HOOK_LIMIT;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::processes::{is_alive, signal};
use crate::chaos::record::{Leftovers, Record};
use crate::procfs::command_line;

/// How long a companion may take to serve a new desk.
const SERVE_TIMEOUT: Duration = Duration::from_secs(40);

/// How long processes may take to end.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// How often something is looked for.
const POLL: Duration = Duration::from_millis(20);

impl Round<'_> {
    /// Ends the round, and returns its record.
    pub(super) async fn end(mut self) -> Result<Record> {
        let mut strays = Vec::new();
        self.thaw_all();
        let last = self.desks.len();
        self.desks.push(None);
        self.joined.push(0);
        self.rejoin(last)?;
        let desk = self.desks[last].clone().context("a desk that has just joined")?;
        match desk.until(SERVE_TIMEOUT, |seen| seen.host).await {
            Some(_) => self.settle(last, &desk).await,
            None => strays.push("a desk that starts at the end has no companion after 40 s".to_owned()),
        }
        while let Some(played) = self.calls.try_join_next() {
            played.context("a call panicked")??;
        }
        self.record.seal();
        strays.extend(self.stop_all().await?);
        self.calls.shutdown().await;
        self.tasks.shutdown().await;
        strays.extend(self.machine.strays());
        let targets = self.record.project.targets_on_disk();
        let mut record = std::mem::take(&mut *self.record.lock());
        record.leftovers = Leftovers { drafts: self.machine.drafts(), targets, strays };
        record.diagnostics = self.machine.logs();
        let end = self.record.now();
        record.troubles.iter_mut().for_each(|trouble| trouble.until = trouble.until.min(end));
        self.machine.tidy()?;
        Ok(record)
    }

    /// Lets everything run that is frozen, except for hooks: their agents wait no longer than ever.
    fn thaw_all(&self) {
        for pid in self.machine.companions() {
            signal(pid, Signal::CONT);
        }
        self.present_desks().for_each(|(_, desk)| signal(desk.pid, Signal::CONT));
    }

    /// Rejects every review until no agent waits.
    async fn settle(&mut self, number: usize, desk: &Desk) {
        // An agent may call again after its time is over.
        let deadline = Instant::now() + Duration::from_secs(3 * HOOK_LIMIT);
        let mut rejected = BTreeSet::new();
        while Instant::now() < deadline && self.agents.iter().any(|slot| slot.is_busy()) {
            let reviews = desk.seen().reviews;
            for review in reviews.values().filter(|review| rejected.insert((review.id, review.revision))) {
                self.decide_on(number, desk.clone(), review, false);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Ends every party. Returns the processes that do not end.
    async fn stop_all(&mut self) -> Result<Vec<String>> {
        for desk in self.desks.iter().flatten() {
            desk.leave();
        }
        for pid in self.machine.companions() {
            let mut command = self.machine.alongside()?;
            command.args(["host", "--stop", &pid.as_raw_nonzero().to_string()]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut stop = command.spawn().context("cannot stop a host")?;
            let _ = tokio::time::timeout(END_TIMEOUT, stop.wait()).await;
        }
        let deadline = Instant::now() + END_TIMEOUT;
        loop {
            let mut left = self.machine.processes();
            left.retain(|pid| is_alive(*pid));
            if left.is_empty() {
                return Ok(Vec::new());
            }
            if Instant::now() > deadline {
                let name = |pid: &rustix::process::Pid| {
                    let line = command_line(pid.as_raw_nonzero());
                    signal(*pid, Signal::KILL);
                    format!("a process: {line}")
                };
                return Ok(left.iter().map(name).collect());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}
