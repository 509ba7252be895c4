//! The actions of agents in a round, and the script's disturbances of agents and their connections.

use std::sync::Arc;

use anyhow::Result;
use rustix::process::Signal;

use super::agenda::Event;
use super::agent::Agent;
use super::round::{RETRY_PERIOD, Round};
use crate::chaos::large_text;
use crate::chaos::record::{CloseCall, Departure, Proposal, TroubleKind, push};
use crate::ide_client::CliAnswer;
use crate::wire;

impl Round<'_> {
    /// Starts an agent's search for a companion, which runs beside the round.
    pub(super) fn enable(&mut self, number: usize) {
        let slot = &mut self.slots[number];
        let Some(agent) = slot.agent.clone() else { return };
        if !slot.link.begin_search(self.record.now()) {
            return;
        }
        slot.connection += 1;
        let (link, sandbox, record) = (slot.link.clone(), self.machine.sandbox.clone(), self.record.clone());
        self.tasks.spawn(async move {
            let is_connected = agent.enable(&sandbox).await.unwrap_or_else(|error| {
                eprintln!("{} cannot search for a companion: {error:#}", agent.release());
                false
            });
            for proxy in agent.proxies() {
                let (mut listening, link, record) = (proxy.watch_listening(), link.clone(), record.clone());
                // The task ends with the proxy.
                tokio::spawn(async move {
                    while listening.changed().await.is_ok() {
                        if listening.borrow_and_update().open == 0 {
                            link.lock().lost_at = record.now();
                        }
                    }
                });
            }
            let mut link = link.lock();
            (link.is_connected, link.is_searching) = (is_connected, false);
        });
    }

    /// Returns the proposal whose outcome an agent waits for.
    pub(super) fn waiting(&self, number: usize) -> Option<usize> {
        let latest = self.slots[number].latest?;
        self.record.lock().proposals[latest].is_waiting().then_some(latest)
    }

    pub(super) fn propose(&mut self, number: usize, file: usize) -> bool {
        let Some(agent) = self.slots[number].agent.clone().filter(|_| self.waiting(number).is_none()) else {
            return false;
        };
        if !self.expects_companion(number, &agent) {
            // The agent would ask only in its own prompt. The person notices that, and reconnects.
            self.enable(number);
            return true;
        }
        let text_number = self.people.next_text();
        let marker = format!("proposal {text_number} of round {}", self.plan.seed);
        let text = format!("one\n{marker}\nthree\nfour\n{}", large_text::last_lines(text_number));
        let path = self.files[file].clone();
        let proposal = Proposal {
            agent: number,
            connection: self.slots[number].connection,
            release: Some(agent.release().version),
            path: path.display().to_string(),
            marker,
            text: text.clone(),
            asked: self.record.now(),
            ..Proposal::default()
        };
        let index = push(&mut self.record.lock().proposals, proposal);
        self.slots[number].latest = Some(index);
        let diff = agent.client().open_diff(&path, &text);
        let record = self.record.clone();
        self.tasks.spawn(async move {
            let waiting = diff.outcome();
            tokio::pin!(waiting);
            let outcome = tokio::select! {
                outcome = &mut waiting => outcome,
                shown = agent.client().wait_proposed(&text) => {
                    if shown.is_ok() {
                        let now = record.now();
                        record.lock().proposals[index].shown = Some((now, Ok(())));
                    }
                    waiting.await
                }
            };
            record.note_outcome(index, outcome);
        });
        true
    }

    /// Whether an agent has connected, and its stream is open or may still be reopened.
    fn expects_companion(&self, number: usize, agent: &Agent) -> bool {
        let link = self.slots[number].link.lock();
        let may_return = self.record.now() < link.lost_at + RETRY_PERIOD;
        link.is_connected && (agent.has_stream() || may_return)
    }

    /// Answers in the agent's own prompt, once the proposal is open.
    pub(super) fn answer_in_prompt(&mut self, number: usize) -> bool {
        let Some(index) = self.waiting(number) else { return false };
        let Some(agent) = self.slots[number].agent.clone() else { return false };
        let asked = self.record.now();
        let path = {
            let proposal = &mut self.record.lock().proposals[index];
            if proposal.closed.is_some() || proposal.shown.is_none() {
                return false;
            }
            proposal.closed = Some(CloseCall { asked, answered: None });
            proposal.path.clone()
        };
        self.tasks.spawn(async move {
            // The agent's `openDiff` returns the result.
            let _ = agent.client().resolve_from_cli(path.as_ref(), CliAnswer::Accepted).await;
        });
        true
    }

    pub(super) fn end_agent(&mut self, number: usize, says_so: bool) -> bool {
        let waiting = self.waiting(number);
        let slot = &mut self.slots[number];
        if slot.link.lock().is_searching {
            return false;
        }
        let Some(agent) = slot.agent.clone() else { return false };
        slot.link.lock().is_connected = false;
        if says_so && waiting.is_none() {
            self.tasks.spawn(async move { drop(agent.disable().await) });
            return true;
        }
        slot.agent = None;
        self.machine.remove_agent(slot.release_index);
        agent.signal(Signal::KILL);
        if let Some(index) = waiting {
            let now = self.record.now();
            self.record.lock().proposals[index].departed = Some((now, Departure::Ended));
        }
        true
    }

    pub(super) async fn start_agent(&mut self, number: usize) -> Result<bool> {
        let slot = &self.slots[number];
        match &slot.agent {
            None => {
                let agent = self.machine.agent(slot.release_index).await?;
                self.slots[number].agent = Some(agent);
            }
            Some(agent) => {
                let has_connection = slot.link.lock().is_connected && agent.has_stream();
                if has_connection || self.waiting(number).is_some() {
                    return Ok(false);
                }
            }
        }
        self.enable(number);
        Ok(true)
    }

    pub(super) fn freeze_agent(&mut self, number: usize, ms: u64) -> bool {
        let Some(agent) = self.slots[number].agent.clone() else { return false };
        agent.signal(Signal::STOP);
        let trouble = self.record.begin_trouble(TroubleKind::AgentFrozen, Some(number));
        self.schedule(ms, Event::Thaw(vec![agent.pid()], Some(trouble)));
        true
    }

    /// Returns the proxies of one agent, or of all agents.
    pub(super) fn proxies(&self, agent: Option<usize>) -> Vec<Arc<wire::Proxy>> {
        let slots = self.slots.iter().enumerate();
        let chosen = slots.filter(|(number, _)| agent.is_none_or(|agent| agent == *number));
        chosen.filter_map(|(_, slot)| slot.agent.as_ref()).flat_map(Agent::proxies).collect()
    }

    pub(super) fn cut_after(&mut self, number: usize, stream: bool, up: bool, bytes: usize) -> bool {
        let kind = if stream { wire::Kind::Stream } else { wire::Kind::Post };
        let direction = if up { wire::Direction::Up } else { wire::Direction::Down };
        let proxies = self.proxies(Some(number));
        for proxy in &proxies {
            let (mut struck, record) = (proxy.struck(), self.record.clone());
            proxy.arm(kind, direction, bytes, wire::Fault::Cut);
            // The task ends with the proxy.
            tokio::spawn(async move {
                if struck.changed().await.is_ok() {
                    let trouble = record.begin_trouble(TroubleKind::Link, Some(number));
                    record.end_trouble(trouble);
                }
            });
        }
        !proxies.is_empty()
    }

    pub(super) fn hold(&mut self, number: usize, ms: u64, cut: bool) -> bool {
        let proxies = self.proxies(Some(number));
        proxies.iter().for_each(|proxy| proxy.hold(true));
        if proxies.is_empty() {
            return false;
        }
        let trouble = self.record.begin_trouble(TroubleKind::Link, Some(number));
        self.schedule(ms, Event::Release { agent: number, trouble, cut });
        true
    }
}
