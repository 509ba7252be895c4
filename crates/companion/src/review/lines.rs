//! Texts as lines: where each begins, and which of them differ. A line ends in `\n` and includes it; a lone `\r` is
//! text like any other.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alongside_desk::Position;
use similar::{Algorithm, DiffTag};

/// How long a comparison may look for the smallest difference before it settles for a coarser one.
const COMPARISON: Duration = Duration::from_millis(300);

/// A text and where its lines begin.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    text: Arc<str>,
    /// Byte offsets of line starts, and the text's length last.
    starts: Arc<[usize]>,
}

impl Text {
    pub(crate) fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts: starts.into() }
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The text of some lines; a range beyond the end is cut.
    pub(crate) fn lines(&self, range: Range<usize>) -> &str {
        let at = |line: usize| self.starts[line.min(self.len())];
        &self.text[at(range.start)..at(range.end).max(at(range.start))]
    }

    /// Whether the last line lacks its `\n`.
    pub(crate) fn ends_open(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// The byte offset of an LSP position. Columns beyond the end of a line mean its end, as LSP says; `None` for a
    /// line beyond the text.
    pub(crate) fn offset(&self, position: Position) -> Option<usize> {
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
}

/// Where two texts differ: pairs of line ranges, in order, with equal lines between them.
pub(crate) fn differences(old: &Text, new: &Text) -> Vec<(Range<usize>, Range<usize>)> {
    let old_lines: Vec<&str> = (0..old.len()).map(|line| old.lines(line..line + 1)).collect();
    let new_lines: Vec<&str> = (0..new.len()).map(|line| new.lines(line..line + 1)).collect();
    let deadline = Some(Instant::now() + COMPARISON);
    let ops = similar::capture_diff_slices_deadline(Algorithm::Histogram, &old_lines, &new_lines, deadline);
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        match found.last_mut() {
            Some((o, n)) if o.end == op.old_range().start && n.end == op.new_range().start => {
                o.end = op.old_range().end;
                n.end = op.new_range().end;
            }
            _ => found.push((op.old_range(), op.new_range())),
        }
    }
    found
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
