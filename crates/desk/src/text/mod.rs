//! Texts as lines: finds the start of each line and the offset of a position. A line ends in `\n` and
//! includes it; a lone `\r` is text like any other.

pub(crate) mod best_pairs;
pub(crate) mod difference;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::context::{Position, Range as TextRange};

/// The bytes of a block, the unit in which lines are found. Counting newlines by block is many times faster
/// than finding each: on 200,000 lines, it is all that the first frame of a desk waits for.
const BLOCK_BYTES: usize = 512;

/// The most lines over which a scan from a known line is faster than a look-up.
const MAX_SCANNED_LINES: usize = 8;

/// A change of the current text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The replaced range; absent for the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// The new text.
    pub text: String,
}

/// A text and where its lines begin. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Text {
    text: Arc<str>,
    index: Arc<LineIndex>,
}

/// The lines of a text.
#[derive(Debug)]
struct LineIndex {
    /// For each block, the number of newlines before it; then that of the whole text.
    newlines_before: Box<[usize]>,
    /// The answer of [`Text::is_crlf`], once it was asked for.
    is_crlf: OnceLock<bool>,
}

impl Text {
    /// Creates a text and indexes its lines.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self::indexed(text.into(), &[0])
    }

    /// Indexes the lines of a text. `known`: the newlines before each of its first blocks.
    fn indexed(text: Arc<str>, known: &[usize]) -> Self {
        let rest = &text.as_bytes()[known.len().saturating_sub(1) * BLOCK_BYTES..];
        BYTES_INDEXED.set(BYTES_INDEXED.get().wrapping_add(rest.len()));
        let last = known.last().copied().unwrap_or_default();
        let blocks = rest.chunks(BLOCK_BYTES).scan(last, |before, block| {
            *before += bytecount::count(block, b'\n');
            Some(*before)
        });
        let newlines_before = known.iter().copied().chain(blocks).collect();
        Self { text, index: Arc::new(LineIndex { newlines_before, is_crlf: OnceLock::new() }) }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.newlines() + usize::from(self.ends_open())
    }

    fn newlines(&self) -> usize {
        self.index.newlines_before.last().copied().unwrap_or_default()
    }

    /// Whether there is no line, which is so for the empty text only.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text of some lines; a range beyond the end is cut.
    pub fn lines(&self, range: Range<usize>) -> &str {
        let start = self.start(range.start);
        &self.text[start..self.start_after(range.start, start, range.len())]
    }

    /// Returns the text of some lines, line by line.
    pub fn each_line(&self, range: Range<usize>) -> impl Iterator<Item = &str> {
        let stretch = self.lines(range);
        let ends = memchr::memchr_iter(b'\n', stretch.as_bytes()).map(|at| at + 1);
        let mut start = 0;
        let lines =
            ends.chain([stretch.len()]).map(move |end| &stretch[std::mem::replace(&mut start, end)..end]);
        // After the last line ending, the text may be empty.
        lines.filter(|line| !line.is_empty())
    }

    /// Returns the byte offset at which a line begins; for a line beyond the end, the length of the text.
    pub fn start(&self, line: usize) -> usize {
        let Some(last) = line.checked_sub(1) else { return 0 };
        // The block with the end of the line before.
        let newlines_before = &self.index.newlines_before;
        let block = newlines_before.partition_point(|before| *before <= last) - 1;
        let first = (block * BLOCK_BYTES).min(self.text.len());
        let mut ends = memchr::memchr_iter(b'\n', &self.text.as_bytes()[first..]);
        ends.nth(last - newlines_before[block]).map_or(self.text.len(), |end| first + end + 1)
    }

    /// Returns the byte offset at which the line begins that is `count` lines after `line`. `line_start`: the
    /// known start of `line`.
    pub fn start_after(&self, line: usize, line_start: usize, count: usize) -> usize {
        match count.checked_sub(1) {
            None => line_start,
            Some(last) if count <= MAX_SCANNED_LINES => {
                memchr::memchr_iter(b'\n', &self.text.as_bytes()[line_start..])
                    .nth(last)
                    .map_or(self.text.len(), |end| line_start + end + 1)
            }
            Some(_) => self.start(line + count),
        }
    }

    /// Returns the last line that begins at or before this byte offset; [`len`](Self::len) for the text's
    /// end.
    pub fn line_at(&self, offset: usize) -> usize {
        if offset >= self.text.len() {
            return self.len();
        }
        let block = offset / BLOCK_BYTES;
        let within = &self.text.as_bytes()[block * BLOCK_BYTES..offset];
        self.index.newlines_before[block] + bytecount::count(within, b'\n')
    }

    /// Whether a line ends in `\n`.
    pub fn has_newline(&self) -> bool {
        self.newlines() > 0
    }

    /// Whether a line ends in `\n`, and each that does ends in `\r\n`. All clones know the answer after one
    /// question; until then, the search stops at the first other line.
    pub fn is_crlf(&self) -> bool {
        let bytes = self.text.as_bytes();
        let is_every_one = || memchr::memchr_iter(b'\n', bytes).all(|at| bytes[..at].ends_with(b"\r"));
        *self.index.is_crlf.get_or_init(|| self.has_newline() && is_every_one())
    }

    /// Whether the text lacks a final newline.
    pub fn ends_open(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// Returns the byte offset of an LSP position, at most the end of its line; `None` for a line beyond the
    /// text.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let line = position.line as usize;
        if line >= self.len() {
            // The empty line after the last `\n`, or an empty text.
            let at_end = line == self.len() && !self.ends_open();
            return (at_end && position.character == 0).then_some(self.text.len());
        }
        let start = self.start(line);
        let content = &self.text[start..self.start_after(line, start, 1)];
        let content = content.trim_end_matches('\n').trim_end_matches('\r');
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= position.character as usize {
                return Some(start + at);
            }
            units += c.len_utf16();
        }
        Some(start + content.len())
    }

    /// Returns the text after some changes, applied in order, each on the result of the one before.
    ///
    /// # Errors
    /// [`PositionNotInText`] for a position that is not in the text.
    pub fn changed(&self, changes: &[Change]) -> Result<Self, PositionNotInText> {
        let mut text = self.clone();
        for change in changes {
            text = match change.range {
                None => Self::new(change.text.as_str()),
                Some(range) => {
                    let start =
                        text.offset(range.start).ok_or(PositionNotInText { position: range.start })?;
                    let end = text.offset(range.end).ok_or(PositionNotInText { position: range.end })?;
                    if end < start {
                        return Err(PositionNotInText { position: range.end });
                    }
                    let whole = text.text();
                    let mut new = String::with_capacity(start + change.text.len() + whole.len() - end);
                    new.push_str(&whole[..start]);
                    new.push_str(&change.text);
                    new.push_str(&whole[end..]);
                    // The blocks before the change are the same.
                    Self::indexed(new.into(), &text.index.newlines_before[..=start / BLOCK_BYTES])
                }
            };
        }
        Ok(text)
    }
}

/// A position that is not in a text, or a range that ends before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {} is not in the text", .position.line, .position.character)]
pub struct PositionNotInText {
    /// The position.
    pub position: Position,
}

thread_local! {
    /// The bytes in which this thread has looked for lines, so that tests can count the cost of a step.
    pub(crate) static BYTES_INDEXED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns a line without its line ending.
pub fn without_ending(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn lines_keep_their_newlines() {
        let text = Text::new("a\r\nb\n\nc");
        assert_eq!(text.len(), 4);
        assert_eq!(text.lines(0..1), "a\r\n");
        assert_eq!(text.lines(2..4), "\nc");
        assert_eq!(text.lines(3..9), "c");
        assert_eq!(text.each_line(1..9).collect::<Vec<_>>(), ["b\n", "\n", "c"]);
        assert_eq!(text.each_line(0..2).collect::<Vec<_>>(), ["a\r\n", "b\n"]);
        assert_eq!(text.each_line(4..9).count(), 0);
        assert!(text.ends_open());
        assert_eq!(Text::new("").len(), 0);
    }

    #[test]
    fn lines_are_found_across_block_boundaries() {
        let long = "x".repeat(3 * BLOCK_BYTES);
        for text in [
            "",
            "\n",
            "a",
            &"\n".repeat(2 * BLOCK_BYTES + 1),
            &"ab\n".repeat(BLOCK_BYTES),
            &format!("{long}\n{long}\n\n{long}"),
        ] {
            let mut starts: Vec<_> =
                std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
            starts.retain(|start| *start < text.len());
            let lines = Text::new(text);
            assert_eq!(lines.len(), starts.len());
            let found: Vec<_> = (0..lines.len()).map(|line| lines.start(line)).collect();
            assert_eq!(found, starts);
            for count in [0, 1, MAX_SCANNED_LINES, MAX_SCANNED_LINES + 1] {
                let after = |line| lines.start_after(line, lines.start(line), count);
                assert!((0..=lines.len()).all(|line| after(line) == lines.start(line + count)));
            }
            assert_eq!((lines.start(starts.len()), lines.start(usize::MAX)), (text.len(), text.len()));
            for offset in 0..text.len() {
                assert_eq!(lines.line_at(offset), starts.partition_point(|start| *start <= offset) - 1);
            }
            assert_eq!(lines.line_at(text.len()), starts.len());
        }
    }

    #[test]
    fn a_changed_text_has_the_lines_of_a_new_one() {
        let old = Text::new("a line\n".repeat(BLOCK_BYTES));
        for line in [0, 1, 73, 74, 200, 511] {
            let range = Some(TextRange { start: at(line, 2), end: at(line + 1, 0) });
            let changed = old.changed(&[Change { range, text: "other\nlines".into() }]).unwrap();
            let new = Text::new(changed.text().clone());
            assert_eq!(changed.len(), new.len());
            assert!((0..=new.len()).all(|line| changed.start(line) == new.start(line)), "{line}");
        }
    }

    #[test]
    fn a_text_is_crlf_if_each_newline_follows_a_return() {
        for (text, is_crlf) in [
            ("", false),
            ("a", false),
            ("a\r", false),
            ("\n", false),
            ("a\n", false),
            ("\r\n", true),
            ("a\r\nb", true),
            ("a\r\nb\r\n", true),
            ("a\r\nb\n", false),
            ("a\nb\r\n", false),
        ] {
            let lines = Text::new(text);
            assert_eq!((lines.is_crlf(), lines.clone().is_crlf()), (is_crlf, is_crlf), "{text:?}");
            assert_eq!(lines.has_newline(), text.contains('\n'), "{text:?}");
        }
    }

    #[test]
    fn positions_count_utf16_units_and_stop_before_the_line_ending() {
        let text = Text::new("a😀b\r\nx");
        assert_eq!(text.offset(at(0, 3)), Some(5));
        assert_eq!(text.offset(at(0, 99)), Some(6));
        assert_eq!(text.offset(at(1, 1)), Some(9));
        assert_eq!(text.offset(at(2, 0)), None);
        assert_eq!(Text::new("x\n").offset(at(1, 0)), Some(2));
        assert_eq!(Text::new("").offset(at(0, 0)), Some(0));
    }
}
