//! The choice of some lines of a change, around which the change is split so that the person decides on
//! them apart.

use alongside_desk::{Lines, ReviewId, Side};

use super::line_choice::LineChoice;
use crate::review_page::PageLines;

/// See the module.
#[derive(Debug)]
pub(crate) struct LineSplit {
    pub(crate) id: ReviewId,
    /// The revision whose lines these are.
    pub(crate) revision: u64,
    pub(crate) hunk: usize,
    pub(crate) choice: LineChoice,
}

impl LineSplit {
    /// The words on the status line.
    pub(crate) fn prompt(&self) -> String {
        format!("A change of its own: {}", self.choice.words())
    }

    /// The keys of the choice.
    pub(crate) fn keys() -> Vec<(&'static str, &'static str)> {
        vec![("Enter", "split"), ("Esc", "back"), ("j/k", "line"), ("J/K", "more lines")]
    }

    pub(crate) fn on_page(&self) -> Option<PageLines> {
        self.choice.on_page()
    }

    /// The chosen lines, and the text that they are of; none while all of the change is meant.
    pub(crate) fn lines(&self) -> Option<(Side, Lines)> {
        self.choice.is_part().then(|| self.choice.lines())
    }
}
