//! The choice of some lines of a change, around which the change is split so that the person decides on
//! them apart.

use alongside_desk::ReviewId;

use super::line_choice::LineChoice;

/// See the module.
#[derive(Debug)]
pub(crate) struct LineSplit {
    pub(crate) id: ReviewId,
    /// The revision whose lines these are.
    pub(crate) revision: u64,
    pub(crate) hunk: usize,
    pub(crate) choice: LineChoice,
}
