//! The end of a turn review at a desk: marked files that are being undone.

use std::path::PathBuf;

use alongside_desk::{CallAnswer, TurnFinished, TurnId, UndoneFile};

use super::work::LookAsker;
use crate::ids::DeskId;

#[derive(Debug)]
pub(super) struct Finish {
    pub(super) desk: DeskId,
    pub(super) answer: CallAnswer,
    /// Every marked file in the order of the list; those without a reason are being written.
    pub(super) files: Vec<(PathBuf, UndoneFile)>,
    /// Those who wait for a look that may have seen half of it.
    pub(super) waiting: Vec<LookAsker>,
}

/// The result for every marked file.
pub(super) struct Outcome {
    pub(super) told: TurnFinished,
    pub(super) written: Vec<PathBuf>,
}

/// What became of the files, of which these answers are about those that were to be written.
pub(super) fn outcome(turn: TurnId, files: Vec<(PathBuf, UndoneFile)>, undone: Vec<UndoneFile>) -> Outcome {
    let mut undone = undone.into_iter();
    let mut outcome = Outcome { told: TurnFinished { turn, ..TurnFinished::default() }, written: Vec::new() };
    for (path, file) in files {
        let file = match file.refused {
            Some(_) => file,
            None => undone.next().unwrap_or_else(|| unknown(file)),
        };
        if file.refused.is_none() {
            outcome.written.push(path);
        }
        outcome.told.files.push(file);
    }
    outcome
}

/// A file of which the source says nothing.
fn unknown(file: UndoneFile) -> UndoneFile {
    UndoneFile { refused: Some("it is not known whether it was undone".to_owned()), ..file }
}
