//! The end of a turn review at a desk: the files that are being undone, or that the agent is asked to undo,
//! and the message to the agent.

use std::path::PathBuf;

use alongside_desk::{TurnFinished, TurnId, UndoneFile};

use super::pending_jobs::{LookRequest, TurnCall};
use super::pending_message::SendResult;
use super::undo_plan::MarkedFiles;

/// A finish that is under way.
#[derive(Debug)]
pub(super) struct Finish {
    pub(super) call: TurnCall,
    pub(super) marked: MarkedFiles,
    /// The requests that wait for a look. A look during the undo may find a part of it, so they wait for the
    /// next one.
    pub(super) waiting: Vec<LookRequest>,
}

/// Returns the result for every marked file, and the files whose marks are no longer needed. `undone` has the
/// answers of the source for the files that it was to write.
pub(super) fn finish_result(
    turn: TurnId,
    marked: MarkedFiles,
    undone: Vec<UndoneFile>,
    sent: Option<SendResult>,
) -> (TurnFinished, Vec<PathBuf>) {
    let (mut undone, mut done) = (undone.into_iter(), Vec::new());
    let mut finished = TurnFinished { turn, ..TurnFinished::default() };
    for (path, file) in marked.files {
        let file = match file.refused {
            Some(_) => file,
            None => undone.next().unwrap_or_else(|| unknown_result(file)),
        };
        if file.refused.is_none() {
            done.push(path);
        }
        finished.files.push(file);
    }
    match sent {
        Some(Err(reason)) => finished.not_sent = Some(reason),
        Some(Ok(message)) => {
            let (paths, names): (Vec<_>, Vec<_>) = marked.asked.into_iter().unzip();
            done.extend(paths);
            (finished.asked, finished.sent) = (names, message);
        }
        None => {}
    }
    (finished, done)
}

/// Returns the answer for a file for which the source has returned none.
fn unknown_result(file: UndoneFile) -> UndoneFile {
    UndoneFile { refused: Some("it is not known whether it was undone".to_owned()), ..file }
}
