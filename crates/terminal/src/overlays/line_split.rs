//! The choice of some lines of a change. The change is split around them, so that the person can decide on
//! these lines separately.

use alongside_desk::ReviewId;

use super::line_choice::LineChoice;

/// The chosen lines around which a change is split.
#[derive(Debug)]
pub(crate) struct LineSplit {
    pub(crate) id: ReviewId,
    /// The revision to which the lines belong.
    pub(crate) revision: u64,
    pub(crate) hunk: usize,
    pub(crate) choice: LineChoice,
}
