//! The end of a round: delivers all outcomes, ends every process, and collects everything that is left.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;
use tokio::time::Instant;

use super::agent::Agent;
use super::round::{RETRY_PERIOD, Round};
use crate::chaos::desk::Desk;
use crate::chaos::desk_transport::Transport;
use crate::chaos::oracle::GRACE;
use crate::chaos::processes::{
    END_TIMEOUT, companions, signal, signal_companions, spawn_host_command, until_ended,
};
use crate::chaos::record::{Departure, Outcome, Record, Trouble, TroubleKind};
use crate::ide_client::CliAnswer;
use crate::release::Release;

/// The longest time until all outcomes have arrived after the last trouble.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(14);

impl Round<'_> {
    /// Ends the round, and returns its record.
    pub(super) async fn end(mut self) -> Result<Record> {
        let mut strays = Vec::new();
        self.end_all_troubles();
        let last = self.people.desks();
        let desk = self.people.join(last, Desk::start(&self.machine.sandbox, Transport::Lines)?);
        let has_companion = desk.until(Duration::from_secs(40), |state| state.host).await.is_some();
        if !has_companion {
            strays.push("a desk that starts at the end has no companion after 40 s".to_owned());
        }
        for trouble in std::mem::take(&mut self.troubles_until_desk) {
            self.record.end_trouble(trouble);
        }
        if has_companion {
            self.reject_until_idle(last, &desk).await;
        }
        self.wait_for_receipts().await;
        self.squatter.record_leaks(&self.machine.sandbox, &self.record).await;
        self.record.seal();
        let mut diagnostics = self.connections();
        self.free_stuck_agents().await;
        strays.extend(self.stop_all().await);
        self.tasks.shutdown().await;
        self.people.shut_down().await;
        strays.extend(self.strays());
        let drafts = self.drafts(&mut strays);
        diagnostics.extend(self.machine.sandbox.logs());
        let mut record = self.record.take(drafts, strays, diagnostics);
        record.squats = self.squatter.lock().taken;
        self.machine.tidy()?;
        self.machine.end_old_agents();
        Ok(record)
    }

    /// Thaws every process, releases every connection, and ends the squatting.
    fn end_all_troubles(&mut self) {
        signal_companions(&self.machine.sandbox, Signal::CONT);
        self.people.present().for_each(|(_, desk)| signal(desk.pid, Signal::CONT));
        self.slots.iter().filter_map(|slot| slot.agent.as_ref()).for_each(|agent| agent.signal(Signal::CONT));
        for proxy in self.proxies(None) {
            proxy.disarm();
            proxy.hold(false);
        }
        self.squatter.lock().leave();
    }

    /// Rejects every review until no agent waits that may still get an outcome.
    async fn reject_until_idle(&mut self, number: usize, desk: &Desk) {
        let deadline = Instant::now() + SETTLE_TIMEOUT.max(self.rest_of_grace_period());
        let mut rejected = BTreeSet::new();
        while Instant::now() < deadline {
            let reviews = self.people.reject_all(number, desk, &mut rejected);
            let waiting = self.record_lost_agents();
            if waiting == 0 && reviews == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The time until a companion without its editor rejects the proposals that it has received since.
    fn rest_of_grace_period(&self) -> Duration {
        let record = self.record.lock();
        let is_absence = |trouble: &&Trouble| trouble.kind == TroubleKind::EditorGone;
        let absences = record.troubles.iter().filter(is_absence);
        let ended = absences.map(|trouble| trouble.from + GRACE + RETRY_PERIOD).max().unwrap_or(0);
        Duration::from_millis(ended.saturating_sub(self.record.now()))
    }

    /// Records the agents that have given up on the companion. Returns the number of other agents that wait.
    fn record_lost_agents(&mut self) -> usize {
        let now = self.record.now();
        // A squatter refuses every token.
        self.is_token_burned |= self.squatter.lock().taken > 0;
        let mut waiting = 0;
        for slot in &self.slots {
            let (Some(index), Some(agent)) = (slot.latest, &slot.agent) else { continue };
            let mut record = self.record.lock();
            let proposal = &mut record.proposals[index];
            if !proposal.is_waiting() {
                continue;
            }
            let mut lost_at = slot.link.lock().lost_at;
            let has_ever_listened = agent.proxies().iter().any(|proxy| proxy.streams() > 0);
            if !has_ever_listened {
                // An agent reports a connection before its stream is open, and does not retry a stream that
                // is cut before that.
                lost_at = lost_at.max(proposal.asked);
            }
            if !agent.has_stream()
                && now > lost_at + RETRY_PERIOD
                && (has_given_up(agent, self.is_token_burned) || !has_ever_listened)
            {
                proposal.departed = Some((lost_at, Departure::GaveUp));
            } else {
                waiting += 1;
            }
        }
        waiting
    }

    /// Waits until the receipts have removed the drafts of delivered texts.
    async fn wait_for_receipts(&self) {
        let deadline = Instant::now() + Duration::from_secs(3);
        while Instant::now() < deadline {
            let drafts = self.drafts(&mut Vec::new());
            let arrived = |draft: &String| {
                self.record.lock().proposals.iter().any(|proposal| {
                    matches!(&proposal.outcome, Some((_, Outcome::Accepted(text))) if text == draft)
                })
            };
            if !drafts.iter().any(arrived) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Answers in the own prompts of agents that still wait: a client holds a lock while it waits, and could
    /// not propose in the next round.
    async fn free_stuck_agents(&mut self) {
        for slot in &mut self.slots {
            let (Some(index), Some(agent)) = (slot.latest, slot.agent.clone()) else { continue };
            let stuck = {
                let record = self.record.lock();
                let proposal = &record.proposals[index];
                let is_stuck =
                    proposal.is_waiting() || matches!(proposal.departed, Some((_, Departure::GaveUp)));
                is_stuck.then(|| proposal.path.clone())
            };
            let Some(path) = stuck else { continue };
            let answer = agent.client().resolve_from_cli(path.as_ref(), CliAnswer::Rejected);
            if tokio::time::timeout(Duration::from_secs(5), answer).await.is_ok_and(|result| result.is_ok()) {
                continue;
            }
            agent.signal(Signal::KILL);
            self.machine.remove_agent(slot.release_index);
            slot.agent = None;
        }
    }

    /// Ends all connections, desks and companions. Returns the processes that do not end.
    async fn stop_all(&mut self) -> Vec<String> {
        for slot in &mut self.slots {
            let Some(agent) = &slot.agent else { continue };
            let done = tokio::time::timeout(Duration::from_secs(5), agent.disable()).await;
            if !done.is_ok_and(|done| done.is_ok()) {
                agent.signal(Signal::KILL);
                self.machine.remove_agent(slot.release_index);
                slot.agent = None;
            }
        }
        for desk in self.people.all() {
            desk.leave();
        }
        for pid in companions(&self.machine.sandbox) {
            if let Ok(mut child) = spawn_host_command(&self.machine.sandbox, "--stop", pid) {
                let _ = tokio::time::timeout(END_TIMEOUT, child.wait()).await;
            }
        }
        let editors = self.people.all().filter_map(|desk| desk.editor);
        editors.for_each(|editor| signal(editor, Signal::TERM));
        let of_this_round = || {
            let kept = self.machine.kept_processes();
            let mut all = self.machine.sandbox.processes();
            all.retain(|pid| !kept.contains(pid));
            all
        };
        until_ended(of_this_round).await
    }
}

/// Whether a client has retried its stream as often as its release does, without a companion that accepts its
/// token.
fn has_given_up(agent: &Agent, is_token_burned: bool) -> bool {
    // The SDK of this release reopens a cut stream only if the events carried ids.
    let never_retries = agent.release() == Release::qwen("0.5.2");
    let attempts: Vec<_> = agent.proxies().iter().map(|proxy| proxy.listening()).collect();
    never_retries
        || attempts.iter().any(|listening| match listening.refused {
            None => listening.failed > 0,
            Some(401) => is_token_burned,
            Some(_) => false,
        })
}
