//! The one task that writes our own files, in order, so that the loop never waits for a disk. What is written
//! over before it was written at all is skipped, and a draft that could not be written is kept and tried
//! again.
//!
//! It writes on the runtime's threads for blocking work, one job after the other. So it ends with its
//! runtime: one that is shut down waits for what is being written and forgets what is still queued, as a
//! crash would. A companion that is stopped, handed over or dropped while its runtime goes on has everything
//! written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::Instant;

use super::drafts::{Drafts, NewDraft, WrittenDraft};
use super::journal::Changes;
use super::recovery_store::RecoveryStore;
use super::reserve::{self, For, Reserve};
use super::write_job::{HeldAnswers, WriteJob, skip_overwritten};
use crate::discovery::publisher::Publisher;
use crate::events::{Event, Events};

/// How long until a draft that could not be written is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// How long until the first look whether an agent has written what it was to write; each look waits twice as
/// long as the one before.
const LOOK_AFTER: Duration = Duration::from_millis(500);
/// With the look that would have to wait longer than this it ends. The next start and `alongside drafts` look
/// once more.
const LOOKS_END: Duration = Duration::from_secs(256);

/// Hands jobs to the task, which ends with the last handle.
#[derive(Debug, Clone)]
pub(crate) struct WriterTask {
    jobs: UnboundedSender<WriteJob>,
    /// Whether an agent is to write anything, as far as the task has come.
    looks: Arc<AtomicBool>,
}

impl WriterTask {
    /// Begins to work in the current runtime.
    pub(crate) fn start(
        drafts: Drafts,
        store: Option<RecoveryStore>,
        publisher: Publisher,
        events: Events,
    ) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel();
        let (unsaved, tried) = (BTreeMap::new(), Instant::now());
        // Of what those before were waiting for, some may be written by now.
        let look = Some(Look { at: tried, pause: LOOK_AFTER });
        let looks = Arc::new(AtomicBool::new(true));
        let mut desk = Writer {
            reserve: drafts.reserve(),
            has_reserve: false,
            room: Some(tried),
            drafts,
            store,
            publisher,
            events,
            unwritten: None,
            unsaved,
            tried,
            look,
            looks: looks.clone(),
        };
        tokio::spawn(async move {
            while let Some(next) = desk.next(&mut queue).await {
                let batch = tokio::task::spawn_blocking(move || {
                    desk.work(next, &mut queue);
                    (desk, queue)
                });
                // Nobody but the end of the runtime interrupts it.
                let Ok(back) = batch.await else { return };
                (desk, queue) = back;
            }
        });
        Self { jobs, looks }
    }

    /// An agent has confirmed an outcome, and may be writing what was typed. Wakes nobody where nothing was:
    /// a draft that is still queued is looked after anyway.
    pub(crate) fn look_after_drafts(&self) {
        if self.looks.load(Ordering::Acquire) {
            self.send(WriteJob::LookAfterDrafts);
        }
    }

    /// Queues a job.
    pub(crate) fn send(&self, job: WriteJob) {
        // The task ends only when every handle is gone.
        let _ = self.jobs.send(job);
    }
}

/// What there is to do.
enum Next {
    Do(WriteJob),
    /// It is time for what is done without being asked.
    IsDue,
}

/// When to look next whether agents have written what they were to write.
#[derive(Debug, Clone, Copy)]
struct Look {
    at: Instant,
    /// How long it has waited.
    pause: Duration,
}

impl Look {
    fn soon() -> Self {
        Self { at: Instant::now() + LOOK_AFTER, pause: LOOK_AFTER }
    }

    /// The one after; `None` if nobody need look any more.
    fn next(self) -> Option<Self> {
        let pause = self.pause * 2;
        (pause <= LOOKS_END).then(|| Self { at: Instant::now() + pause, pause })
    }
}

struct Writer {
    drafts: Drafts,
    reserve: Reserve,
    /// There was room for it.
    has_reserve: bool,
    /// When it is looked whether there is; `None` while it is there, and on a disk that never had any.
    room: Option<Instant>,
    store: Option<RecoveryStore>,
    publisher: Publisher,
    events: Events,
    /// Why the journal could not be written.
    unwritten: Option<String>,
    /// Drafts that could not be written, by their ids.
    unsaved: BTreeMap<String, NewDraft>,
    /// When they were tried last.
    tried: Instant,
    /// `None` while no agent is to write anything.
    look: Option<Look>,
    /// Whether there is one.
    looks: Arc<AtomicBool>,
}

impl Writer {
    /// When what could not be written is tried again; `None` if there is nothing.
    fn again_at(&self) -> Option<Instant> {
        (!self.unsaved.is_empty()).then(|| self.tried + AGAIN_AFTER)
    }

    /// Waits for something to do; `None` when nothing comes any more.
    async fn next(&self, queue: &mut UnboundedReceiver<WriteJob>) -> Option<Next> {
        let due = [self.again_at(), self.look.map(|look| look.at), self.room];
        let job = match due.into_iter().flatten().min() {
            None => queue.recv().await,
            Some(due) => match tokio::time::timeout_at(due, queue.recv()).await {
                Ok(job) => job,
                Err(_) => return Some(Next::IsDue),
            },
        };
        job.map(Next::Do)
    }

    /// Does it, and whatever comes meanwhile. Blocks.
    fn work(&mut self, next: Next, queue: &mut UnboundedReceiver<WriteJob>) {
        let mut waiting = match next {
            Next::Do(job) => vec![job],
            Next::IsDue => {
                let now = Instant::now();
                if self.again_at().is_some_and(|at| at <= now) {
                    self.try_again();
                }
                if let Some(look) = self.look.filter(|look| look.at <= now) {
                    self.look = if self.settle() { look.next() } else { None };
                }
                if self.room.take_if(|at| *at <= now).is_some() {
                    self.look_for_room();
                }
                Vec::new()
            }
        };
        loop {
            while let Ok(job) = queue.try_recv() {
                waiting.push(job);
            }
            if waiting.is_empty() {
                self.looks.store(self.look.is_some(), Ordering::Release);
                return;
            }
            skip_overwritten(&mut waiting);
            let mut answers = HeldAnswers::default();
            waiting.drain(..).for_each(|job| self.carry_out(job, &mut answers));
            // What they wait for may have been skipped for something newer, which is written by now.
            answers.give();
        }
    }

    /// Takes the reserve, or again what was given up of it.
    fn look_for_room(&mut self) {
        let was_short = self.reserve.is_short();
        self.has_reserve = self.reserve.take();
        if was_short && self.has_reserve {
            self.events.send(Event::DiskShort(None));
        } else if was_short {
            self.room = Some(Instant::now() + reserve::AGAIN_AFTER);
        }
    }

    /// Says so when the reserve is given up.
    fn note_shortage(&mut self, was_short: bool) {
        if !was_short && self.reserve.is_short() {
            let held = self.reserve.held();
            tracing::warn!(held, "the disk is full");
            self.room = Some(Instant::now() + reserve::AGAIN_AFTER);
            self.events.send(Event::DiskShort(Some(held)));
        }
    }

    fn try_again(&mut self) {
        for draft in std::mem::take(&mut self.unsaved).into_values() {
            self.save(draft);
        }
    }

    /// Lets drafts go that agents have written. Returns whether others are still waited for.
    fn settle(&mut self) -> bool {
        for (id, _) in self.unsaved.extract_if(.., |_, draft| draft.is_settled()) {
            self.events.send(Event::DraftSettled(id));
        }
        self.drafts.settle() || self.unsaved.values().any(|draft| draft.awaited)
    }

    /// What a person typed is kept in memory while it cannot be kept on disk.
    fn save(&mut self, draft: NewDraft) {
        let was_short = self.reserve.is_short();
        let saved = self.reserve.write(For::Drafts, || self.drafts.save(&draft));
        let error = saved.err().map(|error| error.to_string());
        self.note_shortage(was_short);
        let (id, number, file) = (draft.id.clone(), draft.number, draft.file.clone());
        match &error {
            Some(error) => {
                tracing::error!(draft = id, error, "cannot save the draft");
                self.unsaved.insert(id.clone(), draft);
                self.tried = Instant::now();
            }
            None => drop(self.unsaved.remove(&id)),
        }
        self.events.send(Event::DraftWritten(WrittenDraft { id, number, file, error }));
    }

    fn carry_out(&mut self, job: WriteJob, answers: &mut HeldAnswers) {
        match job {
            WriteJob::SaveDraft(draft, written) => {
                if draft.awaited {
                    self.look = Some(Look::soon());
                }
                if !self.has_reserve {
                    self.look_for_room();
                }
                self.save(draft);
                written.map(|written| written.send(()));
            }
            WriteJob::DeleteDraft(id) => {
                self.unsaved.remove(&id);
                // A draft that was never saved need not be deleted.
                let _ = self.drafts.delete(&id);
            }
            WriteJob::LookAfterDrafts => self.look = self.look.map(|_| Look::soon()),
            WriteJob::WriteJournal(journal, waiting) => {
                answers.extend(waiting);
                if let Some(journal) = journal {
                    let error = self.write_journal(&journal);
                    self.events.send(Event::JournalWritten(error));
                }
            }
            WriteJob::LookAfterJournal => {
                if self.store.as_ref().is_some_and(|store| !store.is_there()) {
                    self.events.send(Event::JournalGone);
                }
            }
            WriteJob::Publish { roots, focused, done } => {
                let problems = self.publisher.publish(&roots, focused);
                self.events.send(Event::Published {
                    problems: problems.clone(),
                    has_rival: self.publisher.has_rival,
                    asked: done.is_some(),
                });
                done.map(|done| done.send(problems));
            }
            WriteJob::SetEditor(editor) => {
                self.publisher.name = editor.name;
                self.publisher.display_name = editor.display_name;
                self.publisher.pid = editor.pid;
            }
            WriteJob::Withdraw(done) => {
                self.publisher.withdraw();
                let _ = done.send(());
            }
            WriteJob::LetGo(done) => {
                self.try_again();
                // Its lock goes with it.
                self.store = None;
                let _ = done.send(());
            }
            WriteJob::Retire(done) => {
                self.try_again();
                self.settle();
                self.publisher.withdraw();
                if let Some(store) = self.store.take() {
                    store.retire();
                }
                let _ = done.send(());
            }
        }
    }

    /// Returns why it could not be written. That is tried every second, and logged when it is another reason.
    fn write_journal(&mut self, changes: &Changes) -> Option<String> {
        let store = self.store.as_mut()?;
        let was_short = self.reserve.is_short();
        let written = self.reserve.write(For::Journal, || store.write(changes));
        let error = written.err().map(|error| error.to_string());
        if error != self.unwritten {
            let path = store.path().display();
            match &error {
                Some(error) => tracing::error!(%path, error, "cannot write the journal"),
                None => tracing::info!(%path, "the journal is written again"),
            }
            self.unwritten.clone_from(&error);
        }
        self.note_shortage(was_short);
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persistence::app_dirs::AppDirs;

    fn start(dirs: &AppDirs) -> WriterTask {
        let publisher = Publisher {
            dirs: dirs.clone(),
            name: "alongside".into(),
            display_name: "Alongside".into(),
            pid: std::process::id(),
            aliases: false,
            port: 1,
            token: "t".into(),
            stdio: None,
            written: Vec::new(),
            has_rival: false,
            made: Vec::new(),
        };
        WriterTask::start(Drafts::open(dirs), None, publisher, Events::channel().0)
    }

    async fn until_it_looks(writer: &WriterTask, looks: bool) {
        let settled = async {
            while writer.looks.load(Ordering::Acquire) != looks {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), settled).await.expect("it takes note");
    }

    #[tokio::test(start_paused = true)]
    async fn a_receipt_wakes_it_only_while_an_agent_is_to_write_what_was_typed() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.txt");
        let writer = start(&AppDirs::below(directory.path()));
        until_it_looks(&writer, false).await;
        // Where nothing is sent nobody wakes.
        let (jobs, mut queue) = mpsc::unbounded_channel();
        let unheard = WriterTask { jobs, looks: writer.looks.clone() };
        unheard.look_after_drafts();
        assert!(queue.try_recv().is_err(), "nothing was typed");
        let draft = NewDraft {
            id: "1-1".into(),
            number: 1,
            file: file.to_str().unwrap().into(),
            agent: "Gemini CLI".into(),
            why: "it was accepted".into(),
            awaited: true,
            text: "mine\n".into(),
        };
        writer.send(WriteJob::SaveDraft(draft, None));
        until_it_looks(&writer, true).await;
        unheard.look_after_drafts();
        assert!(matches!(queue.try_recv(), Ok(WriteJob::LookAfterDrafts)));
        std::fs::write(&file, "mine\n").unwrap();
        writer.look_after_drafts();
        until_it_looks(&writer, false).await;
    }
}
