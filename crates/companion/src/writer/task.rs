//! The writer: one task that writes our own files, in order, so that the main loop never waits for a disk.
//!
//! The task does a quick job, as most are, where it is: another thread would take longer to wake. It runs
//! each batch of other jobs on the runtime's threads for blocking work. A runtime that shuts down waits for
//! the running batch and drops the queued jobs, as a crash would. A companion that is stopped,
//! handed over or dropped while its runtime goes on has everything written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::{self, UnboundedSender};

use super::job::WriteJob;
use super::worker::WriteWorker;
use crate::discovery::publisher::Publisher;
use crate::events::Events;
use crate::persistence::drafts::Drafts;
use crate::persistence::recovery_store::RecoveryStore;

/// Hands jobs to the task, which ends with the last handle.
#[derive(Debug, Clone)]
pub(crate) struct WriterTask {
    jobs: UnboundedSender<WriteJob>,
    /// Whether a draft waits until an agent has written it, as far as the task has come.
    checks_drafts: Arc<AtomicBool>,
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
        let checks_drafts = Arc::new(AtomicBool::new(true));
        let mut worker = WriteWorker::new(drafts, store, publisher, events, checks_drafts.clone());
        tokio::spawn(async move {
            while let Some(task) = worker.next(&mut queue).await {
                let task = match worker.do_if_quick(task) {
                    Some(task) => task,
                    None => continue,
                };
                let batch = tokio::task::spawn_blocking(move || {
                    worker.work(task, &mut queue);
                    (worker, queue)
                });
                // Only the end of the runtime interrupts a batch.
                let Ok(back) = batch.await else { return };
                (worker, queue) = back;
            }
        });
        Self { jobs, checks_drafts }
    }

    /// An agent has confirmed an outcome, and may be writing what was typed. Wakes nobody where nothing was
    /// typed; saving a draft that is still queued starts the checks anyway.
    pub(crate) fn look_after_drafts(&self) {
        if self.checks_drafts.load(Ordering::Acquire) {
            self.send(WriteJob::LookAfterDrafts);
        }
    }

    pub(crate) fn send(&self, job: WriteJob) {
        // The task ends only when every handle is gone.
        let _ = self.jobs.send(job);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Editor;
    use crate::endpoint::Endpoint;
    use crate::persistence::app_dirs::AppDirs;
    use crate::persistence::drafts::NewDraft;

    fn start(dirs: &AppDirs) -> WriterTask {
        let editor =
            Editor { name: "alongside".into(), display_name: "Alongside".into(), pid: std::process::id() };
        let publisher = Publisher::new(dirs.clone(), vec![editor], false, Endpoint::default(), None);
        WriterTask::start(Drafts::open(dirs), None, publisher, Events::channel().0)
    }

    async fn until_checks(writer: &WriterTask, expected: bool) {
        let settled = async {
            while writer.checks_drafts.load(Ordering::Acquire) != expected {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), settled).await.expect("the writer takes note");
    }

    #[tokio::test(start_paused = true)]
    async fn a_receipt_wakes_the_writer_only_while_a_draft_is_awaited() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.txt");
        let writer = start(&AppDirs::below(directory.path()));
        until_checks(&writer, false).await;
        // This handle shows whether a job is sent.
        let (jobs, mut queue) = mpsc::unbounded_channel();
        let unheard = WriterTask { jobs, checks_drafts: writer.checks_drafts.clone() };
        unheard.look_after_drafts();
        assert!(queue.try_recv().is_err(), "nothing was typed");
        let draft = NewDraft {
            id: "1-1".into(),
            file: file.to_str().unwrap().into(),
            agent: "Gemini CLI".into(),
            why: "it was accepted".into(),
            awaited: true,
            text: "mine\n".into(),
            ..NewDraft::default()
        };
        writer.send(WriteJob::SaveDraft(draft, None));
        until_checks(&writer, true).await;
        unheard.look_after_drafts();
        assert!(matches!(queue.try_recv(), Ok(WriteJob::LookAfterDrafts)));
        std::fs::write(&file, "mine\n").unwrap();
        writer.look_after_drafts();
        until_checks(&writer, false).await;
    }
}
