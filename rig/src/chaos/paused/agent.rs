//! An agent: our own client, which settles outcomes by path as shipped clients do, behind a proxy of its own.
//! It has one diff at a time, and turns to the next one when it has heard of the last.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alongside_agent::{Endpoint, Identity, Outcome as Heard, Session, StreamState};
use anyhow::Result;
use tokio::task::JoinHandle;

use super::clock::Clock;
use crate::chaos::project::Project;
use crate::chaos::record::{Close, Gone, Outcome, Proposal};
use crate::wire::{Proxy, ReceiptFault};

/// What agents' tasks note of their proposals, and the time they do it at; and the files that they write.
#[derive(Debug, Clone)]
pub(super) struct Notes {
    book: Arc<Mutex<Book>>,
    project: Project,
}

#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) now: u64,
    pub(super) proposals: Vec<Proposal>,
    /// Counts what was noted.
    pub(super) news: usize,
    /// The round is over: what comes now counts no more.
    pub(super) is_closed: bool,
}

impl Notes {
    pub(super) fn new(project: Project) -> Self {
        Self { book: Arc::default(), project }
    }

    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, proposal: usize, what: impl FnOnce(u64, &mut Proposal)) {
        let mut book = self.book();
        if !book.is_closed {
            book.news += 1;
            let now = book.now;
            what(now, &mut book.proposals[proposal]);
        }
    }
}

#[derive(Debug)]
pub(super) struct Agent {
    number: usize,
    life: usize,
    notes: Notes,
    /// Its proxies get receipts wrong in this way.
    fault: Option<ReceiptFault>,
    proxy: Option<Proxy>,
    state: State,
    /// The newest proposal, by its place in the notes.
    newest: Option<usize>,
    /// A call that is on its way.
    call: Option<JoinHandle<()>>,
    /// Until when nothing passes, and whether the connections are reset then.
    pub(super) held: Option<(u64, bool)>,
    struck: usize,
}

#[derive(Debug)]
enum State {
    Ended,
    Connecting(JoinHandle<Result<Session, alongside_agent::Error>>),
    Connected(Arc<Session>),
}

impl Agent {
    pub(super) fn new(number: usize, notes: Notes, fault: Option<ReceiptFault>) -> Self {
        let (proxy, newest, call, held) = (None, None, None, None);
        Self { number, life: 0, notes, fault, proxy, state: State::Ended, newest, call, held, struck: 0 }
    }

    pub(super) fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    /// Connects anew, if it is not connected.
    pub(super) fn start(&mut self, clock: &Clock, port: u16, token: &str) -> bool {
        if !matches!(self.state, State::Ended) && !self.is_deaf() {
            return false;
        }
        self.end(clock, false);
        self.life += 1;
        self.struck = 0;
        let proxy = clock.complete(Proxy::with_fault(port, self.fault));
        proxy.hold(self.held.is_some());
        let (endpoint, token) = (Endpoint::local(proxy.port), token.to_owned());
        let identity = Identity::new("gemini-cli-mcp-client-chaos", self.number.to_string());
        self.proxy = Some(proxy);
        let connect = async move { Session::connect(endpoint, Some(&token), identity).await };
        self.state = State::Connecting(clock.spawn(connect));
        true
    }

    /// Ends it. What waited is nobody's from now on.
    pub(super) fn end(&mut self, clock: &Clock, says_so: bool) -> bool {
        let state = std::mem::replace(&mut self.state, State::Ended);
        if matches!(state, State::Ended) {
            return false;
        }
        let is_deaf =
            matches!(&state, State::Connected(session) if *session.stream().borrow() == StreamState::Lost);
        if let Some(waiting) = self.waiting() {
            let why = if is_deaf { Gone::Deaf } else { Gone::Ended };
            self.notes.note(waiting, |now, proposal| proposal.gone = proposal.gone.or(Some((now, why))));
        }
        self.newest = None;
        if let Some(call) = self.call.take() {
            call.abort();
            // Dropped, it lets the session go.
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

    /// Whether its client has given up.
    fn is_deaf(&self) -> bool {
        matches!(&self.state, State::Connected(session) if *session.stream().borrow() == StreamState::Lost)
    }

    /// What it waits for.
    fn waiting(&self) -> Option<usize> {
        let newest = self.newest?;
        let book = self.notes.book();
        let proposal = &book.proposals[newest];
        let has_failed = matches!(proposal.shown, Some((_, Err(_))));
        let is_closed = proposal.closed.as_ref().is_some_and(|close| close.answered.is_some());
        (proposal.outcome.is_none() && !has_failed && !is_closed && proposal.gone.is_none()).then_some(newest)
    }

    pub(super) fn propose(&mut self, clock: &Clock, path: &str, text: String, mark: String) -> bool {
        let State::Connected(session) = &self.state else { return false };
        if self.held.is_some() || self.is_deaf() || self.waiting().is_some() {
            return false;
        }
        let (session, notes, path) = (session.clone(), self.notes.clone(), path.to_owned());
        let mut book = notes.book();
        let at = book.proposals.len();
        let asked = book.now;
        book.proposals.push(Proposal {
            agent: self.number,
            life: self.life,
            release: None,
            path: path.clone(),
            mark,
            text: text.clone(),
            asked,
            shown: None,
            outcome: None,
            closed: None,
            gone: None,
        });
        drop(book);
        self.newest = Some(at);
        self.call = Some(clock.spawn(async move {
            let opened = session.open_diff(&path, &text).await;
            let stream = session.stream();
            drop(session);
            let said = opened.as_ref().map(drop).map_err(ToString::to_string);
            notes.note(at, |now, proposal| proposal.shown = Some((now, said)));
            let Ok(pending) = opened else { return };
            let outcome = match pending.outcome().await {
                Heard::Accepted { content } => Outcome::Accepted(content),
                Heard::Rejected | Heard::Closed { .. } => Outcome::Rejected,
                Heard::Lost => {
                    if *stream.borrow() != StreamState::Open {
                        notes.note(at, |now, proposal| {
                            proposal.gone = proposal.gone.or(Some((now, Gone::Deaf)))
                        });
                    }
                    return;
                }
            };
            notes.note(at, |now, proposal| {
                // As agents do.
                if let Outcome::Accepted(text) = &outcome {
                    notes.project.write(now, Path::new(&path), text).expect("the project can be written");
                }
                proposal.outcome = Some((now, outcome));
            });
        }));
        true
    }

    /// A person answers it in its own prompt.
    pub(super) fn answer(&mut self, clock: &Clock) -> bool {
        let (State::Connected(session), Some(at)) = (&self.state, self.waiting()) else { return false };
        if self.held.is_some() {
            return false;
        }
        let (session, notes) = (session.clone(), self.notes.clone());
        let mut book = notes.book();
        let asked = book.now;
        let proposal = &mut book.proposals[at];
        // Its prompt is there when openDiff is answered.
        if !matches!(proposal.shown, Some((_, Ok(())))) || proposal.closed.is_some() {
            return false;
        }
        proposal.closed = Some(Close { asked, answered: None });
        let path = proposal.path.clone();
        drop(book);
        self.call = Some(clock.spawn(async move {
            let closed = session.close_diff(&path, true).await.map_err(|error| error.to_string());
            drop(session);
            notes.note(at, |now, proposal| {
                if let Some(close) = &mut proposal.closed {
                    close.answered = Some((now, closed));
                }
            });
        }));
        true
    }

    /// Looks whether it has connected.
    pub(super) fn look(&mut self, clock: &Clock) {
        if let State::Connecting(connecting) = &mut self.state
            && connecting.is_finished()
        {
            self.state = match clock.complete(connecting) {
                Ok(Ok(session)) => State::Connected(Arc::new(session)),
                _ => State::Ended,
            };
        }
    }

    /// How many faults have struck since this was asked last.
    pub(super) fn struck(&mut self) -> usize {
        let struck = self.proxy.as_ref().map_or(0, |proxy| *proxy.struck().borrow());
        let news = struck.saturating_sub(self.struck);
        self.struck = struck;
        news
    }

    /// From now on something passes again.
    pub(super) fn let_go(&mut self) {
        if let (Some((_, resets)), Some(proxy)) = (self.held.take(), &self.proxy) {
            if resets {
                proxy.cut();
            }
            proxy.hold(false);
        }
    }
}
