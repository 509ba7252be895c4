//! The writer: one task that writes our own files, in order, so that the main loop never waits for a disk.
//!
//! The task does quick jobs, which are most of them, on its own thread: another thread would take longer to
//! wake. It runs each batch of other jobs on the runtime's threads for blocking work. A runtime that shuts
//! down waits for the running batch and drops the queued jobs, as a crash would. If a companion is stopped,
//! handed over or dropped while its runtime goes on, everything is written.

use tokio::sync::mpsc::{self, UnboundedSender};

use super::job::WriteJob;
use super::worker::WriteWorker;
use crate::discovery::publisher::Publisher;
use crate::events::Events;
use crate::persistence::drafts::Drafts;
use crate::persistence::recovery_store::RecoveryStore;

/// A handle that sends jobs to the task. The task ends with its last handle.
#[derive(Debug, Clone)]
pub(crate) struct WriterTask {
    jobs: UnboundedSender<WriteJob>,
}

impl WriterTask {
    /// Starts the task in the current runtime.
    pub(crate) fn start(
        drafts: Drafts,
        store: Option<RecoveryStore>,
        publisher: Publisher,
        events: Events,
    ) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel();
        let mut worker = WriteWorker::new(drafts, store, publisher, events);
        tokio::spawn(async move {
            while let Some(task) = worker.next(&mut queue).await {
                let task = match worker.run_if_quick(task) {
                    Some(task) => task,
                    None => continue,
                };
                let batch = tokio::task::spawn_blocking(move || {
                    worker.run(task, &mut queue);
                    (worker, queue)
                });
                // Only the end of the runtime interrupts a batch.
                let Ok(returned) = batch.await else { return };
                (worker, queue) = returned;
            }
        });
        Self { jobs }
    }

    pub(crate) fn send(&self, job: WriteJob) {
        // The task ends only when every handle is dropped.
        let _ = self.jobs.send(job);
    }
}
