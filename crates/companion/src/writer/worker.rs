//! The worker of the [writer](super::task): carries out its jobs, retries drafts, and keeps a reserve of
//! room on the disk.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::job::{WriteJob, skip_overwritten};
use crate::discovery::publisher::Publisher;
use crate::events::{Event, Events};
use crate::persistence::drafts::{Drafts, NewDraft, WrittenDraft};
use crate::persistence::journal::Changes;
use crate::persistence::recovery::HeldAnswers;
use crate::persistence::recovery_store::RecoveryStore;
use crate::persistence::reserve::{self, Reserve, ReserveUse};

/// How soon the worker retries drafts that it could not write.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

pub(super) enum Task {
    Do(WriteJob),
    /// A deadline of the worker's own has come.
    Due,
}

pub(super) struct WriteWorker {
    drafts: Drafts,
    reserve: Reserve,
    /// The disk had room for the reserve.
    has_reserve: bool,
    /// When to look for room for the reserve; `None` while it is whole, the disk never had room, or the
    /// companion has ended.
    look_for_room_at: Option<Instant>,
    store: Option<RecoveryStore>,
    publisher: Publisher,
    events: Events,
    /// The reason why the journal could not be written.
    journal_error: Option<String>,
    /// Drafts that could not be written, by their ids.
    unsaved: BTreeMap<String, NewDraft>,
    /// When the worker last tried to write these drafts.
    last_try: Instant,
}

impl WriteWorker {
    pub(super) fn new(
        drafts: Drafts,
        store: Option<RecoveryStore>,
        publisher: Publisher,
        events: Events,
    ) -> Self {
        let now = Instant::now();
        Self {
            reserve: drafts.reserve(),
            has_reserve: false,
            look_for_room_at: Some(now),
            drafts,
            store,
            publisher,
            events,
            journal_error: None,
            unsaved: BTreeMap::new(),
            last_try: now,
        }
    }

    /// When to retry the writes that have failed; `None` if none has.
    fn retry_at(&self) -> Option<Instant> {
        (!self.unsaved.is_empty()).then(|| self.last_try + RETRY_INTERVAL)
    }

    /// Waits for work; `None` once every handle is gone.
    pub(super) async fn next(&self, queue: &mut UnboundedReceiver<WriteJob>) -> Option<Task> {
        let deadlines = [self.retry_at(), self.look_for_room_at];
        let job = match deadlines.into_iter().flatten().min() {
            None => queue.recv().await,
            Some(deadline) => match tokio::time::timeout_at(deadline, queue.recv()).await {
                Ok(job) => job,
                Err(_) => return Some(Task::Due),
            },
        };
        job.map(Task::Do)
    }

    /// Does the work if that hardly takes time; otherwise gives it back.
    pub(super) fn do_if_quick(&mut self, task: Task) -> Option<Task> {
        match task {
            Task::Do(WriteJob::WriteJournal(changes, answers))
                if changes.as_ref().is_none_or(|changes| self.appends_little(changes)) =>
            {
                let mut given = HeldAnswers::default();
                self.carry_out(WriteJob::WriteJournal(changes, answers), &mut given);
                given.give();
                None
            }
            task => Some(task),
        }
    }

    fn appends_little(&self, changes: &Changes) -> bool {
        self.store.as_ref().is_none_or(|store| store.appends_little(changes))
    }

    /// Does the work, and every job that comes meanwhile. Blocks.
    pub(super) fn work(&mut self, task: Task, queue: &mut UnboundedReceiver<WriteJob>) {
        let mut jobs = match task {
            Task::Do(job) => vec![job],
            Task::Due => {
                self.on_deadline(Instant::now());
                Vec::new()
            }
        };
        loop {
            while let Ok(job) = queue.try_recv() {
                jobs.push(job);
            }
            if jobs.is_empty() {
                return;
            }
            skip_overwritten(&mut jobs);
            let mut answers = HeldAnswers::default();
            for job in jobs.drain(..) {
                self.carry_out(job, &mut answers);
            }
            // The write that an answer waits for may have been skipped for a newer one, which is done by now.
            answers.give();
        }
    }

    fn on_deadline(&mut self, now: Instant) {
        if self.retry_at().is_some_and(|at| at <= now) {
            self.retry();
        }
        if self.look_for_room_at.take_if(|at| *at <= now).is_some() {
            self.fill_reserve();
        }
    }

    /// Fills the reserve, for the first time or after some of it was given up.
    fn fill_reserve(&mut self) {
        let was_short = self.reserve.is_short();
        self.has_reserve = self.reserve.take();
        if was_short && self.has_reserve {
            self.events.send(Event::DiskShort(None));
        } else if was_short {
            self.look_for_room_at = Some(Instant::now() + reserve::RETRY_INTERVAL);
        }
    }

    /// Reports that some of the reserve was given up.
    fn report_shortage(&mut self, was_short: bool) {
        if !was_short && self.reserve.is_short() {
            let held = self.reserve.held();
            tracing::warn!(held, "the disk is full");
            self.look_for_room_at = Some(Instant::now() + reserve::RETRY_INTERVAL);
            self.events.send(Event::DiskShort(Some(held)));
        }
    }

    fn retry(&mut self) {
        for draft in std::mem::take(&mut self.unsaved).into_values() {
            self.save(draft);
        }
    }

    /// Removes the drafts that agents have written.
    fn settle(&mut self) {
        for (id, _) in self.unsaved.extract_if(.., |_, draft| draft.is_settled()) {
            self.events.send(Event::DraftSettled(id));
        }
        self.drafts.settle();
    }

    /// Saves a draft, or keeps it in memory to retry.
    fn save(&mut self, draft: NewDraft) {
        let was_short = self.reserve.is_short();
        let saved = self.reserve.write(ReserveUse::Drafts, || self.drafts.save(&draft));
        let error = saved.err().map(|error| error.to_string());
        self.report_shortage(was_short);
        let (id, number, file) = (draft.id.clone(), draft.number, draft.file.clone());
        match &error {
            Some(error) => {
                tracing::error!(draft = id, error, "cannot save the draft");
                self.unsaved.insert(id.clone(), draft);
                self.last_try = Instant::now();
            }
            None => drop(self.unsaved.remove(&id)),
        }
        self.events.send(Event::DraftWritten(WrittenDraft { id, number, file, error }));
    }

    fn carry_out(&mut self, job: WriteJob, answers: &mut HeldAnswers) {
        match job {
            WriteJob::SaveDraft(draft, written) => {
                if !self.has_reserve {
                    self.fill_reserve();
                }
                self.save(draft);
                if let Some(written) = written {
                    let _ = written.send(());
                }
            }
            WriteJob::DeleteDraft(id) => {
                self.unsaved.remove(&id);
                // A draft that was never saved need not be deleted.
                let _ = self.drafts.delete(&id);
            }
            WriteJob::SettleDrafts => self.settle(),
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
                let published = self.publisher.publish(&roots, focused);
                let problems = published.problems.clone();
                self.events.send(Event::Published { published, asked: done.is_some() });
                if let Some(done) = done {
                    let _ = done.send(problems);
                }
            }
            WriteJob::SetEditors(editors) => self.publisher.set_editors(editors),
            WriteJob::Withdraw(done) => {
                self.publisher.withdraw();
                let _ = done.send(());
            }
            WriteJob::End { hands_over, done } => {
                self.retry();
                if !hands_over {
                    self.settle();
                    self.publisher.withdraw();
                }
                // The lock of the journal goes with the store.
                if let Some(store) = self.store.take().filter(|_| !hands_over) {
                    store.retire();
                }
                // A reserve from here on would be for nobody, in a directory that may be gone.
                self.look_for_room_at = None;
                let _ = done.send(());
            }
        }
    }

    /// Returns the reason why the journal could not be written, and logs a new one.
    fn write_journal(&mut self, changes: &Changes) -> Option<String> {
        let store = self.store.as_mut()?;
        let was_short = self.reserve.is_short();
        let written = self.reserve.write(ReserveUse::Journal, || store.write(changes));
        let error = written.err().map(|error| error.to_string());
        if error != self.journal_error {
            let path = store.path().display();
            match &error {
                Some(error) => tracing::error!(%path, error, "cannot write the journal"),
                None => tracing::info!(%path, "the journal is written again"),
            }
            self.journal_error.clone_from(&error);
        }
        self.report_shortage(was_short);
        error
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};

    use super::*;
    use crate::endpoint::Endpoint;
    use crate::persistence::app_dirs::AppDirs;

    #[test]
    fn a_companion_that_has_ended_fills_no_reserve() {
        for hands_over in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            let dirs = AppDirs::below(directory.path());
            let (reserve, drafts) = (dirs.state.join("reserve"), Drafts::open(&dirs));
            let endpoint = Endpoint::at(1, "token");
            let publisher = Publisher::new(dirs, Vec::new(), false, endpoint, None);
            let (events, (_jobs, mut queue)) = (Events::channel().0, mpsc::unbounded_channel());
            let mut worker = WriteWorker::new(drafts, None, publisher, events);
            let done = oneshot::channel().0;
            worker.work(Task::Do(WriteJob::End { hands_over, done }), &mut queue);
            worker.work(Task::Due, &mut queue);
            assert!(!reserve.exists());
        }
    }
}
