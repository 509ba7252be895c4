//! The marks of all files from one on, which one step sets and one step takes back. The companion marks
//! single files: it is asked for one after the other.

use alongside_desk::{Request, TurnFile};

use crate::turn_files::TurnFiles;
use crate::words::turn_words::count;

/// No file from the one on the screen on is without a mark.
pub(crate) const NO_REST: &str = "From here on, no change of the agent is without a mark.";

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct RestMarks {
    /// The files that are still to be asked for, by path, the next one at the end.
    waiting: Vec<String>,
    /// Whether they get a mark, or lose it.
    undo: bool,
    /// The files that the step has marked, until the person marks something else.
    marked: Vec<String>,
    /// How many were asked for, while any is under way.
    asked: usize,
}

impl RestMarks {
    /// Begins to mark each file, from the one on the screen on, that is news and has no mark.
    pub(crate) fn begin(&mut self, files: &TurnFiles) {
        let is_rest = |file: &&TurnFile| file.is_of_rest() && files.marked(file).is_nothing();
        let rest = files.all().iter().skip(files.at()).filter(is_rest);
        let waiting = rest.map(|file| file.path.clone()).rev().collect();
        *self = Self { waiting, undo: true, ..Self::default() };
    }

    /// Begins to take the marks of the step back. False if there are none.
    pub(crate) fn begin_back(&mut self) -> bool {
        let marked = std::mem::take(&mut self.marked);
        // The marked files stay known until all marks are taken back: another step goes on where one was
        // refused.
        *self = Self { waiting: marked.clone(), marked, ..Self::default() };
        !self.waiting.is_empty()
    }

    /// Forgets the step, since the person has made another one.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// A mark was refused: the step ends there. Returns the words on the marks that it has set, once.
    pub(crate) fn refused(&mut self) -> Option<String> {
        self.waiting.clear();
        let set = std::mem::take(&mut self.asked).checked_sub(1).filter(|_| self.undo)?;
        self.marked.pop();
        (set > 0).then(|| format!("{} marked before that; u takes these marks back.", count(set)))
    }

    /// The request for the next file; none if there is no more.
    pub(crate) fn next(&mut self, files: &TurnFiles) -> Option<Request> {
        while let Some(path) = self.waiting.pop() {
            let Some(file) = files.position(&path) else { continue };
            let is_marked = !files.marked(&files.all()[file]).is_nothing();
            if is_marked != self.undo {
                let (turn, revision, undo) = (files.turn().id, files.turn().revision, self.undo);
                self.asked += 1;
                if undo {
                    self.marked.push(path);
                }
                return Some(Request::MarkTurnFile { turn, revision, file, undo });
            }
        }
        None
    }

    /// The words on the end of a step, once.
    pub(crate) fn end(&mut self) -> Option<String> {
        let asked = std::mem::take(&mut self.asked);
        if !self.undo {
            self.marked.clear();
        }
        let said = match self.undo {
            true => format!("{} marked to be undone. u takes that back.", count(asked)),
            false => format!("The marks of {} are taken back.", count(asked)),
        };
        (asked > 0).then_some(said)
    }
}
