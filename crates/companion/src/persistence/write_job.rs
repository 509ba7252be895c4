//! The jobs of the [writer](super::writer), and the answers that wait for them.

use std::path::PathBuf;

use alongside_desk::Problem;
use tokio::sync::oneshot;

use super::drafts::NewDraft;
use super::journal::Changes;
use crate::config::Editor;

/// A job for the writer.
#[derive(Debug)]
pub(crate) enum WriteJob {
    /// Answers after the first try.
    SaveDraft(NewDraft, Option<oneshot::Sender<()>>),
    DeleteDraft(String),
    /// See [`WriterTask::look_after_drafts`](super::writer::WriterTask::look_after_drafts).
    LookAfterDrafts,
    /// Writes the journal's changes, if any. Then gives the answers that wait for it and all jobs before.
    WriteJournal(Option<Changes>, HeldAnswers),
    /// Sends an event if the journal has been removed.
    LookAfterJournal,
    /// Writes the discovery files for these roots. `focused` takes shared names over from other companions.
    Publish {
        roots: Vec<PathBuf>,
        focused: bool,
        done: Option<oneshot::Sender<Vec<Problem>>>,
    },
    /// Publishes under these editors from now on.
    SetEditors(Vec<Editor>),
    /// Removes the discovery files, then answers.
    Withdraw(oneshot::Sender<()>),
    /// Releases the journal for a successor, then answers.
    LetGo(oneshot::Sender<()>),
    /// Removes everything that belongs to a running companion, then answers.
    Retire(oneshot::Sender<()>),
}

/// Answers that wait for the disk: after a crash, agent and edit that they speak of must be known.
#[derive(Default)]
pub(crate) struct HeldAnswers(Vec<Box<dyn FnOnce() + Send + Sync>>);

impl HeldAnswers {
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, to: oneshot::Sender<T>, answer: T) {
        // An asker that is gone needs no answer.
        self.0.push(Box::new(move || drop(to.send(answer))));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn give(self) {
        self.0.into_iter().for_each(|give| give());
    }
}

impl std::fmt::Debug for HeldAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} answers", self.0.len())
    }
}

/// Drops the saves of drafts that a later job saves again or deletes.
pub(super) fn skip_overwritten(jobs: &mut Vec<WriteJob>) {
    let mut at = 0;
    while at < jobs.len() {
        let overwritten = jobs[at + 1..].iter().any(|later| match (&jobs[at], later) {
            (WriteJob::SaveDraft(old, _), WriteJob::SaveDraft(new, _)) => old.id == new.id,
            (WriteJob::SaveDraft(old, _), WriteJob::DeleteDraft(id)) => old.id == *id,
            _ => false,
        });
        if overwritten {
            jobs.remove(at);
        } else {
            at += 1;
        }
    }
}
