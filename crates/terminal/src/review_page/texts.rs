//! The three texts of a review, line by line, without line endings that need not be shown.

use std::sync::Arc;

use alongside_desk::{Review, Text};

/// The sign behind a last line without a line ending, as in diffs.
pub(super) const NO_NEWLINE_SIGN: &str = " \\ no newline at end";

/// One of the three texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Original,
    Proposed,
    Current,
}

#[derive(Debug)]
pub(super) struct ReviewTexts {
    original: Text,
    proposed: Text,
    current: Text,
    /// Whether every line of every text ends in `\r\n`, so that `\r` need not be shown.
    crlf: bool,
}

impl ReviewTexts {
    pub(super) fn new(review: &Review) -> Self {
        let [original, proposed, current] = review.texts();
        let mut texts = Self { original, proposed, current, crlf: false };
        texts.detect_crlf();
        texts
    }

    /// Takes over the current text. The original and the proposal never change.
    pub(super) fn update(&mut self, review: &Review) {
        if !Arc::ptr_eq(self.current.text(), &review.current) {
            [_, _, self.current] = review.texts();
            self.detect_crlf();
        }
    }

    fn detect_crlf(&mut self) {
        let texts = [&self.original, &self.proposed, &self.current];
        self.crlf = texts.iter().all(|text| text.is_crlf() || !text.has_newline())
            && texts.iter().any(|text| text.has_newline());
    }

    pub(super) fn text(&self, side: Side) -> &Text {
        match side {
            Side::Original => &self.original,
            Side::Proposed => &self.proposed,
            Side::Current => &self.current,
        }
    }

    /// A line as it is shown; empty beyond the end. `line` counts from 0.
    pub(super) fn line(&self, side: Side, line: usize) -> &str {
        #[cfg(test)]
        LINES_READ.with(|read| read.set(read.get() + 1));
        let line = self.text(side).lines(line..line.saturating_add(1));
        match line.strip_suffix('\n') {
            Some(line) if self.crlf => line.strip_suffix('\r').unwrap_or(line),
            Some(line) => line,
            None => line,
        }
    }

    /// Whether this is the last line of its text, and has no line ending.
    pub(super) fn ends_open(&self, side: Side, line: usize) -> bool {
        let text = self.text(side);
        line + 1 == text.len() && text.ends_open()
    }
}

/// The byte of a line at the offset `character` in UTF-16 code units.
pub(super) fn byte_of(line: &str, character: u32) -> usize {
    let mut units = 0;
    let before = line.char_indices().find(|(_, c)| {
        let is_it = units >= character as usize;
        units += c.len_utf16();
        is_it
    });
    before.map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
thread_local! {
    /// The number of lines that this thread has read, so that a test can count the cost of drawing.
    pub(super) static LINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
