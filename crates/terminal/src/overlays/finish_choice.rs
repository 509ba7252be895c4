//! The finish of a turn review: its parts, and the way that the person chooses.

/// The parts of a finish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FinishParts {
    /// Whether a change is marked to be undone.
    pub(crate) has_marks: bool,
    /// The number of comments that wait to be sent.
    pub(crate) comments: usize,
    /// Whether a message can be sent.
    pub(crate) has_route: bool,
}

/// The way in which the person finishes a turn review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FinishChoice {
    /// The marked changes are undone, and the agent gets a message about the undo with the comments.
    #[default]
    Send,
    /// The agent is asked to undo the marked changes.
    AskToUndo,
    /// The marked changes are undone, and no message is sent: the comments still wait.
    Quietly,
}
