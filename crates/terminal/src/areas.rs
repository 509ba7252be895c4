//! The areas of a frame: the rectangle of each part of the desk on the screen.

use alongside_desk::ReviewId;
use ratatui_core::layout::{Position, Rect};

use crate::options::Layout;

/// The areas of a frame.
#[derive(Debug, Default)]
pub(crate) struct Areas {
    /// The layout of reviews that the width of the screen gives, if the person chose none.
    pub(crate) by_width: Layout,
    pub(crate) too_small: bool,
    /// The banner of a demo.
    pub(crate) banner: Rect,
    pub(crate) lists: Lists,
    /// Whether the screen is large enough for a column of lists.
    pub(crate) is_roomy: bool,
    /// The rows of lists at the top of a screen without a column.
    pub(crate) strip: Rect,
    pub(crate) agents: Rect,
    pub(crate) reviews: Rect,
    pub(crate) context: Rect,
    /// The vertical line between the column and the main part.
    pub(crate) border: Rect,
    /// Everything but the column, the strip and the bottom.
    pub(crate) main: Rect,
    pub(crate) header: Rect,
    pub(crate) page: Rect,
    pub(crate) messages: Rect,
    pub(crate) keys: Rect,
    /// The rows that a click can hit: each lists a review, or a file of a turn.
    pub(crate) listed: Vec<(Rect, Listed)>,
}

/// The review or file that a row of a list stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    Review(ReviewId),
    /// A file of the turn review, as an index.
    File(usize),
}

/// The position of the lists of agents, reviews and context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Lists {
    /// In a column on the left.
    Column,
    /// In one or two rows at the top.
    #[default]
    Strip,
    /// Nowhere; the header counts the reviews.
    Hidden,
}

impl Areas {
    /// The review or file in the row at this position.
    pub(crate) fn listed_at(&self, at: Position) -> Option<Listed> {
        self.listed.iter().find(|(area, _)| area.contains(at)).map(|(_, listed)| *listed)
    }
}
