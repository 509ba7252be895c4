//! The jobs of the [writer](super::task).

use std::path::PathBuf;

use alongside_desk::Problem;
use tokio::sync::oneshot;

use crate::config::Editor;
use crate::persistence::drafts::NewDraft;
use crate::persistence::journal::Changes;
use crate::persistence::recovery::HeldAnswers;

#[derive(Debug)]
pub(crate) enum WriteJob {
    /// Answers after the first try.
    SaveDraft(NewDraft, Option<oneshot::Sender<()>>),
    /// Deletes the draft of this id.
    DeleteDraft(String),
    /// Deletes the drafts that agents have written into their files.
    SettleDrafts,
    /// Writes the journal's changes, if any. Then gives the answers that wait for it and all jobs before.
    WriteJournal(Option<Changes>, HeldAnswers),
    /// Sends an event if the journal has been removed.
    LookAfterJournal,
    /// Writes the discovery files for these roots. `focused` takes shared names over from other companions.
    Publish { roots: Vec<PathBuf>, focused: bool, done: Option<oneshot::Sender<Vec<Problem>>> },
    /// Publishes under these editors from now on.
    SetEditors(Vec<Editor>),
    /// Removes the discovery files, then answers.
    Withdraw(oneshot::Sender<()>),
    /// Releases the journal for a successor, or removes everything that belongs to a running companion. Then
    /// answers.
    End { hands_over: bool, done: oneshot::Sender<()> },
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
