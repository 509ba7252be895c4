//! The list of the open reviews, over the review on the screen. On a screen without room for a panel of
//! reviews, the person chooses a review here.

/// The list of the open reviews. It stores only the position: its rows are drawn from the newest reviews.
#[derive(Debug)]
pub(crate) struct ReviewList {
    at: usize,
    all: usize,
}

impl ReviewList {
    /// Creates a list of `all` reviews with the review at the index `at` chosen.
    pub(crate) fn new(at: usize, all: usize) -> Self {
        Self { at, all }
    }

    /// The index of the chosen review among the `all` reviews that are open now; the last one if there are
    /// fewer.
    pub(crate) fn chosen(&self, all: usize) -> usize {
        self.at.min(all.saturating_sub(1))
    }

    /// Moves the choice by rows.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.all.saturating_sub(1));
    }
}
