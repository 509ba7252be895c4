//! The alignment of each hunk, computed on the first request and kept while it is valid.

use std::sync::OnceLock;

use alongside_desk::{Hunk, HunkState};

use super::alignment::{Alignment, PLAIN, STACKED};
use super::line_pairs;
use super::texts::ReviewTexts;

/// The alignments of all hunks of a page, by the index of the hunk.
#[derive(Debug)]
pub(super) struct HunkAlignments {
    /// The alignment of the sides of each hunk.
    sides: Vec<OnceLock<Alignment>>,
    /// The lines of each edited hunk that the person left unchanged.
    kept_lines: Vec<OnceLock<Alignment>>,
}

impl HunkAlignments {
    pub(super) fn new(hunks: &[Hunk]) -> Self {
        let none = || hunks.iter().map(|_| OnceLock::new()).collect();
        Self { sides: none(), kept_lines: none() }
    }

    /// Takes the hunks of a new revision of the same review.
    pub(super) fn update(&mut self, before: Vec<Hunk>, hunks: &[Hunk]) {
        let known = std::mem::replace(self, Self::new(hunks)).sides;
        let mut known = before.into_iter().zip(known).peekable();
        for (hunk, sides) in hunks.iter().zip(&mut self.sides) {
            let place = |hunk: &Hunk| (hunk.original.start, hunk.proposed.start);
            while known.next_if(|(other, _)| place(other) < place(hunk)).is_some() {}
            // The original and the proposal never change, so the alignment of an unedited hunk stays valid.
            let same = known.next_if(|(other, _)| {
                let is_proposed = |hunk: &Hunk| hunk.state != HunkState::Edited;
                let lines = |hunk: &Hunk| (hunk.original, hunk.proposed);
                lines(other) == lines(hunk) && is_proposed(other) && is_proposed(hunk)
            });
            if let Some((_, alignment)) = same {
                *sides = alignment;
            }
        }
    }

    /// The alignment of the sides of a hunk.
    pub(super) fn sides(&self, texts: &ReviewTexts, hunks: &[Hunk], index: usize) -> &Alignment {
        match (hunks.get(index), self.sides.get(index)) {
            (Some(hunk), Some(known)) => known.get_or_init(|| line_pairs::alignment(texts, hunk)),
            _ => &PLAIN,
        }
    }

    /// The lines of an edited hunk that the person left unchanged.
    pub(super) fn kept_lines(&self, texts: &ReviewTexts, hunks: &[Hunk], index: usize) -> &Alignment {
        match (hunks.get(index), self.kept_lines.get(index)) {
            (Some(hunk), Some(known)) if hunk.state == HunkState::Edited => {
                let sides = || self.sides(texts, hunks, index);
                known.get_or_init(|| line_pairs::kept_lines(texts, hunk, sides()))
            }
            _ => &STACKED,
        }
    }
}
