//! The messages between the desk and the thread that colours: pieces of a text, and the spans in them; and
//! the memory of texts that both have.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use alongside_desk::Text;

use super::classes::Class;

/// Lines of a piece; pieces are coloured one by one.
pub(super) const PIECE: usize = 64;

/// How many texts keep their colours, and stay in memory: a review has up to three.
const TEXTS: usize = 8;

/// Something about each piece of the texts that were wanted, the latest text first. A text is known by its
/// address: no other text can have that while this one is here.
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

    /// The pieces of a text, if it is not forgotten.
    pub(super) fn get(&self, text: &Arc<str>) -> Option<&HashMap<usize, T>> {
        Some(&self.0[self.position(text)?].1)
    }

    pub(super) fn get_mut(&mut self, text: &Arc<str>) -> Option<&mut HashMap<usize, T>> {
        let at = self.position(text)?;
        Some(&mut self.0[at].1)
    }

    /// The pieces of a text, which becomes the latest.
    pub(super) fn remember(&mut self, text: &Arc<str>) -> &mut HashMap<usize, T> {
        let known = self.position(text).and_then(|at| self.0.remove(at));
        self.0.truncate(TEXTS - 1);
        self.0.push_front(known.unwrap_or_else(|| (text.clone(), HashMap::new())));
        &mut self.0[0].1
    }
}

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
