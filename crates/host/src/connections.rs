//! The connections to the host's socket. Each has a task that passes the requests of the other side to the
//! main loop as [events](Event), and serves a desk until it disconnects.

use std::time::Duration;

use alongside_desk::Request;
use alongside_desk::socket::{DisconnectReason, FirstRequest, Goodbye, receive};
use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::events::{ConnectedDesk, Event};
use super::lifecycle::Departure;
use super::registry_entry::VERSION;

/// The time in which desks receive the last messages.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(2);
/// The pause after a failure to accept a connection: the process may have no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// All connections, and the listener.
pub(super) struct Connections {
    listener: Listener,
    tasks: JoinSet<()>,
    events: mpsc::UnboundedSender<Event>,
    inbox: mpsc::UnboundedReceiver<Event>,
    /// Sends the goodbye to the desks that are still connected at the end.
    goodbye: watch::Sender<Option<Goodbye>>,
}

impl Connections {
    pub(super) fn new(listener: Listener) -> Self {
        let (events, inbox) = mpsc::unbounded_channel();
        Self { listener, tasks: JoinSet::new(), events, inbox, goodbye: watch::Sender::new(None) }
    }

    /// Replaces the listener.
    pub(super) fn listen_at(&mut self, listener: Listener) {
        self.listener = listener;
    }

    /// Accepts connections until one of them sends an event. Cancel safe.
    pub(super) async fn next_event(&mut self) -> Event {
        loop {
            tokio::select! {
                stream = self.listener.accept() => match stream {
                    Ok(stream) => {
                        let (events, goodbye) = (self.events.clone(), self.goodbye.subscribe());
                        self.tasks.spawn(Connection { events, goodbye }.serve(stream));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(_) = self.tasks.join_next() => {}
                Some(event) = self.inbox.recv() => return event,
            }
        }
    }

    /// Sends the goodbye to every desk.
    pub(super) fn say_goodbye(&self, how: Goodbye) {
        self.goodbye.send_replace(Some(how));
    }

    /// Waits until every desk has received the outcomes of its reviews and the goodbye, but no longer than
    /// [`GOODBYE_TIMEOUT`].
    pub(super) async fn finish(mut self) {
        let finished = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GOODBYE_TIMEOUT, finished).await;
    }
}

/// The task of one connection. The main loop may end at any time. Then the events of the task are dropped.
struct Connection {
    events: mpsc::UnboundedSender<Event>,
    goodbye: watch::Receiver<Option<Goodbye>>,
}

impl Connection {
    async fn serve(self, stream: Stream) {
        let (hello, party) = match receive(stream, VERSION).await {
            Ok(Some(FirstRequest::Join(hello, party))) => (Box::new(hello), party),
            Ok(Some(FirstRequest::HandOver(requester))) => {
                return self.send(Event::EndWanted { how: Goodbye::HandedOver, requester });
            }
            Ok(Some(FirstRequest::Stop(requester))) => {
                return self.send(Event::EndWanted { how: Goodbye::Stopped, requester });
            }
            Ok(Some(FirstRequest::Report(mut requester))) => {
                let (answer, report) = oneshot::channel();
                self.send(Event::ReportWanted(answer));
                if let Ok(report) = report.await {
                    let _ = requester.report(&report).await;
                }
                return;
            }
            Ok(Some(FirstRequest::Propose(proposal, mut peer))) => {
                let (answer, verdict) = oneshot::channel();
                self.send(Event::ReviewWanted { proposal, answer });
                let Ok(verdict) = verdict.await else { return };
                // A hook that closes the connection has ended. Dropping the verdict ends its review.
                tokio::select! {
                    verdict = verdict => drop(peer.decide(&verdict).await),
                    () = peer.gone() => tracing::info!("a hook is gone"),
                }
                return;
            }
            Ok(Some(FirstRequest::TurnTaken(taken))) => return self.send(Event::SnapshotTaken(taken)),
            Ok(None) => return,
            Err(error) => return tracing::info!(%error, "a connection said nothing that can be understood"),
        };
        let (answer, desk) = oneshot::channel();
        let protocol = hello.initialization_options.alongside.protocol;
        self.send(Event::JoinWanted { hello, answer });
        let Ok(ConnectedDesk { id, desk, mut welcome }) = desk.await else { return };
        welcome.alongside.protocol = protocol;
        let noticed = |request: &Request| self.notice(id, request);
        let left = async || {
            let (answer, is_end) = oneshot::channel();
            self.send(Event::Parted { id, departure: Departure::Left, answer });
            is_end.await.unwrap_or(true)
        };
        let mut goodbye = self.goodbye.clone();
        let goodbye = async || match goodbye.wait_for(Option::is_some).await {
            Ok(how) => (*how).unwrap_or(Goodbye::Stopped),
            Err(_) => Goodbye::Stopped,
        };
        let parting = party.serve(&welcome, desk, noticed, left, goodbye).await;
        tracing::info!(desk = id, ?parting, "a desk parts");
        if parting == DisconnectReason::Lost {
            self.send(Event::Parted { id, departure: Departure::Vanished, answer: oneshot::channel().0 });
        }
    }

    fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Passes on the requests of a desk that concern the host, and not only the companion.
    fn notice(&self, id: u64, request: &Request) {
        if matches!(request, Request::ChangeContext(_)) {
            self.send(Event::ContextReported { id });
        }
        match request {
            Request::Focus => self.send(Event::Focused { id }),
            Request::ChangeContext(report) if report.active.is_some() => self.send(Event::Focused { id }),
            Request::ChangeRoots { added, removed } => {
                self.send(Event::RootsChanged { id, added: added.clone(), removed: removed.clone() });
            }
            _ => {}
        }
    }
}
