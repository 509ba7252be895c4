//! The amount of output that is due before the next reply of the person.

/// The output that is due, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    Nothing,
    /// The prompt.
    Prompt,
    /// The hunk or the summary, and the prompt.
    Place,
    /// The header, the hunk or the summary, and the prompt.
    Review,
}
