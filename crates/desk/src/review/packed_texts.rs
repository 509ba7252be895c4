//! The texts of a review, packed: the original once, and of the other two texts only the lines of each hunk.
//! So a large text is there once, on a socket and in a desk that does nothing with it.

use std::sync::Arc;

use super::{Hunk, Lines, Review};

/// The texts of a review, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedTexts {
    /// The original, whole.
    pub(crate) original: Arc<str>,
    /// The proposed lines of each hunk.
    pub(crate) proposed: Vec<String>,
    /// The current lines of each hunk, if they differ from the proposed ones.
    pub(crate) current: Option<Vec<String>>,
}

impl PackedTexts {
    /// Packs the texts of a review; `None` if they have no equal lines that could be left out.
    pub fn of(review: &Review) -> Option<Self> {
        let original = review.original.clone()?;
        let pieces = |text: &str, lines: fn(&Hunk) -> Lines| {
            let (mut pieces, mut line, mut from, mut at) = (Vec::new(), 0, 0, 0);
            for hunk in &review.hunks {
                let same = after(&original, from, hunk.original.start.checked_sub(line)?) - from;
                if original.get(from..from + same) != text.get(at..at + same) {
                    return None;
                }
                let piece = at + same..after(text, at + same, lines(hunk).len());
                pieces.push(text[piece.clone()].to_owned());
                at = piece.end;
                from = after(&original, from + same, hunk.original.len());
                line = hunk.original.end;
            }
            (original[from..] == text[at..]).then_some(pieces)
        };
        let is_proposed = Arc::ptr_eq(&review.current, &review.proposed) || review.current == review.proposed;
        let current = if is_proposed { None } else { Some(pieces(&review.current, |hunk| hunk.current)?) };
        let proposed = pieces(&review.proposed, |hunk| hunk.proposed)?;
        Some(Self { original, proposed, current })
    }

    /// Puts the texts back into the review, which has the same hunks as before.
    pub fn restore(self, review: &mut Review) {
        let Self { original, proposed, current } = self;
        let text = |pieces: Vec<String>| -> Arc<str> {
            let mut text =
                String::with_capacity(original.len() + pieces.iter().map(String::len).sum::<usize>());
            let (mut from, mut line) = (0, 0);
            for (hunk, piece) in review.hunks.iter().zip(pieces) {
                let to = after(&original, from, hunk.original.start.saturating_sub(line));
                text.push_str(&original[from..to]);
                text.push_str(&piece);
                from = after(&original, to, hunk.original.len());
                line = hunk.original.end;
            }
            text.push_str(&original[from..]);
            text.into()
        };
        let proposed = text(proposed);
        let current = current.map_or_else(|| proposed.clone(), text);
        (review.proposed, review.current, review.original) = (proposed, current, Some(original));
    }
}

/// Returns the byte offset so many lines after another one, which is the start of a line.
fn after(text: &str, start: usize, lines: usize) -> usize {
    match lines.checked_sub(1) {
        None => start,
        Some(last) => {
            let mut ends = memchr::memchr_iter(b'\n', &text.as_bytes()[start..]);
            ends.nth(last).map_or(text.len(), |end| start + end + 1)
        }
    }
}
