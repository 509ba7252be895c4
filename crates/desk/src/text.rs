//! Texts as lines: where each begins, and what lies at a position. A line ends in `\n` and includes it; a lone `\r` is
//! text like any other.

use std::ops::Range;
use std::sync::Arc;

use crate::{Change, Position};

/// A text and where its lines begin. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Text {
    text: Arc<str>,
    /// Byte offsets of line starts, and the text's length last.
    starts: Arc<[usize]>,
}

impl Text {
    /// Looks for the line ends.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts: starts.into() }
    }

    /// All of it.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// How many lines.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no line, which is so for the empty text only.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of some lines; a range beyond the end is cut.
    pub fn lines(&self, range: Range<usize>) -> &str {
        let start = self.start(range.start);
        &self.text[start..self.start(range.end).max(start)]
    }

    /// The byte offset at which a line begins; for a line beyond the end, the length of the text.
    pub fn start(&self, line: usize) -> usize {
        self.starts[line.min(self.len())]
    }

    /// The last line that begins at this byte offset or before it; [`len`](Self::len) for the end of the text.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Whether the last line lacks its `\n`.
    pub fn ends_open(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// The byte offset of an LSP position. Columns beyond the end of a line mean its end, as LSP says; `None` for a
    /// line beyond the text.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let line = position.line as usize;
        if line >= self.len() {
            // The empty line after the last `\n`, or an empty text.
            let at_end = line == self.len() && !self.ends_open();
            return (at_end && position.character == 0).then_some(self.text.len());
        }
        let start = self.starts[line];
        let content = self.lines(line..line + 1).trim_end_matches('\n').trim_end_matches('\r');
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= position.character as usize {
                return Some(start + at);
            }
            units += c.len_utf16();
        }
        Some(start + content.len())
    }

    /// The text after some changes, applied in order, each on the result of the one before.
    ///
    /// # Errors
    /// [`OutOfText`] for a position that is not in the text.
    pub fn changed(&self, changes: &[Change]) -> Result<Self, OutOfText> {
        let mut text = self.clone();
        for change in changes {
            text = match change.range {
                None => Self::new(change.text.as_str()),
                Some(range) => {
                    let start = text.offset(range.start).ok_or(OutOfText { place: range.start })?;
                    let end = text.offset(range.end).ok_or(OutOfText { place: range.end })?;
                    if end < start {
                        return Err(OutOfText { place: range.end });
                    }
                    let whole = text.text();
                    let mut new = String::with_capacity(start + change.text.len() + whole.len() - end);
                    new.push_str(&whole[..start]);
                    new.push_str(&change.text);
                    new.push_str(&whole[end..]);
                    Self::new(new)
                }
            };
        }
        Ok(text)
    }
}

/// A position that is not in a text, or a range that ends before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {} is not in the text", .place.line, .place.character)]
pub struct OutOfText {
    /// It.
    pub place: Position,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn lines_keep_their_ends() {
        let text = Text::new("a\r\nb\n\nc");
        assert_eq!(text.len(), 4);
        assert_eq!(text.lines(0..1), "a\r\n");
        assert_eq!(text.lines(2..4), "\nc");
        assert_eq!(text.lines(3..9), "c");
        assert!(text.ends_open());
        assert_eq!(Text::new("").len(), 0);
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
