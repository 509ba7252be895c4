//! The kind of a review on the screen, on which its sentences depend.

/// The kind of a review on the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ReviewKind {
    /// A proposal that waits for a decision: its hunks are kept or dropped.
    #[default]
    Proposal,
    /// A file of a turn: its hunks stay, or are marked to be undone.
    TurnFile,
}
