//! How much is to be printed before the person replies.

/// The output due before the next reply, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    Nothing,
    /// The prompt.
    Prompt,
    /// The hunk or the summary, and the prompt.
    Place,
    /// The header too.
    Review,
}
