//! The messages between the desk and the thread that colours: pieces of a text, and the spans in them.

use std::sync::Arc;

use alongside_desk::Text;

use super::classes::Class;

/// Lines of a piece; pieces are coloured one by one.
pub(super) const PIECE: usize = 64;

/// How many texts keep their colours, and stay in memory: a review has up to three.
pub(super) const TEXTS: usize = 8;

/// A piece of a line: byte offsets within it. Text without a span is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// First byte.
    pub(crate) start: u16,
    /// First byte after it.
    pub(crate) end: u16,
    pub(crate) class: Class,
}

/// The coloured spans of each line of a piece of a text.
pub(super) type LineSpans = Vec<Box<[Span]>>;

/// Pieces on the screen that have no colours yet.
pub(super) struct ColourRequest {
    pub(super) file: String,
    pub(super) pieces: Vec<(Text, usize)>,
}

/// A piece with its colours.
pub(super) struct ColouredPiece {
    pub(super) text: Arc<str>,
    pub(super) piece: usize,
    pub(super) spans: LineSpans,
}
