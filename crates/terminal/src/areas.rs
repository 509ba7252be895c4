//! The areas of a frame: where each part of the desk is on the screen.

use alongside_desk::ReviewId;
use ratatui_core::layout::{Position, Rect};

use crate::options::Layout;

/// The areas of a frame. See the module.
#[derive(Debug, Default)]
pub(crate) struct Areas {
    /// The layout of reviews without the person's wish.
    pub(crate) by_width: Layout,
    pub(crate) too_small: bool,
    /// The banner of a demo.
    pub(crate) banner: Rect,
    pub(crate) lists: Lists,
    /// Whether there is room for the lists in a column.
    pub(crate) is_roomy: bool,
    /// The lines on top where there is no column.
    pub(crate) strip: Rect,
    pub(crate) agents: Rect,
    pub(crate) reviews: Rect,
    pub(crate) context: Rect,
    /// The line between the column and the main part.
    pub(crate) border: Rect,
    /// Everything but the column, the strip and the bottom.
    pub(crate) main: Rect,
    pub(crate) header: Rect,
    pub(crate) page: Rect,
    pub(crate) messages: Rect,
    pub(crate) keys: Rect,
    /// Where reviews are listed, or the files of a turn.
    pub(crate) listed: Vec<(Rect, Listed)>,
}

/// Something in a list that the person can turn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    Review(ReviewId),
    /// A file of the turn review, as an index.
    File(usize),
}

/// Where agents, reviews and context are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Lists {
    /// In a column on the left.
    Column,
    /// In a line or two on top.
    #[default]
    Strip,
    /// Nowhere; the header counts the reviews.
    Hidden,
}

impl Areas {
    /// The review or the file that is listed at a place.
    pub(crate) fn listed_at(&self, at: Position) -> Option<Listed> {
        self.listed.iter().find(|(area, _)| area.contains(at)).map(|(_, listed)| *listed)
    }
}
