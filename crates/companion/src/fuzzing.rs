//! Ways in for the fuzzers of `fuzz/`, which live outside this crate and play with what is private to it. Not an interface
//! for anybody else.

use alongside_desk::{Change, Hunk, Refusal};

use crate::review::alignment::align;
use crate::review::composition;

pub use crate::mcp::fuzzing::{Companion, Heard};

/// A proposal for a file, as it is reviewed.
#[derive(Debug)]
pub struct Composition(composition::Composition);

impl Composition {
    /// `None` if the file cannot be compared with it.
    #[must_use]
    pub fn new(on_disk: &[u8], proposed: &str) -> Option<Self> {
        let original = align(Some(on_disk.to_vec()), proposed).original?;
        Some(Self(composition::Composition::new(original, proposed)))
    }

    /// What is compared with the proposal.
    #[must_use]
    pub fn original(&self) -> &str {
        self.0.original()
    }

    /// What would be accepted now.
    #[must_use]
    pub fn current(&self) -> &str {
        self.0.current()
    }

    /// Where the texts differ.
    #[must_use]
    pub fn hunks(&self) -> Vec<Hunk> {
        self.0.hunks()
    }

    /// Keeps or drops hunks.
    ///
    /// # Errors
    /// When there is no such hunk.
    pub fn keep(&mut self, hunks: &[usize], keep: bool) -> Result<(), Refusal> {
        self.0.keep(hunks, keep)
    }

    /// Splits a hunk.
    ///
    /// # Errors
    /// When it cannot be split.
    pub fn split(&mut self, hunk: usize) -> Result<(), Refusal> {
        self.0.split(hunk)
    }

    /// Types.
    ///
    /// # Errors
    /// When that is not in the text.
    pub fn edit(&mut self, changes: &[Change]) -> Result<(), Refusal> {
        self.0.edit(changes)
    }

    /// Takes back what was done last.
    ///
    /// # Errors
    /// When there is nothing.
    pub fn undo(&mut self) -> Result<(), Refusal> {
        self.0.undo()
    }
}
