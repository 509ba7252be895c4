//! The person's own steps in a turn review, which they can take back: marks and splits, each in its file, and
//! written comments.

use alongside_desk::CommentId;

use crate::line_mode::undo::Step;

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnStep {
    /// A mark, or a split, in one file.
    File {
        path: String,
        /// For a file without text: whether the step has marked it, or has taken its mark back. `None` for a
        /// step in a text, which the companion itself takes back.
        marked: Option<bool>,
    },
    /// These files were marked, none of which had a mark.
    Files(Vec<String>),
    /// A comment was written.
    Comment(CommentId),
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct OwnSteps {
    done: Vec<OwnStep>,
    taken_back: Vec<OwnStep>,
}

impl OwnSteps {
    /// The person has made a new step.
    pub(super) fn add(&mut self, step: OwnStep) {
        self.done.push(step);
        self.taken_back.clear();
    }

    /// The next step to take back, or to make again.
    pub(super) fn next(&self, to: Step) -> Option<OwnStep> {
        let from = match to {
            Step::Undo => &self.done,
            Step::Redo => &self.taken_back,
        };
        from.last().cloned()
    }

    /// The next step was taken back, or made again (`is_done`); or it cannot be, and is forgotten.
    pub(super) fn pass(&mut self, to: Step, is_done: bool) {
        let (from, into) = match to {
            Step::Undo => (&mut self.done, &mut self.taken_back),
            Step::Redo => (&mut self.taken_back, &mut self.done),
        };
        into.extend(from.pop().filter(|_| is_done));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_back_and_forth_until_there_is_a_new_one() {
        let step = |path: &str| OwnStep::File { path: path.into(), marked: None };
        let mut steps = OwnSteps::default();
        steps.add(step("a"));
        steps.add(step("b"));
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (Some(step("b")), None));
        steps.pass(Step::Undo, true);
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (Some(step("a")), Some(step("b"))));
        steps.pass(Step::Undo, false);
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (None, Some(step("b"))));
        steps.pass(Step::Redo, true);
        steps.add(step("c"));
        assert_eq!((steps.next(Step::Undo), steps.next(Step::Redo)), (Some(step("c")), None));
    }
}
