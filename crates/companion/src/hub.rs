//! The one loop that owns all state: sessions, reviews, open files, desks. Everything else sends it events
//! and gets messages; nothing here waits for a disk, a network or a person.

mod agents;
mod desks;
mod editor;
mod events;
mod handle;
mod journal;
mod look;
mod reviews;
mod start;
mod telling;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_contract::discovery::Stdio;
use alongside_desk::{self as desk, Problem, SharedFile, Status};
use alongside_platform::watch::Watch;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::context::OpenFiles;
use crate::context::debounce::Debounce;
use crate::drafts::Drafts;
use crate::review::Reviews;
use crate::scribe::{Answers, Job, Scribe};
use crate::session::Session;
use crate::session::outbox::Receipts;

pub(crate) use events::{DeskId, Event, Events, LastText, Unwelcome};
pub(crate) use handle::Hub;
pub(crate) use start::start;

/// How soon after something has changed told files are looked at, and how often targets of waiting reviews
/// are.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How soon the discovery files are looked after then: cleaners of `/tmp` take them, and a companion that
/// ends leaves shared names free.
const REPUBLISH_EVERY: Duration = Duration::from_secs(10);
/// While time runs out for somebody, the loop wakes for each look. If it comes so much later, it could not:
/// the process was stopped, or the machine.
const STOOD_STILL: Duration = Duration::from_secs(5);
/// If it comes so much later than it was to wake, it was held up, and what agents have said meanwhile waits
/// in our sockets.
const HELD_UP: Duration = Duration::from_millis(50);
/// How often at most desks are told the status: it names every agent, and of many one always comes, goes or
/// is answered.
const STATUS_EVERY: Duration = Duration::from_millis(100);
/// What follows from an event is looked for in all sessions: once for as many events as wait, and so many at
/// most, for deadlines wait meanwhile.
const AT_ONCE: usize = 128;
/// How long stopping waits for agents to confirm that their reviews are rejected.
const LAST_RECEIPTS: Duration = Duration::from_millis(500);

/// All state there is.
pub(crate) struct State {
    port: u16,
    /// All that is listened on.
    addresses: Vec<SocketAddr>,
    token: Arc<str>,
    roots: Vec<PathBuf>,
    /// The same without links.
    real_roots: Vec<PathBuf>,
    /// The editor's process.
    editor: u32,
    stdio: Option<Stdio>,
    /// Variables that lead agents to us. They hold the token.
    environment: desk::Environment,
    sessions: BTreeMap<String, Session>,
    reviews: Reviews,
    files: OpenFiles,
    /// What agents are told of the files.
    context: Arc<IdeContext>,
    /// The same as desks show it.
    told_files: Vec<SharedFile>,
    looking: look::Looking,
    debounce: Debounce,
    desks: BTreeMap<DeskId, Seated>,
    telling: telling::Telling,
    /// `closeDiff` calls that wait for desks to send what they have not sent.
    flushes: Vec<reviews::Flush>,
    problems: Vec<Problem>,
    /// What happened while nobody was there: told to the first who shows it to a person.
    news: Vec<Problem>,
    /// Roots that are no directories any more, so that it is said once.
    vanished: Vec<PathBuf>,
    drafts: Drafts,
    scribe: Scribe,
    events: Events,
    /// Begins the names of drafts: the companion's start, in milliseconds since the Unix epoch.
    started: u64,
    /// Numbers what is written of drafts.
    last_draft: u64,
    last_session: u64,
    last_stream: u64,
    /// Hears that something may have changed on the disk.
    watch: Arc<Watch>,
    /// `None` while there is nothing to look at.
    next_look: Option<Instant>,
    next_republish: Option<Instant>,
    /// Where our own files are, which others may take away.
    kept_in: Vec<PathBuf>,
    /// Somebody else has a name that we want, and may end without a word.
    has_rival: bool,
    keeps_journal: bool,
    stale: journal::Stale,
    /// It is being written. What changes meanwhile is in the next one.
    journal_is_underway: bool,
    /// The sessions that are in it.
    underway: Vec<String>,
    /// Said while it cannot be written.
    journal_problem: Option<Problem>,
    /// Said while the disk is full.
    disk_problem: Option<Problem>,
    /// What keeps which agents from finding us.
    unpublished: Vec<Problem>,
    /// Given once everything they speak of is written: a crash must not make an agent wait for what nobody
    /// knows of, nor take back what a person was told.
    held_answers: Answers,
    told: Status,
    /// Before, desks are not told the status again.
    next_status: Instant,
    /// It may have changed since.
    status_waits: bool,
    stopping: Option<Stopping>,
    /// Whether streams are cut when the loop ends.
    cut: Arc<AtomicBool>,
    /// The editor is gone: nobody shall find us.
    hidden: bool,
    receipts: Receipts,
}

/// A desk that has joined.
struct Seated {
    /// It shows no reviews.
    observes: bool,
    events: mpsc::UnboundedSender<desk::Event>,
}

/// The last moments.
struct Stopping {
    until: Instant,
    done: Vec<oneshot::Sender<()>>,
    /// The journal and the files stay for a successor.
    hands_over: bool,
}

impl State {
    /// Runs until stopped; returns those who wait for the end.
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Event>) -> (Scribe, Option<Stopping>) {
        loop {
            let due = self.next_deadline();
            let next = self.next_event(due, &mut inbox).await;
            self.notice_delay(due);
            match next {
                Some(event) => {
                    self.handle(event);
                    std::iter::from_fn(|| inbox.try_recv().ok())
                        .take(AT_ONCE)
                        .for_each(|event| self.handle(event));
                }
                None => {
                    self.tick(Instant::now());
                    // Whatever is due again and again, events get their turn.
                    inbox.try_recv().into_iter().for_each(|event| self.handle(event));
                }
            }
            self.tell_status();
            self.write_journal();
            self.plan_looks(Instant::now());
            if let Some(stopping) = &self.stopping {
                let settled =
                    self.sessions.values().all(|one| one.stream.is_none() || one.outbox.is_settled());
                if settled && self.telling.is_done() || stopping.until <= Instant::now() {
                    break;
                }
            }
        }
        self.write_last();
        self.tell_status_now();
        self.tell_the_rest();
        // Dropping the sessions ends their streams.
        self.cut.store(self.stopping.as_ref().is_some_and(|stopping| stopping.hands_over), Ordering::Release);
        (self.scribe, self.stopping)
    }

    /// The next event; `None` when a deadline has come first.
    async fn next_event(
        &self,
        due: Option<Instant>,
        inbox: &mut mpsc::UnboundedReceiver<Event>,
    ) -> Option<Event> {
        tokio::select! {
            biased;
            () = until(due) => None,
            event = inbox.recv() => event,
            // Those who change something do so in many steps.
            () = self.watch.changed(), if self.next_look.is_none() || self.next_republish.is_none() => Some(Event::DiskChanged),
        }
    }

    /// After a process was stopped, nothing that was held back is told before what waits in the sockets is
    /// read: an agent that has proposed anew would take it for the answer to that.
    fn notice_delay(&mut self, due: Option<Instant>) {
        let now = Instant::now();
        if due.is_some_and(|due| now.saturating_duration_since(due) >= HELD_UP) {
            self.sessions.values_mut().for_each(|session| session.hold_back(now));
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let sessions = self.sessions.values();
        let agents =
            sessions.flat_map(|one| [one.resend_at(), one.freed_at(), one.views_close_at()]).flatten();
        let others = [
            self.debounce.deadline(),
            self.stopping.as_ref().map(|stopping| stopping.until),
            self.status_waits.then_some(self.next_status),
            self.next_look,
            self.next_republish,
        ];
        let flushes = self.flushes.iter().map(|flush| flush.until);
        agents.chain(others.into_iter().flatten()).chain(flushes).min()
    }

    /// Plans to look again where nobody tells of changes, time runs out for somebody, or the journal cannot
    /// be written: with nothing of that, the loop sleeps.
    fn plan_looks(&mut self, now: Instant) {
        let runs_out = |one: &Session| one.freed_at().is_some() || one.views_close_at().is_some();
        let waits = self.reviews.iter().next().is_some()
            // Room comes without a word.
            || self.journal_problem.is_some()
            || !self.flushes.is_empty()
            || self.sessions.values().any(runs_out);
        let is_deaf = self.watch.is_deaf();
        if waits || is_deaf {
            self.next_look.get_or_insert(now + LOOK_EVERY);
        }
        let fails = !self.unpublished.is_empty() || self.journal_problem.is_some();
        if fails || self.has_rival || is_deaf {
            self.next_republish.get_or_insert(now + REPUBLISH_EVERY);
        }
    }

    fn disk_changed(&mut self, now: Instant) {
        self.next_look.get_or_insert(now + LOOK_EVERY);
        self.next_republish.get_or_insert(now + REPUBLISH_EVERY);
    }

    /// Whatever is due.
    fn tick(&mut self, now: Instant) {
        let late = self.next_look.map_or(Duration::ZERO, |look| now.saturating_duration_since(look));
        if late >= STOOD_STILL {
            return self.stood_still(now, late);
        }
        self.finish_flushes(now);
        if self.debounce.is_due(now) {
            self.refresh_context();
        }
        self.look_after_sessions(now);
        if self.next_look.take_if(|look| *look <= now).is_some() {
            self.look_at_targets();
            self.look_at_roots();
            // It is tried again until it can be written.
            if self.journal_problem.is_some() {
                self.stale.everything();
            }
            // Files that vanished drop out.
            self.refresh_context();
        }
        if self.next_republish.take_if(|at| *at <= now).is_some() {
            self.publish(false, None);
            self.scribe.send(Job::LookAfterJournal);
        }
    }

    /// Nobody was served for a while, and what came meanwhile waits in our sockets: everybody still has the
    /// time they had.
    fn stood_still(&mut self, now: Instant, gap: Duration) {
        tracing::info!(?gap, "nothing could be done for a while");
        for session in self.sessions.values_mut() {
            session.last_heard += gap;
            session.stream_lost = session.stream_lost.map(|lost| lost + gap);
        }
        for flush in &mut self.flushes {
            flush.until += gap;
        }
        self.next_look = Some(now);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::SessionWanted { client, version, proof, welcomed } => {
                let session = self.welcome(client, version, proof);
                self.held_answers.add(welcomed, session);
            }
            Event::SessionEnded { session, ended } => drop(ended.send(self.free(&session))),
            Event::PostStarted { session, known } => drop(known.send(self.post_started(&session))),
            Event::PostRead { session } => self.post_read(&session),
            Event::OpenDiff { session, post, file_path, proposal, answer } => {
                let opened = self.open_diff(&session, post, &file_path, *proposal);
                self.held_answers.add(answer, opened);
            }
            Event::CloseDiff { session, file_path, answer } => self.close_diff(session, file_path, answer),
            Event::Receipt { session, id } => self.receipt(&session, &id),
            Event::StreamWanted { session, opened } => {
                // A stream that nobody takes ends again by being dropped.
                let _ = opened.send(self.open_stream(&session));
            }
            Event::StreamDrained { session } => self.pump(&session),
            Event::StreamEnded { session, number } => self.stream_ended(&session, number),
            Event::DeskJoined { desk, observes, events } => {
                self.desk_joined(desk, Seated { observes, events })
            }
            Event::DeskAsked { desk, call } => self.desk_asked(desk, call),
            Event::DeskLeft { desk } => self.desk_left(desk),
            Event::FilesSeen(seen) => self.files_seen(*seen),
            Event::TargetRead { review, seen } => self.target_read(review, seen),
            Event::DraftWritten(written) => self.draft_written(written),
            Event::DraftSettled(draft) => self.telling.forget(&draft),
            Event::JournalWritten(error) => self.journal_written(error),
            Event::DiskShort(held) => self.disk_short(held),
            Event::DiskChanged => self.disk_changed(Instant::now()),
            Event::JournalGone => self.stale.everything(),
            Event::Published { problems, has_rival, asked } => {
                self.has_rival = has_rival;
                self.published(problems, asked);
            }
            Event::DraftAwaited(draft) => self.draft_awaited(&draft),
            Event::RootsChanged { roots, privacy, changed } => self.roots_changed(roots, *privacy, changed),
            Event::EditorChanged { editor, shown } => self.editor_changed(editor, shown),
            Event::Hide(done) => self.hide(done),
            Event::HandOver(done) => self.hand_over(done),
            Event::Focused => self.publish(true, None),
            Event::StatusWanted(wanted) => drop(wanted.send(self.status())),
            Event::Stop(done) => self.stop(done),
        }
    }

    fn stop(&mut self, done: oneshot::Sender<()>) {
        if let Some(stopping) = &mut self.stopping {
            stopping.done.push(done);
            return;
        }
        self.stopping =
            Some(Stopping { until: Instant::now() + LAST_RECEIPTS, done: vec![done], hands_over: false });
        // Whatever is still on its way to us will not be read: it must not hold the rejections back.
        for session in self.sessions.values_mut() {
            session.posts.give_up();
            // There will be no journal to be held for.
            session.outbox.is_being_recorded();
            session.outbox.is_recorded();
            session.pump(Instant::now());
        }
        let waiting: Vec<_> = self.reviews.iter().map(|review| review.id).collect();
        for id in waiting {
            self.end_review(id, desk::Closing::Stopped);
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        // Tests have a clock of their own.
        Some(deadline) if cfg!(test) => tokio::time::sleep_until(deadline).await,
        Some(deadline) => alongside_platform::moment::until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
