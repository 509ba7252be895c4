//! Searches a page, folded lines too. A search reads each text once at most, and moving between matches reads
//! none.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState, Text};
use regex::{Regex, RegexBuilder};

use super::cells::{Cell, Sign};
use super::model::Page;
use super::rows::{self, Block, Kind};
use super::texts::Side;
use super::wrapping;
use crate::options::Layout;
use crate::width;

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

    /// Where it is in a stretch of a text: lines of the text, and bytes in each.
    fn matches<'a>(
        &'a self,
        text: &'a Text,
        side: Side,
        lines: Range<usize>,
    ) -> impl Iterator<Item = Match> + 'a {
        let stretch = text.lines(lines.clone());
        let (mut line, mut line_start, mut counted) = (lines.start, 0, 0);
        self.places(stretch).map(move |place| {
            for (at, _) in stretch[counted..place.start].match_indices('\n') {
                (line, line_start) = (line + 1, counted + at + 1);
            }
            counted = place.start;
            let byte = |at: usize| u32::try_from(at - line_start).unwrap_or(u32::MAX);
            Match { side, line, start: byte(place.start), end: byte(place.end) }
        })
    }
}

impl PartialEq for Needle {
    fn eq(&self, other: &Self) -> bool {
        // Whether case matters depends on the text alone.
        self.regex.as_str() == other.regex.as_str()
    }
}

/// A place where a needle is. An unchanged line counts once, though it stands on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    side: Side,
    line: usize,
    /// In bytes of the line; a text of many matches keeps all of them in memory.
    start: u32,
    end: u32,
}

impl Match {
    /// Whether another match has the same place in its line, on the same side of the page.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        (self.side == Side::Original) == (other.side == Side::Original) && self.start == other.start
    }

    pub(super) fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Page {
    /// All matches in the order of the rows, folded ones too; beside one another, the left one comes first.
    pub(crate) fn matches(&self, needle: &Needle) -> Vec<Match> {
        let current = self.texts.text(Side::Current);
        let mut all = Vec::new();
        for block in &self.blocks {
            let Kind::Hunk(index) = block.kind else {
                let lines = block.at.current..block.at.current + block.lines();
                all.extend(needle.matches(current, Side::Current, lines));
                continue;
            };
            let hunk = &self.hunks[index];
            let (left, right) = rows::sides(hunk);
            let (side, start) = match hunk.state {
                HunkState::Dropped => (Side::Proposed, hunk.proposed.start),
                HunkState::Kept | HunkState::Edited => (Side::Current, hunk.current.start),
            };
            let original = hunk.original.start..hunk.original.start + left;
            let before = needle.matches(self.texts.text(Side::Original), Side::Original, original);
            let after = needle.matches(self.texts.text(side), side, start..start + right);
            let first = all.len();
            all.extend(before.chain(after));
            if self.shape() == Layout::SideBySide {
                // The sort is stable: within a row, the left side stays first.
                all[first..].sort_by_key(|found| match found.side {
                    Side::Original => found.line - hunk.original.start,
                    Side::Proposed | Side::Current => found.line - start,
                });
            }
        }
        all
    }

    /// The row of a match, or that of the fold over it.
    pub(crate) fn match_row(&self, found: &Match) -> usize {
        let Some((block, offset)) = self.match_place(found) else { return 0 };
        let unwrapped = block.row_of(offset);
        let first = self.first_row(unwrapped);
        let (Some(width), false) = (self.form.wrap, matches!(block.kind, Kind::Fold { open: false, .. }))
        else {
            return first;
        };
        let (left, right) = self.starts_in(&self.row_in(block, unwrapped), width);
        let is_right = self.shape() == Layout::SideBySide && found.side != Side::Original;
        let starts = if is_right { right } else { left };
        first + wrapping::row_of(&starts, self.match_columns(found).start)
    }

    /// Whether a match is above a row. Only the line of that row is measured.
    pub(crate) fn is_above(&self, found: &Match, row: usize) -> bool {
        let Some((block, offset)) = self.match_place(found) else { return true };
        let rows = self.rows_of(block.row_of(offset));
        rows.end <= row || (rows.start < row && self.match_row(found) < row)
    }

    /// The columns of a match in its line.
    pub(crate) fn match_columns(&self, found: &Match) -> Range<usize> {
        width::columns_of_bytes(self.texts.line(found.side, found.line), found.bytes())
    }

    /// Opens the fold over a match, if there is one: rows below it move.
    pub(crate) fn reveal(&mut self, found: &Match) {
        let Some((&Block { row, kind, .. }, _)) = self.match_place(found) else { return };
        if let Kind::Fold { open: false, .. } = kind {
            self.toggle_fold(self.first_row(row));
        }
    }

    /// The block of a match, and its line there.
    fn match_place(&self, found: &Match) -> Option<(&Block, usize)> {
        let in_hunk = |lines: fn(&Hunk) -> alongside_desk::Lines| {
            let index = self.hunks.partition_point(|hunk| lines(hunk).end <= found.line);
            let lines = lines(self.hunks.get(index)?);
            let block = (lines.start..lines.end).contains(&found.line).then(|| self.hunk_block(index))??;
            Some((block, index, found.line - lines.start))
        };
        let above = |index: usize| match self.shape() {
            Layout::SideBySide => 0,
            Layout::OneColumn => rows::sides(&self.hunks[index]).0,
        };
        match found.side {
            Side::Original => in_hunk(|hunk| hunk.original).map(|(block, _, line)| (block, line)),
            Side::Proposed => {
                in_hunk(|hunk| hunk.proposed).map(|(block, index, line)| (block, line + above(index)))
            }
            Side::Current => {
                let changed = in_hunk(|hunk| hunk.current);
                changed.map(|(block, index, line)| (block, line + above(index))).or_else(|| {
                    let after = self.blocks.partition_point(|block| block.at.current <= found.line);
                    let block = self.blocks[..after].last()?;
                    Some((block, found.line - block.at.current))
                })
            }
        }
    }

    /// Whether a cell shows the line of a match: an unchanged one does so on both sides.
    pub(super) fn is_in(&self, found: &Match, cell: &Cell) -> bool {
        let place = match (cell.sign, cell.hunk, cell.current) {
            (Sign::Same, None, Some(line)) => (Side::Current, line),
            _ => (cell.side, cell.line),
        };
        place == (found.side, found.line)
    }
}
