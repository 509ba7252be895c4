//! A desk's connection that outlives its host. After a crash of the host, the connection starts the host
//! again and reports to the desk what was lost.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use alongside_agent::version::release;
use alongside_desk::socket::{Goodbye, Joined, Welcome};
use alongside_desk::{
    Call, Closed, Closing, ContextReport, Desk, Event, Problem, Refusal, Request, ReviewId, Revised, Seat,
    harmless, pair,
};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connect::{connect, reconnect};
use super::join_request::JoinRequest;
use super::port_hold::HostPortHold;
use super::registry::Registry;
use super::registry_entry::{Entry, VERSION};

/// The time for which a connection tries to start its host again, and the time between two attempts: the disk
/// may be full or no file descriptor be free at the moment, and agents wait.
const RESTART_TIMEOUT: Duration = Duration::from_secs(30);
const RESTART_INTERVAL: Duration = Duration::from_secs(1);

/// A host that crashes more often than this within [`CRASH_WINDOW`] is not started again.
const MAX_CRASHES: usize = 5;
const CRASH_WINDOW: Duration = Duration::from_secs(60);

/// A desk that has joined the host of a project.
#[derive(Debug)]
pub struct JoinedDesk {
    /// The desk. It returns [`Gone`](alongside_desk::Gone) when the host has ended for good, not when it has
    /// crashed.
    pub desk: Desk,
    /// The host's first message.
    pub welcome: Welcome,
}

/// Joins the host of a project, or starts one, and joins it again after each crash.
///
/// # Errors
/// When there is no host and none can be started, or it uses another version of the protocol.
pub async fn join(request: JoinRequest) -> anyhow::Result<JoinedDesk> {
    let joined = connect(&request).await?;
    let welcome = joined.welcome.clone();
    let host = &welcome.alongside;
    let (desk, seat) = pair();
    let mut port_hold = HostPortHold::default();
    // The entry is read while the host runs, to start the host again after a crash; and while the host proves
    // itself, because the desk shows nothing before that.
    let read = async { Registry::of_this_process().entries() };
    let ((), entries) = tokio::join!(port_hold.follow(host.clone()), read);
    let relay = Relay {
        request,
        entry: entries.into_iter().find(|entry| entry.name == host.name).unwrap_or_else(|| Entry {
            name: host.name.clone(),
            roots: host.roots.clone(),
            ..Entry::default()
        }),
        port_hold,
        seat,
        open_reviews: BTreeSet::new(),
        context: None,
        paused: false,
        leave: Leave::NotAsked,
    };
    if is_older(&welcome.server_info.version) {
        let what = format!(
            "the companion of this project still runs the older alongside {}",
            harmless::name(&welcome.server_info.version)
        );
        relay.problem(&what, Some("hand over to this version with `alongside host --replace`"));
    }
    tokio::spawn(relay.run(joined));
    Ok(JoinedDesk { desk, welcome })
}

/// Whether the host has an older version than this program: after an update, the running host keeps its
/// version.
fn is_older(version: &str) -> bool {
    matches!((release(version), release(VERSION)), (Some(host), Some(own)) if host < own)
}

/// Relays messages between a desk and the current host.
struct Relay {
    request: JoinRequest,
    entry: Entry,
    port_hold: HostPortHold,
    seat: Seat,
    /// The reviews that are open at the desk.
    open_reviews: BTreeSet<ReviewId>,
    /// The last context report of the desk, which is repeated to a new host.
    context: Option<ContextReport>,
    paused: bool,
    leave: Leave,
}

/// Whether the desk has asked to leave.
enum Leave {
    NotAsked,
    /// The desk has asked while the host was away. The request is passed on when the host is back.
    Deferred(Call),
    /// The request was passed on to the host.
    Sent,
}

type Reply = Result<Revised, Refusal>;

/// Passes a reply on. Without a reply, because the host is gone, replies that the request was interrupted.
fn reply_to(to: oneshot::Sender<Reply>, reply: Result<Reply, oneshot::error::RecvError>) {
    let _ = to.send(reply.unwrap_or(Err(Refusal::Interrupted)));
}

/// The reason why a connection is over.
enum Disconnect {
    /// The desk was dropped, or has left.
    Desk,
    /// The host has ended, with a goodbye unless it crashed.
    Host(Option<Goodbye>),
}

impl Relay {
    async fn run(mut self, mut joined: Joined) {
        let mut crashes: Vec<Instant> = Vec::new();
        loop {
            self.port_hold.follow(joined.welcome.alongside.clone()).await;
            let goodbye = match self.relay(&mut joined).await {
                Disconnect::Desk => return,
                Disconnect::Host(goodbye) => goodbye,
            };
            match goodbye {
                Some(Goodbye::Stopped) => return,
                Some(Goodbye::HandedOver) => {
                    self.interrupt("the companion is being replaced by a newer one", None, Closing::Stopped);
                }
                None => {
                    crashes.retain(|crash| crash.elapsed() < CRASH_WINDOW);
                    crashes.push(Instant::now());
                    let hint = "it is started again; agents that call themselves disconnected come back with \
                                `/ide enable`";
                    self.interrupt("the companion was interrupted", Some(hint), Closing::Interrupted);
                }
            }
            if crashes.len() > MAX_CRASHES {
                return self
                    .problem("the companion crashes again and again", Some("`alongside log` shows why"));
            }
            joined = match self.restart().await {
                Ok(joined) => joined,
                Err(error) => {
                    tracing::error!("{error:#}");
                    return self.problem(&format!("the companion cannot be started again: {error:#}"), None);
                }
            };
            self.repeat_state(&joined.desk);
        }
    }

    /// Relays messages until one of the two sides is gone.
    async fn relay(&mut self, joined: &mut Joined) -> Disconnect {
        self.leave = match std::mem::replace(&mut self.leave, Leave::NotAsked) {
            Leave::Deferred(call) => {
                joined.desk.pass_on(call);
                Leave::Sent
            }
            other => other,
        };
        let mut replies = FuturesOrdered::new();
        let disconnect = loop {
            tokio::select! {
                event = joined.desk.next() => {
                    let Ok(event) = event else { break None };
                    if !self.send_to_desk(event) {
                        break Some(Disconnect::Desk);
                    }
                }
                Some((to, reply)) = replies.next(), if !replies.is_empty() => {
                    // The desk receives the changes of a request before its reply.
                    while let Some(event) = joined.desk.try_next() {
                        self.send_to_desk(event);
                    }
                    reply_to(to, reply);
                }
                call = self.seat.calls.recv() => {
                    let Some(Call { request, answer }) = call else { break Some(Disconnect::Desk) };
                    match &request {
                        Request::ChangeContext(report) => self.context = Some(report.clone()),
                        Request::ChangeRoots { added, removed } => self.change_roots(added, removed),
                        Request::Leave => self.leave = Leave::Sent,
                        _ => {}
                    }
                    let reply = joined.desk.send(request);
                    replies.push_back(async { (answer, reply.await) });
                }
            }
        };
        if let Some(disconnect) = disconnect {
            return disconnect;
        }
        while let Some((to, reply)) = replies.next().await {
            reply_to(to, reply);
        }
        match self.leave {
            Leave::NotAsked => Disconnect::Host((&mut joined.parted).await.ok().flatten()),
            Leave::Deferred(_) | Leave::Sent => Disconnect::Desk,
        }
    }

    /// Sends an event to the desk. Returns false if the desk is gone.
    fn send_to_desk(&mut self, event: Event) -> bool {
        match &event {
            Event::Opened(review) => drop(self.open_reviews.insert(review.id)),
            Event::Closed(closed) => drop(self.open_reviews.remove(&closed.id)),
            Event::Status(status) => {
                self.paused = status.paused;
                // A host that is started again serves the projects that the last one served at its end.
                self.entry.roots.clone_from(&status.roots);
            }
            _ => {}
        }
        self.seat.events.send(event).is_ok()
    }

    /// Closes the open reviews at the desk. The host rejects them now, or when it is back.
    fn interrupt(&mut self, what: &str, hint: Option<&str>, closing: Closing) {
        self.problem(what, hint);
        for id in std::mem::take(&mut self.open_reviews) {
            let closed = Closed {
                id,
                closing,
                decided_here: false,
                decided_in: None,
                draft: None,
                follows: alongside_desk::Follows::Write,
            };
            let _ = self.seat.events.send(Event::Closed(closed));
        }
    }

    fn problem(&self, what: &str, hint: Option<&str>) {
        let problem = Problem { hint: hint.map(str::to_owned), ..Problem::without_hint(what) };
        let _ = self.seat.events.send(Event::Problem(problem));
    }

    /// Starts the host again, or joins the host that has replaced it. Refuses calls in the meantime.
    async fn restart(&mut self) -> anyhow::Result<Joined> {
        let (request, entry) = (self.request.clone(), self.entry.clone());
        let hold = self.port_hold.get().cloned();
        let joining = async move {
            let until = Instant::now() + RESTART_TIMEOUT;
            loop {
                let error = match reconnect(&request, &entry, hold.as_ref()).await {
                    Ok(joined) => return Ok(joined),
                    Err(error) => error,
                };
                match connect(&request).await {
                    Ok(joined) => return Ok(joined),
                    Err(_) if Instant::now() < until => tracing::warn!("{error:#}; the desk tries again"),
                    Err(_) => return Err(error),
                }
                tokio::time::sleep(RESTART_INTERVAL).await;
            }
        };
        tokio::pin!(joining);
        loop {
            tokio::select! {
                joined = &mut joining => return joined,
                Some(call) = self.seat.calls.recv() => {
                    if call.request == Request::Leave {
                        self.leave = Leave::Deferred(call);
                        continue;
                    }
                    let reply = match call.request {
                        Request::ChangeContext(report) => {
                            self.context = Some(report);
                            Ok(Revised::default())
                        }
                        Request::ChangeRoots { added, removed } => {
                            self.change_roots(&added, &removed);
                            Ok(Revised::default())
                        }
                        _ => Err(Refusal::Interrupted),
                    };
                    let _ = call.answer.send(reply);
                }
            }
        }
    }

    /// Records that the editor has opened or closed projects, with which it joins the next host.
    fn change_roots(&mut self, added: &[PathBuf], removed: &[PathBuf]) {
        self.request.dirs.retain(|root| !removed.contains(root));
        self.request.dirs.extend(added.iter().cloned());
    }

    /// Sends a new host the state that the desk had sent to the old one.
    fn repeat_state(&self, desk: &Desk) {
        if let Some(context) = &self.context {
            desk.send(Request::ChangeContext(context.clone()));
        }
        if self.paused {
            desk.send(Request::PauseContext { paused: true });
        }
    }
}
