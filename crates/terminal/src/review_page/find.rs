//! Searches a page, folded lines too. A search reads each text once at most.

use std::ops::Range;

use alongside_desk::Text;
use regex::{Regex, RegexBuilder};

use super::model::Page;
use super::rows::{self, Block, Kind};
use super::texts::Side;
use crate::options::Layout;

/// The text to search for. Without a capital letter it matches either case.
#[derive(Debug, Clone)]
pub(crate) struct Needle {
    regex: Regex,
}

impl Needle {
    /// `None` for nothing, and for more than one would want to look for.
    pub(crate) fn new(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let any_case = !text.chars().any(char::is_uppercase);
        let regex = RegexBuilder::new(&regex::escape(text)).case_insensitive(any_case).build().ok()?;
        Some(Self { regex })
    }

    /// Where it is in a text, in bytes.
    pub(crate) fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// The lines of a stretch of text that have it, counted from the stretch's first.
    fn lines<'a>(&'a self, text: &'a Text, lines: Range<usize>) -> impl Iterator<Item = usize> + 'a {
        let stretch = text.lines(lines);
        let (mut line, mut counted) = (0, 0);
        self.places(stretch).map(move |place| {
            let new = stretch.as_bytes()[counted..place.start].iter().filter(|byte| **byte == b'\n').count();
            counted = place.start;
            line += new;
            line
        })
    }
}

impl Page {
    /// The next row after `row` that has what is searched for, or the last one before it. Beyond the end it
    /// goes on from the other end, so it may be the same row. A fold over it is opened: rows below it move.
    pub(crate) fn find(&mut self, needle: &Needle, row: usize, forward: bool) -> Option<usize> {
        let row = row.min(self.rows().saturating_sub(1));
        let from = self.block_index(row);
        let here = *self.blocks.get(from)?;
        // The row of a fold is above all its lines.
        let offset = here.offset(row);
        let beyond = |hit: usize| match offset {
            None => forward,
            Some(offset) if forward => hit > offset,
            Some(offset) => hit < offset,
        };
        let first = self.hit(needle, &here, forward, beyond);
        let (block, hit) = match first {
            Some(hit) => (from, hit),
            None => {
                let others = from + 1..self.blocks.len();
                let around: Box<dyn Iterator<Item = usize>> = if forward {
                    Box::new(others.chain(0..=from))
                } else {
                    Box::new((0..from).rev().chain((from..self.blocks.len()).rev()))
                };
                around.into_iter().find_map(|block| {
                    let hit = self.hit(needle, &self.blocks[block], forward, |_| true)?;
                    Some((block, hit))
                })?
            }
        };
        if let Kind::Fold { open: false, .. } = self.blocks[block].kind {
            self.toggle_fold(self.blocks[block].row);
        }
        Some(self.blocks[block].row_of(hit))
    }

    /// The first or last line of a block that has it, among those that `counts` lets through.
    fn hit(
        &self,
        needle: &Needle,
        block: &Block,
        forward: bool,
        counts: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let best = |hits: &mut dyn Iterator<Item = usize>| {
            let mut hits = hits.filter(|hit| counts(*hit));
            if forward { hits.next() } else { hits.last() }
        };
        let current = self.texts.text(Side::Current);
        let Kind::Hunk(index) = block.kind else {
            return best(&mut needle.lines(current, block.at.current..block.at.current + block.lines()));
        };
        let hunk = &self.hunks[index];
        let (left, right) = rows::sides(hunk);
        let beside = match self.shape() {
            Layout::SideBySide => 0,
            Layout::OneColumn => left,
        };
        let after = match hunk.state {
            alongside_desk::HunkState::Dropped => (self.texts.text(Side::Proposed), hunk.proposed.start),
            _ => (current, hunk.current.start),
        };
        let before = (self.texts.text(Side::Original), hunk.original.start);
        let left = best(&mut needle.lines(before.0, before.1..before.1 + left));
        let right = best(&mut needle.lines(after.0, after.1..after.1 + right).map(|hit| hit + beside));
        match (left, right) {
            (Some(left), Some(right)) => Some(if forward { left.min(right) } else { left.max(right) }),
            (left, right) => left.or(right),
        }
    }
}
