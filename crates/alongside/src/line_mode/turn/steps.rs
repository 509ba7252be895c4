//! The person's own steps in a turn review, which can be undone: marks, splits and written comments.

use alongside_desk::CommentId;

use crate::line_mode::undo::Step;

/// A step of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnStep {
    /// A mark or a split in one file.
    File {
        path: String,
        /// For a file without text: whether the step has set the mark, or removed it. `None` for a step in a
        /// text, which the companion undoes itself.
        marked: Option<bool>,
    },
    /// The marks of these files, none of which was marked before.
    Files(Vec<String>),
    /// A written comment.
    Comment(CommentId),
}

/// The steps to undo and to redo.
#[derive(Debug, Default)]
pub(super) struct OwnSteps {
    done: Vec<OwnStep>,
    undone: Vec<OwnStep>,
}

impl OwnSteps {
    /// Adds a new step, which forgets the undone ones.
    pub(super) fn add(&mut self, step: OwnStep) {
        self.done.push(step);
        self.undone.clear();
    }

    /// Returns the next step to undo or to redo.
    pub(super) fn next(&self, to: Step) -> Option<OwnStep> {
        let from = match to {
            Step::Undo => &self.done,
            Step::Redo => &self.undone,
        };
        from.last().cloned()
    }

    /// Moves the next step after it was undone or redone (`is_done`), or forgets it because that failed.
    pub(super) fn move_next(&mut self, to: Step, is_done: bool) {
        let (from, into) = match to {
            Step::Undo => (&mut self.done, &mut self.undone),
            Step::Redo => (&mut self.undone, &mut self.done),
        };
        into.extend(from.pop().filter(|_| is_done));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_undone_and_redone_until_there_is_a_new_one() {
        let step = |path: &str| OwnStep::File { path: path.into(), marked: None };
        let mut steps = OwnSteps::default();
        steps.add(step("a"));
        steps.add(step("b"));
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (Some(step("b")), None));
        steps.move_next(Step::Undo, true);
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (Some(step("a")), Some(step("b"))));
        steps.move_next(Step::Undo, false);
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (None, Some(step("b"))));
        steps.move_next(Step::Redo, true);
        steps.add(step("c"));
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (Some(step("c")), None));
    }
}
