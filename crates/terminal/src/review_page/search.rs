//! Searches the content of a page, folded lines too. A search reads each text once at most, and moving
//! between matches reads none.

use std::ops::Range;

use alongside_desk::{HunkState, Lines, Text};
use regex::{Regex, RegexBuilder};

use super::content::{Cell, Content, Sign};
use super::line_place::place_of;
use super::rows::{Block, Kind};
use super::texts::Side;
use crate::options::Layout;
use crate::text::width;

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

    /// The places of the needle in a text, in bytes.
    pub(crate) fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// The places of the needle in a stretch of a text: lines of the text, and bytes in each.
    fn matches<'a>(
        &'a self,
        text: &'a Text,
        side: Side,
        lines: Range<usize>,
    ) -> impl Iterator<Item = Match> + 'a {
        let stretch = text.lines(lines.clone());
        let begin = (lines.start, 0, 0);
        self.places(stretch).scan(begin, move |(line, line_start, counted), place| {
            for (at, _) in stretch[*counted..place.start].match_indices('\n') {
                (*line, *line_start) = (*line + 1, *counted + at + 1);
            }
            *counted = place.start;
            let byte = |at: usize| u32::try_from(at - *line_start).unwrap_or(u32::MAX);
            Some(Match { side, line: *line, start: byte(place.start), end: byte(place.end) })
        })
    }

    /// All matches in the order of the rows, folded ones too; beside one another, the left one comes first.
    pub(crate) fn all_in(&self, content: &Content) -> Vec<Match> {
        let (texts, mut all) = (&content.texts, Vec::new());
        for block in &content.blocks {
            let Kind::Hunk(index) = block.kind else {
                let lines = block.at.current..block.at.current + block.lines();
                all.extend(self.matches(texts.text(Side::Current), Side::Current, lines));
                continue;
            };
            let hunk = &content.hunks[index];
            // The lines that stay count once, though a dropped hunk shows them on both sides.
            let (before, after) = match hunk.state {
                HunkState::Dropped => ((Side::Current, hunk.current), (Side::Proposed, hunk.proposed)),
                HunkState::Kept | HunkState::Edited => {
                    ((Side::Original, hunk.original), (Side::Current, hunk.current))
                }
            };
            let matches =
                |(side, lines): (Side, Lines)| self.matches(texts.text(side), side, lines.start..lines.end);
            let first = all.len();
            // A line that the person left as it was is found where it will be written.
            let is_other = |found: &Match| {
                let is_old = found.side == Side::Original;
                !(is_old && content.is_kept_line(index, found.line - hunk.original.start))
            };
            all.extend(matches(before).filter(is_other).chain(matches(after)));
            if content.shape() == Layout::SideBySide && hunk.state != HunkState::Dropped {
                // The sort is stable: within a row, the left side stays first.
                all[first..].sort_by_key(|found| match found.side {
                    Side::Original => content.row_of_old(index, found.line - hunk.original.start),
                    Side::Proposed | Side::Current => {
                        content.row_of_new(index, found.line - hunk.current.start)
                    }
                });
            }
        }
        all
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

    /// Whether the match stands on the right of two sides.
    pub(super) fn is_right_in(&self, content: &Content) -> bool {
        content.shape() == Layout::SideBySide && self.side != Side::Original
    }

    /// The columns of the match in its line.
    pub(crate) fn columns_in(&self, content: &Content) -> Range<usize> {
        width::columns_of_bytes(content.texts.line(self.side, self.line), self.bytes())
    }

    /// The block of the match, and the line in that block.
    pub(super) fn place_in<'c>(&self, content: &'c Content) -> Option<(&'c Block, usize)> {
        place_of(content, self.side, self.line)
    }

    /// Whether a cell shows the line of the match: an unchanged line is shown on both sides.
    pub(super) fn is_in(&self, cell: &Cell) -> bool {
        let place = match (cell.sign, cell.current) {
            (Sign::Same, Some(line)) => (Side::Current, line),
            _ => (cell.side, cell.line),
        };
        place == (self.side, self.line)
    }
}
