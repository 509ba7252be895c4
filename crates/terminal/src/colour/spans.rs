//! The messages between the desk and the highlighter thread: pieces of a text, and the coloured spans in
//! them. Also the cache of texts that both sides keep.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use alongside_desk::Text;

use super::classes::Class;

/// The number of lines of a piece. The thread highlights a text piece by piece.
pub(super) const LINES_PER_PIECE: usize = 64;

/// The most texts whose colours stay in memory. A review has up to three texts.
const MAX_COLOURED_TEXTS: usize = 8;

/// Data about each piece of the requested texts, the latest text first. The address of a text identifies it,
/// because no other text can have that address while this one is in memory.
#[derive(Debug)]
pub(super) struct LatestTexts<T>(VecDeque<(Arc<str>, HashMap<usize, T>)>);

impl<T> Default for LatestTexts<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> LatestTexts<T> {
    fn position(&self, text: &Arc<str>) -> Option<usize> {
        self.0.iter().position(|(known, _)| Arc::ptr_eq(known, text))
    }

    /// The data about the pieces of a text, if the text is still in memory.
    pub(super) fn get(&self, text: &Arc<str>) -> Option<&HashMap<usize, T>> {
        Some(&self.0[self.position(text)?].1)
    }

    pub(super) fn get_mut(&mut self, text: &Arc<str>) -> Option<&mut HashMap<usize, T>> {
        let at = self.position(text)?;
        Some(&mut self.0[at].1)
    }

    /// Makes a text the latest, and returns the data about its pieces.
    pub(super) fn remember(&mut self, text: &Arc<str>) -> &mut HashMap<usize, T> {
        let known = self.position(text).and_then(|at| self.0.remove(at));
        self.0.truncate(MAX_COLOURED_TEXTS - 1);
        self.0.push_front(known.unwrap_or_else(|| (text.clone(), HashMap::new())));
        &mut self.0[0].1
    }
}

/// A range of bytes within a line that has a class. Text without a span is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The offset of the first byte.
    pub(crate) start: u16,
    /// The offset behind the last byte.
    pub(crate) end: u16,
    pub(crate) class: Class,
}

/// The coloured spans of each line of a piece.
pub(super) type PieceSpans = Vec<Box<[Span]>>;

/// A request for the pieces on the screen that have no colours yet. A number is the index of a piece in its
/// text.
pub(super) struct ColourRequest {
    pub(super) file: String,
    pub(super) pieces: Vec<(Text, usize)>,
}

/// A piece with its colours.
pub(super) struct ColouredPiece {
    pub(super) text: Arc<str>,
    pub(super) piece: usize,
    pub(super) spans: PieceSpans,
}
