//! Searches the content of a page, including folded lines, and finds the rows of matches. A search reads each
//! text at most once, and moving between matches reads no text.

use std::ops::Range;

use alongside_desk::{HunkState, Lines, Text};
use regex::{Regex, RegexBuilder};

use super::content::Content;
use super::line_place::block_of_line;
use super::page::Page;
use super::rows::{Block, BlockKind};
use super::texts::Side;
use super::unwrapped_row::{Cell, Sign};
use crate::options::Layout;
use crate::text::width;

/// The text to search for. A text without a capital letter matches either case.
#[derive(Debug, Clone)]
pub(crate) struct Needle {
    regex: Regex,
}

impl Needle {
    /// Creates a needle; `None` for an empty text, and for one that is too long for a regular expression.
    pub(crate) fn new(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let any_case = !text.chars().any(char::is_uppercase);
        let regex = RegexBuilder::new(&regex::escape(text)).case_insensitive(any_case).build().ok()?;
        Some(Self { regex })
    }

    /// The byte ranges of the needle in a text.
    pub(crate) fn find_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// The matches of the needle in these lines of a text.
    fn matches_in<'a>(
        &'a self,
        text: &'a Text,
        side: Side,
        lines: Range<usize>,
    ) -> impl Iterator<Item = Match> + 'a {
        let stretch = text.lines(lines.clone());
        let begin = (lines.start, 0, 0);
        self.find_in(stretch).scan(begin, move |(line, line_start, counted), place| {
            for (at, _) in stretch[*counted..place.start].match_indices('\n') {
                (*line, *line_start) = (*line + 1, *counted + at + 1);
            }
            *counted = place.start;
            let byte = |at: usize| u32::try_from(at - *line_start).unwrap_or(u32::MAX);
            Some(Match { side, line: *line, start: byte(place.start), end: byte(place.end) })
        })
    }

    /// All matches in the order of the rows, including folded lines. Within a row, the left side comes first.
    pub(crate) fn all_in(&self, content: &Content) -> Vec<Match> {
        let (texts, mut all) = (&content.texts, Vec::new());
        for block in &content.blocks {
            let BlockKind::Hunk(index) = block.kind else {
                let lines = block.at.current..block.at.current + block.lines();
                all.extend(self.matches_in(texts.text(Side::Current), Side::Current, lines));
                continue;
            };
            let hunk = &content.hunks[index];
            // A dropped hunk shows the lines that stay on both sides, but their matches count once.
            let (before, after) = match hunk.state {
                HunkState::Dropped => ((Side::Current, hunk.current), (Side::Proposed, hunk.proposed)),
                HunkState::Kept | HunkState::Edited => {
                    ((Side::Original, hunk.original), (Side::Current, hunk.current))
                }
            };
            let matches = |(side, lines): (Side, Lines)| {
                self.matches_in(texts.text(side), side, lines.start..lines.end)
            };
            let first = all.len();
            // A line that the person left unchanged in an edited hunk is found in the current text only.
            let is_other = |found: &Match| {
                let is_old = found.side == Side::Original;
                !(is_old && content.is_kept_line(index, found.line - hunk.original.start))
            };
            all.extend(matches(before).filter(is_other).chain(matches(after)));
            if content.effective_layout() == Layout::SideBySide && hunk.state != HunkState::Dropped {
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
        // The sensitivity to case follows from the text, so the text is enough.
        self.regex.as_str() == other.regex.as_str()
    }
}

/// A match of a needle. A match in an unchanged line counts once, although both sides show the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    side: Side,
    line: usize,
    /// The first byte within the line. 32 bits are enough, and save memory in a text with many matches.
    start: u32,
    end: u32,
}

impl Match {
    /// Whether another match begins at the same byte of its line, on the same side of the page.
    pub(crate) fn is_at_same_byte(&self, other: &Self) -> bool {
        (self.side == Side::Original) == (other.side == Side::Original) && self.start == other.start
    }

    pub(super) fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the match is on the right of two sides.
    fn is_right_in(&self, content: &Content) -> bool {
        content.effective_layout() == Layout::SideBySide && self.side != Side::Original
    }

    /// The columns of the match in its line.
    pub(crate) fn columns_in(&self, content: &Content) -> Range<usize> {
        width::columns_of_bytes(content.texts.line(self.side, self.line), self.bytes())
    }

    /// The block of the match, and the offset of its line in that block.
    fn block_in<'c>(&self, content: &'c Content) -> Option<(&'c Block, usize)> {
        block_of_line(content, self.side, self.line)
    }

    /// Whether a cell shows the line of the match: an unchanged line is shown on both sides.
    pub(super) fn is_in(&self, cell: &Cell) -> bool {
        let place = match (cell.sign, cell.current) {
            (Sign::Same, Some(line)) => (Side::Current, line),
            _ => (cell.side, cell.line),
        };
        place == (self.side, self.line)
    }

    /// The row of the match, or the row of the fold over it.
    pub(crate) fn row_in(&self, page: &Page) -> usize {
        let content = page.content();
        let Some((block, offset)) = self.block_in(content) else { return 0 };
        let unwrapped = block.row_of(offset);
        let first = page.rows_of_line(unwrapped).start;
        if page.is_folded_block(block) {
            return first;
        }
        let Some((left, right)) = page.line_rows(&content.row_in(block, unwrapped)) else { return first };
        let rows = if self.is_right_in(content) { right } else { left };
        first + rows.row_of(self.columns_in(content).start)
    }

    /// Whether the line of the match is wrapped, so that no part of it is cut.
    pub(crate) fn is_wrapped_in(&self, page: &Page) -> bool {
        let content = page.content();
        let row = |(block, offset): (&Block, usize)| content.row_in(block, block.row_of(offset));
        self.block_in(content).is_some_and(|place| page.line_rows(&row(place)).is_some())
    }

    /// Whether the match is above a row. Only a line that begins above the row and ends below is measured.
    pub(crate) fn is_above(&self, row: usize, page: &Page) -> bool {
        let Some((block, offset)) = self.block_in(page.content()) else { return true };
        let rows = page.rows_of(block.row_of(offset));
        rows.end <= row || (rows.start < row && self.row_in(page) < row)
    }

    /// Opens the fold over the match, if there is one. Rows below the fold move.
    pub(crate) fn reveal_in(&self, page: &mut Page) {
        let content = page.content();
        if let Some((block, _)) = self.block_in(content).filter(|(block, _)| page.is_folded_block(block)) {
            let first = page.rows_of(block.row).start;
            page.toggle_fold(first);
        }
    }
}
