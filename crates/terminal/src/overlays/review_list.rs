//! The list of the reviews that wait, over the one on the screen, for screens without room for all of them:
//! the person goes to one.

/// The list. Its rows are the reviews as they are.
#[derive(Debug)]
pub(crate) struct ReviewList {
    at: usize,
    all: usize,
}

impl ReviewList {
    /// So many reviews wait, and the person is at one of them.
    pub(crate) fn new(at: usize, all: usize) -> Self {
        Self { at, all }
    }

    /// The chosen one of so many that wait now; the last one where fewer do.
    pub(crate) fn chosen(&self, all: usize) -> usize {
        self.at.min(all.saturating_sub(1))
    }

    /// Chooses one so many rows further.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.all.saturating_sub(1));
    }
}
