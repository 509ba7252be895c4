//! The three tiers of tests.

/// Which tests run; each tier has those of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    /// The unit tests, those on a paused clock among them.
    Fast,
    /// Each agent, editor, SDK and rule once, with the real program.
    Default,
    All,
}

impl Tier {
    /// Returns the number of steps that run side by side. The default tier's leave each other room; with
    /// `--all`, Kate and a browser take all that there is.
    pub(super) fn lanes(self) -> usize {
        match self {
            Self::Default => 2,
            Self::Fast | Self::All => 1,
        }
    }
}
