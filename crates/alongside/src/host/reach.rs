//! A desk that outlives its host: when the host crashes, it is started again, and the desk is told what was
//! lost.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::socket::{Goodbye, Joined, Welcome};
use alongside_desk::{
    Call, Closed, Closing, ContextReport, Desk, Event, Problem, Refusal, Request, ReviewId, Revised, Seat,
    pair,
};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::hold::Holding;
use super::meet::{Wish, meet, meet_again};
use super::registry::{Entry, Registry};

/// For how long it is tried to start a host again, and how often: there may be no room or no descriptor just
/// then, and agents wait.
const TRIED_FOR: Duration = Duration::from_secs(30);
const TRIED_EVERY: Duration = Duration::from_secs(1);

/// A host that crashes this often within [`WHILE`] is not started again.
const CRASHES: usize = 5;
const WHILE: Duration = Duration::from_secs(60);

/// A desk at the host of a project.
#[derive(Debug)]
pub(crate) struct Reached {
    /// It says [`Gone`](alongside_desk::Gone) when the host has ended for good, not when it has crashed.
    pub(crate) desk: Desk,
    /// What the host said of itself.
    pub(crate) welcome: Welcome,
}

/// Joins the host of a project, or starts one; see [`Wish`].
///
/// # Errors
/// As [`meet`].
pub(crate) async fn reach(wish: Wish) -> anyhow::Result<Reached> {
    let joined = meet(&wish).await?;
    let welcome = joined.welcome.clone();
    let (desk, seat) = pair();
    let mut carrier = Carrier {
        wish,
        entry: entry(&welcome),
        holding: Holding::default(),
        seat,
        waiting: BTreeSet::new(),
        context: None,
        paused: false,
        leaving: false,
        leave: None,
    };
    carrier.holding.follow(welcome.alongside.clone()).await;
    tokio::spawn(carrier.run(joined));
    Ok(Reached { desk, welcome })
}

/// What is needed to start the host again, as it was when we joined: afterwards its own words are gone.
fn entry(welcome: &Welcome) -> Entry {
    let host = &welcome.alongside;
    let entries = Registry::open().map(|registry| registry.entries()).unwrap_or_default();
    let known = entries.into_iter().find(|entry| entry.name == host.name);
    known.unwrap_or_else(|| Entry { name: host.name.clone(), roots: host.roots.clone(), ..Entry::default() })
}

/// Carries messages between a desk and whichever host there is.
struct Carrier {
    wish: Wish,
    entry: Entry,
    holding: Holding,
    seat: Seat,
    /// Reviews that the desk knows as open.
    waiting: BTreeSet<ReviewId>,
    /// What the desk reported last: a new host has to hear it again.
    context: Option<ContextReport>,
    paused: bool,
    /// The desk has asked to leave; a host that is away just then hears it when it is back, and ends.
    leaving: bool,
    leave: Option<Call>,
}

type Answer = Result<Revised, Refusal>;

/// Hands an answer on. None comes from a host that has gone.
fn answer_to(to: oneshot::Sender<Answer>, answer: Result<Answer, oneshot::error::RecvError>) {
    // Nobody need wait for it.
    let _ = to.send(answer.unwrap_or(Err(Refusal::Interrupted)));
}

/// Why a connection is over.
enum Over {
    /// The desk was dropped, or has left.
    Desk,
    Host(Option<Goodbye>),
}

impl Carrier {
    async fn run(mut self, mut joined: Joined) {
        let mut crashes: Vec<Instant> = Vec::new();
        loop {
            self.holding.follow(joined.welcome.alongside.clone()).await;
            let how = match self.carry(&mut joined).await {
                Over::Desk => return,
                Over::Host(how) => how,
            };
            match how {
                Some(Goodbye::Stopped) => return,
                Some(Goodbye::HandedOver) => {
                    self.interrupted(
                        "the companion is being replaced by a newer one",
                        None,
                        Closing::Stopped,
                    );
                }
                None => {
                    crashes.retain(|crash| crash.elapsed() < WHILE);
                    crashes.push(Instant::now());
                    let hint = "it is started again; agents that call themselves disconnected come back with `/ide enable`";
                    self.interrupted("the companion was interrupted", Some(hint), Closing::Interrupted);
                }
            }
            if crashes.len() > CRASHES {
                return self.problem(
                    "the companion crashes again and again",
                    Some("`alongside log` shows what it said"),
                );
            }
            joined = match self.join_again().await {
                Ok(joined) => joined,
                Err(error) => {
                    tracing::error!("{error:#}");
                    return self.problem(&format!("the companion cannot be started again: {error:#}"), None);
                }
            };
            self.repeat(&joined.desk);
        }
    }

    /// Carries messages until one of the two is gone.
    async fn carry(&mut self, joined: &mut Joined) -> Over {
        if let Some(call) = self.leave.take() {
            joined.desk.pass_on(call);
        }
        let mut answers = FuturesOrdered::new();
        let over = loop {
            tokio::select! {
                event = joined.desk.next() => {
                    let Ok(event) = event else { break None };
                    if !self.tell(event) {
                        break Some(Over::Desk);
                    }
                }
                Some((to, answer)) = answers.next(), if !answers.is_empty() => {
                    // What it changed is told before it.
                    while let Some(event) = joined.desk.try_next() {
                        self.tell(event);
                    }
                    answer_to(to, answer);
                }
                call = self.seat.calls.recv() => {
                    let Some(Call { request, answer }) = call else { break Some(Over::Desk) };
                    match &request {
                        Request::ChangeContext(report) => self.context = Some(report.clone()),
                        Request::Leave => self.leaving = true,
                        _ => {}
                    }
                    let answered = joined.desk.send(request);
                    answers.push_back(async { (answer, answered.await) });
                }
            }
        };
        if let Some(over) = over {
            return over;
        }
        while let Some((to, answer)) = answers.next().await {
            answer_to(to, answer);
        }
        if self.leaving { Over::Desk } else { Over::Host((&mut joined.parted).await.ok().flatten()) }
    }

    /// Tells the desk; false if it is gone.
    fn tell(&mut self, event: Event) -> bool {
        match &event {
            Event::Opened(review) => drop(self.waiting.insert(review.id)),
            Event::Closed(closed) => drop(self.waiting.remove(&closed.id)),
            Event::Status(status) => {
                self.paused = status.paused;
                // Projects come and go; a host that is started again serves those of the last one.
                self.entry.roots.clone_from(&status.roots);
            }
            _ => {}
        }
        self.seat.events.send(event).is_ok()
    }

    /// The host is not there: what was open is rejected, if not now, then when it is back.
    fn interrupted(&mut self, what: &str, hint: Option<&str>, closing: Closing) {
        self.problem(what, hint);
        for id in std::mem::take(&mut self.waiting) {
            let closed = Closed { id, closing, decided_here: false, draft: None };
            let _ = self.seat.events.send(Event::Closed(closed));
        }
    }

    fn problem(&self, what: &str, hint: Option<&str>) {
        let problem = Problem { what: what.to_owned(), hint: hint.map(str::to_owned) };
        // A desk that is gone needs not be told.
        let _ = self.seat.events.send(Event::Problem(problem));
    }

    /// The same host, or, where its place is taken by another, that one. Calls are refused in the meantime.
    async fn join_again(&mut self) -> anyhow::Result<Joined> {
        let (wish, entry) = (self.wish.clone(), self.entry.clone());
        let hold = self.holding.get().cloned();
        let joining = async move {
            let until = Instant::now() + TRIED_FOR;
            loop {
                let error = match meet_again(&wish, &entry, hold.as_ref()).await {
                    Ok(joined) => return Ok(joined),
                    Err(error) => error,
                };
                match meet(&wish).await {
                    Ok(joined) => return Ok(joined),
                    Err(_) if Instant::now() < until => tracing::warn!("{error:#}; it is tried again"),
                    Err(_) => return Err(error),
                }
                tokio::time::sleep(TRIED_EVERY).await;
            }
        };
        tokio::pin!(joining);
        loop {
            tokio::select! {
                joined = &mut joining => return joined,
                Some(call) = self.seat.calls.recv() => {
                    if call.request == Request::Leave {
                        self.leaving = true;
                        self.leave = Some(call);
                        continue;
                    }
                    let answer = match call.request {
                        Request::ChangeContext(report) => {
                            self.context = Some(report);
                            Ok(Revised::default())
                        }
                        _ => Err(Refusal::Interrupted),
                    };
                    let _ = call.answer.send(answer);
                }
            }
        }
    }

    /// Tells a new host what the old one knew.
    fn repeat(&self, desk: &Desk) {
        if let Some(context) = &self.context {
            desk.send(Request::ChangeContext(context.clone()));
        }
        if self.paused {
            desk.send(Request::PauseContext { paused: true });
        }
    }
}
