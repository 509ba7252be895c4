//! An agent of a round: the client of `crates/agent` behind a proxy. Like shipped clients, it matches
//! outcomes to proposals by path, and has one open diff at a time.

use std::path::Path;
use std::sync::Arc;

use alongside_agent::{Endpoint, Identity, Outcome as Received, Session, StreamState};
use anyhow::Result;
use tokio::task::JoinHandle;

use super::clock::Clock;
use super::proposal_log::ProposalLog;
use crate::chaos::agent_write;
use crate::chaos::record::{CloseCall, Departure, Outcome, Proposal, push};
use crate::wire::{Proxy, ReceiptFault};

/// A hold on an agent's connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hold {
    /// The time of its end, in milliseconds of the round.
    pub(super) until: u64,
    /// Whether the connections are reset at its end.
    pub(super) resets: bool,
}

#[derive(Debug)]
pub(super) struct Agent {
    number: usize,
    /// The number of the present connection.
    connection: usize,
    log: ProposalLog,
    /// The way in which the agent's proxies falsify receipts.
    fault: Option<ReceiptFault>,
    proxy: Option<Proxy>,
    state: State,
    /// The index of the newest proposal in the log.
    newest: Option<usize>,
    /// The task of the present call.
    call: Option<JoinHandle<()>>,
    /// The present hold on the connection.
    pub(super) held: Option<Hold>,
    /// The number of faults that [`Self::take_faults`] has reported.
    reported_faults: usize,
}

#[derive(Debug)]
enum State {
    Ended,
    Connecting(JoinHandle<Result<Session, alongside_agent::Error>>),
    Connected(Arc<Session>),
}

impl Agent {
    pub(super) fn new(number: usize, log: ProposalLog, fault: Option<ReceiptFault>) -> Self {
        let (proxy, newest, call, held) = (None, None, None, None);
        Self {
            number,
            connection: 0,
            log,
            fault,
            proxy,
            state: State::Ended,
            newest,
            call,
            held,
            reported_faults: 0,
        }
    }

    pub(super) fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    /// Connects again. Returns false if the agent is connected.
    pub(super) fn start(&mut self, clock: &Clock, port: u16, token: &str) -> bool {
        if !matches!(self.state, State::Ended) && !self.has_given_up() {
            return false;
        }
        self.end(clock, false);
        self.connection += 1;
        self.reported_faults = 0;
        let proxy = clock.complete(Proxy::with_fault(port, self.fault));
        proxy.hold(self.held.is_some());
        let (endpoint, token) = (Endpoint::local(proxy.port), token.to_owned());
        let identity = Identity::new("gemini-cli-mcp-client-chaos", self.number.to_string());
        self.proxy = Some(proxy);
        let connect = async move { Session::connect(endpoint, Some(&token), identity).await };
        self.state = State::Connecting(clock.spawn(connect));
        true
    }

    /// Ends the agent, and its waiting proposal. Returns false if the agent had ended.
    pub(super) fn end(&mut self, clock: &Clock, says_so: bool) -> bool {
        let why = if self.has_given_up() { Departure::GaveUp } else { Departure::Ended };
        let state = std::mem::replace(&mut self.state, State::Ended);
        if matches!(state, State::Ended) {
            return false;
        }
        if let Some(waiting) = self.waiting() {
            self.log.record_departure(waiting, why);
        }
        self.newest = None;
        if let Some(call) = self.call.take() {
            call.abort();
            // Lets the runtime drop the task, which owns a part of the session.
            clock.turn(1);
        }
        match state {
            State::Connecting(connecting) => connecting.abort(),
            State::Connected(session) if says_so => {
                if let Ok(session) = Arc::try_unwrap(session) {
                    clock.spawn(async move { session.end().await });
                }
            }
            _ => {}
        }
        true
    }

    /// Whether the agent's client has given up on the companion.
    fn has_given_up(&self) -> bool {
        matches!(&self.state, State::Connected(session) if *session.stream().borrow() == StreamState::Lost)
    }

    /// Returns the index of the proposal that the agent waits for.
    fn waiting(&self) -> Option<usize> {
        let newest = self.newest?;
        self.log.lock().proposals[newest].is_waiting().then_some(newest)
    }

    pub(super) fn propose(&mut self, clock: &Clock, path: &str, text: String, marker: String) -> bool {
        let State::Connected(session) = &self.state else { return false };
        if self.held.is_some() || self.has_given_up() || self.waiting().is_some() {
            return false;
        }
        let (session, log, path) = (session.clone(), self.log.clone(), path.to_owned());
        let mut entries = log.lock();
        let asked = entries.now;
        let proposal = Proposal {
            agent: self.number,
            connection: self.connection,
            path: path.clone(),
            marker,
            text: text.clone(),
            asked,
            ..Proposal::default()
        };
        let index = push(&mut entries.proposals, proposal);
        drop(entries);
        self.newest = Some(index);
        self.call = Some(clock.spawn(async move {
            let opened = session.open_diff(&path, &text).await;
            let stream = session.stream();
            drop(session);
            let shown = opened.as_ref().map(drop).map_err(ToString::to_string);
            log.update(index, |now, proposal| proposal.shown = Some((now, shown)));
            let Ok(pending) = opened else { return };
            let outcome = match pending.outcome().await {
                Received::Accepted { content } => Outcome::Accepted(content),
                Received::Rejected | Received::Closed { .. } => Outcome::Rejected,
                Received::Lost => {
                    if *stream.borrow() != StreamState::Open {
                        log.record_departure(index, Departure::GaveUp);
                    }
                    return;
                }
            };
            log.update(index, |now, proposal| {
                // The agent writes the accepted text, or disobeys.
                if let Some(text) = agent_write::text_to_write(log.unruly, &text, &outcome) {
                    log.project.write(now, Path::new(&path), &text).expect("the project is writable");
                }
                proposal.outcome = Some((now, outcome));
            });
        }));
        true
    }

    /// Calls `closeDiff`, as after a person's answer in the agent's own prompt.
    pub(super) fn answer_in_prompt(&mut self, clock: &Clock) -> bool {
        let (State::Connected(session), Some(index)) = (&self.state, self.waiting()) else { return false };
        if self.held.is_some() {
            return false;
        }
        let (session, log) = (session.clone(), self.log.clone());
        let mut entries = log.lock();
        let asked = entries.now;
        let proposal = &mut entries.proposals[index];
        // The prompt appears after the response to openDiff.
        if !matches!(proposal.shown, Some((_, Ok(())))) || proposal.closed.is_some() {
            return false;
        }
        proposal.closed = Some(CloseCall { asked, answered: None });
        let path = proposal.path.clone();
        drop(entries);
        self.call = Some(clock.spawn(async move {
            let closed = session.close_diff(&path, true).await.map_err(|error| error.to_string());
            drop(session);
            log.update(index, |now, proposal| {
                if let Some(close) = &mut proposal.closed {
                    close.answered = Some((now, closed));
                }
            });
        }));
        true
    }

    /// Takes over the session of a connection attempt that has finished.
    pub(super) fn poll(&mut self, clock: &Clock) {
        if let State::Connecting(connecting) = &mut self.state
            && connecting.is_finished()
        {
            self.state = match clock.complete(connecting) {
                Ok(Ok(session)) => State::Connected(Arc::new(session)),
                _ => State::Ended,
            };
        }
    }

    /// Returns the number of faults that have struck since the last call.
    pub(super) fn take_faults(&mut self) -> usize {
        let struck = self.proxy.as_ref().map_or(0, |proxy| *proxy.struck().borrow());
        struck.saturating_sub(std::mem::replace(&mut self.reported_faults, struck))
    }

    /// Ends the hold on the connection.
    pub(super) fn release(&mut self) {
        if let (Some(hold), Some(proxy)) = (self.held.take(), &self.proxy) {
            if hold.resets {
                proxy.cut();
            }
            proxy.hold(false);
        }
    }
}
