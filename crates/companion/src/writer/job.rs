//! The jobs of the [writer](super::task).

use std::path::PathBuf;

use alongside_desk::Problem;
use tokio::sync::oneshot;

use crate::config::Editor;
use crate::persistence::drafts::NewDraft;
use crate::persistence::journal::JournalChanges;
use crate::persistence::recovery::PendingAnswers;

/// A job of the writer.
#[derive(Debug)]
pub(crate) enum WriteJob {
    /// Saves a draft. Answers after the first attempt.
    SaveDraft(NewDraft, Option<oneshot::Sender<()>>),
    /// Deletes the draft of this id.
    DeleteDraft(String),
    /// Deletes the drafts that agents have written into their files.
    SettleDrafts,
    /// Writes the changes of the journal, if any. Then sends the answers that wait for them and for all
    /// earlier jobs.
    WriteJournal(Option<JournalChanges>, PendingAnswers),
    /// Checks the journal. Sends an event if another program has removed it.
    CheckJournal,
    /// Writes the discovery files for these roots. With `focused`, takes shared names over from other
    /// companions.
    Publish { roots: Vec<PathBuf>, focused: bool, done: Option<oneshot::Sender<Vec<Problem>>> },
    /// Sets the editors for the next publication.
    SetEditors(Vec<Editor>),
    /// Removes the discovery files, then answers.
    Withdraw(oneshot::Sender<()>),
    /// Releases the journal for a successor, or removes everything that belongs to a running companion. Then
    /// answers.
    End { hands_over: bool, done: oneshot::Sender<()> },
}

/// Drops the saves of drafts that a later job saves again or deletes.
pub(super) fn skip_overwritten(jobs: &mut Vec<WriteJob>) {
    let mut index = 0;
    while index < jobs.len() {
        let overwritten = jobs[index + 1..].iter().any(|later| match (&jobs[index], later) {
            (WriteJob::SaveDraft(old, _), WriteJob::SaveDraft(new, _)) => old.id == new.id,
            (WriteJob::SaveDraft(old, _), WriteJob::DeleteDraft(id)) => old.id == *id,
            _ => false,
        });
        if overwritten {
            jobs.remove(index);
        } else {
            index += 1;
        }
    }
}
