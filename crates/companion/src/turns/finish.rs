//! The end of a turn review at a desk: files that are being undone, or that the agent is asked to undo, and
//! the message to it.

use std::path::PathBuf;

use alongside_desk::{TurnFinished, TurnId, UndoneFile};

use super::sending::Sent;
use super::turn_review::MarkedFiles;
use super::work::{LookAsker, TurnCall};

#[derive(Debug)]
pub(super) struct Finish {
    pub(super) call: TurnCall,
    pub(super) marked: MarkedFiles,
    /// The desks that wait for a look. A look during the undo may see a half of it, so they get the next one.
    pub(super) waiting: Vec<LookAsker>,
}

/// The result for every marked file, and the files whose marks are done with. `undone` has the answers of the
/// source, for those files that it was to write.
pub(super) fn finish_result(
    turn: TurnId,
    marked: MarkedFiles,
    undone: Vec<UndoneFile>,
    sent: Option<Sent>,
) -> (TurnFinished, Vec<PathBuf>) {
    let (mut undone, mut done) = (undone.into_iter(), Vec::new());
    let mut told = TurnFinished { turn, ..TurnFinished::default() };
    for (path, file) in marked.files {
        let file = match file.refused {
            Some(_) => file,
            None => undone.next().unwrap_or_else(|| unknown(file)),
        };
        if file.refused.is_none() {
            done.push(path);
        }
        told.files.push(file);
    }
    match sent {
        Some(Err(reason)) => told.not_sent = Some(reason),
        Some(Ok(message)) => {
            let (paths, names): (Vec<_>, Vec<_>) = marked.asked.into_iter().unzip();
            done.extend(paths);
            (told.asked, told.sent) = (names, message);
        }
        None => {}
    }
    (told, done)
}

/// The answer for a file about which the source has said nothing.
fn unknown(file: UndoneFile) -> UndoneFile {
    UndoneFile { refused: Some("it is not known whether it was undone".to_owned()), ..file }
}
