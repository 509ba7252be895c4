//! The marks of all files from the one on the screen on, which one key sets and one key takes back. The
//! companion marks single files, so the desk requests one mark after the other.

use alongside_desk::{Request, TurnFile};

use crate::turn_files::TurnFiles;
use crate::words::turn_words::count;

/// The message if no file from the one on the screen on can get a mark.
pub(crate) const NO_REST: &str = "From here on, no change of the agent is without a mark.";

/// The marks that one step sets on several files.
#[derive(Debug, Default)]
pub(crate) struct RestMarks {
    /// The paths of the files whose marks are not requested yet, the next file at the end.
    waiting: Vec<String>,
    /// Whether the files get a mark (true), or lose it (false).
    undo: bool,
    /// The paths of the files that the step has marked, until the person makes another step.
    marked: Vec<String>,
    /// The number of marks that were requested in this step.
    requested: usize,
}

impl RestMarks {
    /// Starts the step: marks each file, from the file on the screen on, for which [`TurnFile::is_of_rest`]
    /// holds.
    pub(crate) fn start(&mut self, files: &TurnFiles) {
        let is_rest = |file: &&TurnFile| file.is_of_rest() && files.marked(file).is_nothing();
        let rest = files.all().iter().skip(files.at()).filter(is_rest);
        let waiting = rest.map(|file| file.path.clone()).rev().collect();
        *self = Self { waiting, undo: true, ..Self::default() };
    }

    /// Starts to take the marks of the step back. Returns false if there are none.
    pub(crate) fn start_taking_back(&mut self) -> bool {
        let marked = std::mem::take(&mut self.marked);
        // The list of marked files stays until all marks are taken back, so that the key can be pressed again
        // after a refusal.
        *self = Self { waiting: marked.clone(), marked, ..Self::default() };
        !self.waiting.is_empty()
    }

    /// Forgets the step, because the person has made another one.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Ends the step, because a mark was refused. Returns the sentence about the marks that are already set,
    /// once.
    pub(crate) fn end_refused(&mut self) -> Option<String> {
        self.waiting.clear();
        let set = std::mem::take(&mut self.requested).checked_sub(1).filter(|_| self.undo)?;
        self.marked.pop();
        (set > 0).then(|| format!("{} marked before that; u takes these marks back.", count(set)))
    }

    /// Returns the request for the next file; `None` after the last one.
    pub(crate) fn next(&mut self, files: &TurnFiles) -> Option<Request> {
        while let Some(path) = self.waiting.pop() {
            let Some(file) = files.position(&path) else { continue };
            let is_marked = !files.marked(&files.all()[file]).is_nothing();
            if is_marked != self.undo {
                let (turn, revision, undo) = (files.turn().id, files.turn().revision, self.undo);
                self.requested += 1;
                if undo {
                    self.marked.push(path);
                }
                return Some(Request::MarkTurnFile { turn, revision, file, undo });
            }
        }
        None
    }

    /// Ends the step. Returns the sentence about it, once.
    pub(crate) fn end(&mut self) -> Option<String> {
        let requested = std::mem::take(&mut self.requested);
        if !self.undo {
            self.marked.clear();
        }
        let said = match self.undo {
            true => format!("{} marked to be undone. u takes that back.", count(requested)),
            false => format!("The marks of {} are taken back.", count(requested)),
        };
        (requested > 0).then_some(said)
    }
}
