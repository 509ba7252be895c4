//! The end of a round: everybody who can still hear is told, everything ends properly, and then nothing may
//! be left.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;
use tokio::time::Instant;

use super::agent::{Agent, WHERE, companions, records};
use super::desk::{Desk, Speech, signal};
use super::hosts;
use super::world::{TRIES_FOR, World, is_waiting};
use crate::chaos::oracle::GRACE;
use crate::chaos::record::{Gone, Kind, Left, Outcome, Record};
use crate::ide_client::{CliAnswer, Release};

/// How long what waits may take to arrive, after the last trouble.
const CALM: Duration = Duration::from_secs(14);

/// How long processes may take to end.
const ENDED_WITHIN: Duration = Duration::from_secs(20);

impl World<'_> {
    /// Ends the round, and returns what is known of it.
    ///
    /// # Errors
    /// When the machine cannot be looked at.
    pub(super) async fn end(mut self) -> Result<Record> {
        let mut strays = Vec::new();
        self.let_go();
        let last = self.desks.len();
        self.desks.push(Some(Desk::start(&self.lane.sandbox, Speech::Lines)?));
        let desk = self.desks[last].clone();
        let served = match &desk {
            Some(desk) => desk.until(Duration::from_secs(40), |seen| seen.host).await.is_some(),
            None => false,
        };
        if !served {
            strays.push("a desk that is opened at the end gets no companion within 40 s".to_owned());
        }
        for trouble in std::mem::take(&mut self.until_served) {
            self.notes.over(trouble);
        }
        if let Some(desk) = desk.filter(|_| served) {
            self.settle(last, &desk).await;
        }
        self.wait_for_receipts().await;
        self.squatter.look(&self.lane.sandbox, &self.notes).await;
        self.notes.sealed.store(true, Ordering::Release);
        let mut aside = self.connections();
        self.free_the_deaf().await;
        strays.extend(self.stop_all().await);
        self.tasks.shutdown().await;
        strays.extend(self.strays());
        let left = Left { drafts: self.drafts(&mut strays), targets: self.notes.project.found(), strays };
        let mut record = std::mem::take(&mut *self.notes.write());
        record.left = left;
        record.squats = self.squatter.get().taken;
        aside.extend(self.logs());
        record.aside = aside;
        let end = self.notes.now();
        record.troubles.iter_mut().for_each(|trouble| trouble.until = trouble.until.min(end));
        self.lane.tidy()?;
        self.lane.renew();
        Ok(record)
    }

    /// Nothing is in anybody's way any more.
    fn let_go(&mut self) {
        hosts::signal_all(&self.lane.sandbox, Signal::CONT);
        self.living().for_each(|(_, desk)| signal(desk.pid, Signal::CONT));
        self.seats.iter().filter_map(|seat| seat.agent.as_ref()).for_each(|agent| agent.signal(Signal::CONT));
        for proxy in self.proxies(None) {
            proxy.disarm();
            proxy.hold(false);
        }
        self.squatter.get().leave();
    }

    /// What still waits is rejected, until nobody waits any more who can hear.
    async fn settle(&mut self, number: usize, desk: &Desk) {
        let deadline = Instant::now() + CALM.max(self.left_of_grace());
        let mut rejected = BTreeSet::new();
        while Instant::now() < deadline {
            let reviews = desk.seen().reviews;
            for review in reviews.values().filter(|review| rejected.insert((review.id, review.revision))) {
                self.decide_on(number, desk.clone(), review, false);
            }
            let waiting = self.find_the_deaf();
            if waiting == 0 && reviews.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Until a companion whose editor went last has rejected what was proposed to it since.
    fn left_of_grace(&self) -> Duration {
        let record = self.notes.write();
        let hidden = record.troubles.iter().filter(|trouble| trouble.kind == Kind::Hidden);
        let ended = hidden.map(|trouble| trouble.from + GRACE + TRIES_FOR).max().unwrap_or(0);
        Duration::from_millis(ended.saturating_sub(self.notes.now()))
    }

    /// Notes who has given up on the companion, and returns how many others wait.
    fn find_the_deaf(&mut self) -> usize {
        let now = self.notes.now();
        // It refuses everybody.
        self.is_burned |= self.squatter.get().taken > 0;
        let mut waiting = 0;
        for seat in &self.seats {
            let (Some(index), Some(agent)) = (seat.latest, &seat.agent) else { continue };
            let mut record = self.notes.write();
            let proposal = &mut record.proposals[index];
            if !is_waiting(proposal) {
                continue;
            }
            let mut lost = seat.lost.load(Ordering::Acquire);
            let has_ever_listened = agent.proxies().iter().any(|proxy| proxy.streams() > 0);
            if !has_ever_listened {
                // It counts as connected before it listens, and does not try again what is cut in between.
                lost = lost.max(proposal.asked);
            }
            if !agent.hears()
                && now > lost + TRIES_FOR
                && (has_given_up(agent, self.is_burned) || !has_ever_listened)
            {
                proposal.gone = Some((lost, Gone::Deaf));
            } else {
                waiting += 1;
            }
        }
        waiting
    }

    /// Drafts of what has arrived go with the receipts.
    async fn wait_for_receipts(&self) {
        let deadline = Instant::now() + Duration::from_secs(3);
        while Instant::now() < deadline {
            let drafts = self.drafts(&mut Vec::new());
            let arrived = |draft: &String| {
                self.notes.write().proposals.iter().any(|proposal| {
                    matches!(&proposal.outcome, Some((_, Outcome::Accepted(text))) if text == draft)
                })
            };
            if !drafts.iter().any(arrived) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Clients hold a lock while they wait: who is not answered in the agent's own prompt can never propose
    /// again.
    async fn free_the_deaf(&mut self) {
        for seat in &mut self.seats {
            let (Some(index), Some(agent)) = (seat.latest, seat.agent.clone()) else { continue };
            let stuck = {
                let record = self.notes.write();
                let proposal = &record.proposals[index];
                let is_stuck = is_waiting(proposal) || matches!(proposal.gone, Some((_, Gone::Deaf)));
                is_stuck.then(|| proposal.path.clone())
            };
            let Some(path) = stuck else { continue };
            let freed = agent.client().resolve_from_cli(path.as_ref(), CliAnswer::Rejected);
            if tokio::time::timeout(Duration::from_secs(5), freed).await.is_ok_and(|freed| freed.is_ok()) {
                continue;
            }
            agent.signal(Signal::KILL);
            self.lane.lose(seat.place);
            seat.agent = None;
        }
    }

    /// Everybody leaves. Returns who does not.
    async fn stop_all(&mut self) -> Vec<String> {
        for seat in &mut self.seats {
            let Some(agent) = &seat.agent else { continue };
            let done = tokio::time::timeout(Duration::from_secs(5), agent.disable()).await;
            if !done.is_ok_and(|done| done.is_ok()) {
                agent.signal(Signal::KILL);
                self.lane.lose(seat.place);
                seat.agent = None;
            }
        }
        for desk in self.desks.iter().flatten() {
            desk.leave();
        }
        for pid in hosts::all(&self.lane.sandbox) {
            if let Ok(mut child) = hosts::command(&self.lane.sandbox, "--stop", pid) {
                let _ = tokio::time::timeout(ENDED_WITHIN, child.wait()).await;
            }
        }
        let editors = self.desks.iter().flatten().filter_map(|desk| desk.editor);
        editors.for_each(|editor| signal(editor, Signal::TERM));
        let deadline = Instant::now() + ENDED_WITHIN;
        loop {
            let kept = self.lane.kept();
            let mut left = self.lane.sandbox.processes();
            left.retain(|pid| !kept.contains(pid) && hosts::is_alive(*pid));
            if left.is_empty() {
                return Vec::new();
            }
            if Instant::now() > deadline {
                let name = |pid: &rustix::process::Pid| {
                    let line =
                        fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
                    signal(*pid, Signal::KILL);
                    format!("a process: {}", String::from_utf8_lossy(&line).replace('\0', " "))
                };
                return left.iter().map(name).collect();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The state of the agents' connections, a line for each.
    fn connections(&self) -> Vec<String> {
        let seats = self.seats.iter().enumerate();
        let agents = seats.filter_map(|(number, seat)| Some((number, seat, seat.agent.as_ref()?)));
        let lines = agents.flat_map(|(number, seat, agent)| {
            let lost = seat.lost.load(Ordering::Acquire);
            let name =
                format!("agent {number} ({}, process {:?}, lost {lost})", agent.release(), agent.pid());
            agent.proxies().into_iter().map(move |proxy| format!("{name}: {proxy:?}"))
        });
        lines.collect()
    }

    /// What the companions have logged.
    fn logs(&self) -> Vec<String> {
        let logs = files(&self.lane.sandbox.home().join(".local/state/alongside/log"));
        let read = |path: PathBuf| Some(format!("{}:\n{}", path.display(), fs::read_to_string(&path).ok()?));
        logs.into_iter().filter_map(read).collect()
    }

    /// Files that nobody needs any more.
    fn strays(&self) -> Vec<String> {
        let sandbox = &self.lane.sandbox;
        let records = WHERE.iter().flat_map(|(root, below)| records(&companions(sandbox, root, below)));
        let records = records.map(|(path, _)| path);
        let state = sandbox.home().join(".local/state/alongside");
        let registry = files(&sandbox.run().join("alongside"));
        let registry = registry.into_iter().filter(|path| !path.ends_with("start.lock"));
        let journal = files(&state.join("journal"));
        let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock");
        let journal = journal.into_iter().filter(|path| !is_lock(path));
        let all = records.chain(registry).chain(journal).chain(files(&sandbox.tmp()));
        let all: BTreeSet<_> = all.map(|path| format!("a file: {}", path.display())).collect();
        all.into_iter().collect()
    }

    /// The texts of the drafts there are. One that nobody can find again is a stray.
    fn drafts(&self, strays: &mut Vec<String>) -> Vec<String> {
        let mut texts = Vec::new();
        let all = self.lane.sandbox.home().join(".local/state/alongside/drafts");
        for directory in fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let inside = files(&directory);
            let is_listed = inside.iter().any(|path| path.ends_with("draft.json"));
            for path in inside.iter().filter(|path| !path.ends_with("draft.json")) {
                if !is_listed || path.extension().is_none_or(|extension| extension != "txt") {
                    strays.push(format!("a part of a draft: {}", path.display()));
                }
                texts.extend(fs::read_to_string(path).ok());
            }
        }
        texts
    }
}

/// Whether a client has tried to get its stream back as often as its release does, and met nobody who takes
/// its token.
fn has_given_up(agent: &Agent, is_burned: bool) -> bool {
    // Its SDK opens a cut stream again only if the events carried ids.
    let never_tries = agent.release() == Release::qwen("0.5.2");
    let heard: Vec<_> = agent.proxies().iter().map(|proxy| proxy.listening()).collect();
    never_tries
        || heard.iter().any(|listening| match listening.refused {
            None => listening.failed > 0,
            Some(401) => is_burned,
            Some(_) => false,
        })
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let below = entries.flat_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        _ => vec![entry.path()],
    });
    below.collect()
}
