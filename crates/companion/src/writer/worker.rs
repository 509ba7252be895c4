//! The worker of the [writer](super::task): carries out its jobs, retries drafts, and keeps a reserve of room
//! on the disk.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::job::{WriteJob, skip_overwritten};
use crate::discovery::publisher::Publisher;
use crate::events::{Event, Events};
use crate::persistence::drafts::{Drafts, NewDraft, WrittenDraft};
use crate::persistence::journal::JournalChanges;
use crate::persistence::recovery::PendingAnswers;
use crate::persistence::recovery_store::RecoveryStore;
use crate::persistence::reserve::{self, Reserve, ReserveUse};

/// The time between two attempts to write the drafts that could not be written.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// The work for which the worker has waited.
pub(super) enum Task {
    Do(WriteJob),
    /// A deadline of the worker has come.
    Due,
}

/// The worker and its state.
pub(super) struct WriteWorker {
    drafts: Drafts,
    reserve: Reserve,
    /// Whether the disk had room for the reserve.
    has_reserve: bool,
    /// The time of the next attempt to fill the reserve; `None` while it is full, while the disk never had
    /// room, or after the end of the companion.
    fill_reserve_at: Option<Instant>,
    store: Option<RecoveryStore>,
    publisher: Publisher,
    events: Events,
    /// The reason why the journal could not be written.
    journal_error: Option<String>,
    /// The drafts that could not be written, by id.
    unsaved: BTreeMap<String, NewDraft>,
    /// The time of the last attempt to write these drafts.
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
            fill_reserve_at: Some(now),
            drafts,
            store,
            publisher,
            events,
            journal_error: None,
            unsaved: BTreeMap::new(),
            last_try: now,
        }
    }

    /// Returns the time at which failed writes are retried; `None` if none has failed.
    fn retry_at(&self) -> Option<Instant> {
        (!self.unsaved.is_empty()).then(|| self.last_try + RETRY_INTERVAL)
    }

    /// Waits for work. Returns `None` once every handle is dropped.
    pub(super) async fn next(&self, queue: &mut UnboundedReceiver<WriteJob>) -> Option<Task> {
        let deadlines = [self.retry_at(), self.fill_reserve_at];
        let job = match deadlines.into_iter().flatten().min() {
            None => queue.recv().await,
            Some(deadline) => match tokio::time::timeout_at(deadline, queue.recv()).await {
                Ok(job) => job,
                Err(_) => return Some(Task::Due),
            },
        };
        job.map(Task::Do)
    }

    /// Runs the task if it takes hardly any time; otherwise returns the task.
    pub(super) fn run_if_quick(&mut self, task: Task) -> Option<Task> {
        match task {
            Task::Do(WriteJob::WriteJournal(changes, answers))
                if changes.as_ref().is_none_or(|changes| self.appends_little(changes)) =>
            {
                let mut answered = PendingAnswers::default();
                self.carry_out(WriteJob::WriteJournal(changes, answers), &mut answered);
                answered.send();
                None
            }
            task => Some(task),
        }
    }

    fn appends_little(&self, changes: &JournalChanges) -> bool {
        self.store.as_ref().is_none_or(|store| store.appends_little(changes))
    }

    /// Runs the task, and every job that is queued meanwhile. Blocks.
    pub(super) fn run(&mut self, task: Task, queue: &mut UnboundedReceiver<WriteJob>) {
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
            let mut answers = PendingAnswers::default();
            for job in jobs.drain(..) {
                self.carry_out(job, &mut answers);
            }
            // The write for which an answer waits may have been skipped for a newer one, which is done by
            // now.
            answers.send();
        }
    }

    fn on_deadline(&mut self, now: Instant) {
        if self.retry_at().is_some_and(|at| at <= now) {
            self.retry();
        }
        if self.fill_reserve_at.take_if(|at| *at <= now).is_some() {
            self.fill_reserve();
        }
    }

    /// Fills the reserve, for the first time or after some of it was deleted.
    fn fill_reserve(&mut self) {
        let was_short = self.reserve.is_short();
        self.has_reserve = self.reserve.fill();
        if was_short && self.has_reserve {
            self.events.send(Event::DiskSpaceChanged(None));
        } else if was_short {
            self.fill_reserve_at = Some(Instant::now() + reserve::RETRY_INTERVAL);
        }
    }

    /// Reports that some of the reserve was deleted.
    fn report_shortage(&mut self, was_short: bool) {
        if !was_short && self.reserve.is_short() {
            let reserved = self.reserve.bytes();
            tracing::warn!(reserved, "the disk is full");
            self.fill_reserve_at = Some(Instant::now() + reserve::RETRY_INTERVAL);
            self.events.send(Event::DiskSpaceChanged(Some(reserved)));
        }
    }

    fn retry(&mut self) {
        for draft in std::mem::take(&mut self.unsaved).into_values() {
            self.save(draft);
        }
    }

    /// Removes the drafts whose text their agents have written.
    fn settle(&mut self) {
        for (id, _) in self.unsaved.extract_if(.., |_, draft| draft.is_settled()) {
            self.events.send(Event::DraftSettled(id));
        }
        self.drafts.settle();
    }

    /// Saves a draft. If that fails, keeps it in memory to retry.
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

    fn carry_out(&mut self, job: WriteJob, answers: &mut PendingAnswers) {
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
            WriteJob::CheckJournal => {
                if self.store.as_ref().is_some_and(|store| !store.exists()) {
                    self.events.send(Event::JournalRemoved);
                }
            }
            WriteJob::Publish { roots, focused, done } => {
                let result = self.publisher.publish(&roots, focused);
                let problems = result.problems.clone();
                self.events.send(Event::Published { result, asked: done.is_some() });
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
                // The lock of the journal is released with the store.
                if let Some(store) = self.store.take().filter(|_| !hands_over) {
                    store.retire();
                }
                // No companion needs the reserve from here on, and its directory may be removed.
                self.fill_reserve_at = None;
                let _ = done.send(());
            }
        }
    }

    /// Writes the journal. Returns the reason why it could not be written, and logs a new reason.
    fn write_journal(&mut self, changes: &JournalChanges) -> Option<String> {
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
            worker.run(Task::Do(WriteJob::End { hands_over, done }), &mut queue);
            worker.run(Task::Due, &mut queue);
            assert!(!reserve.exists());
        }
    }
}
