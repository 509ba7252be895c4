//! The original of a review. While nobody edits the review, a large original is packed: the lines that it
//! shares with the proposed text are then there once.

use std::ops::Range;
use std::sync::OnceLock;

use alongside_desk::Text;

use super::segments::Segment;

/// The least size, in bytes, of an original that is packed. Tests pack each one.
const MIN_PACKED_BYTES: usize = if cfg!(test) { 1 } else { 1 << 20 };

/// The original, whole or packed.
#[derive(Debug)]
pub(super) struct OriginalText {
    whole: OnceLock<Text>,
    /// Lines of the proposed text, and the original lines in their place, of a text that was packed.
    pieces: Vec<(Range<usize>, String)>,
}

impl OriginalText {
    pub(super) fn new(text: Text) -> Self {
        Self { whole: OnceLock::from(text), pieces: Vec::new() }
    }

    /// Returns the text, which stays whole from now on. `proposed` never changes.
    pub(super) fn whole(&self, proposed: &Text) -> &Text {
        self.whole.get_or_init(|| {
            let (mut text, mut line) = (String::with_capacity(proposed.text().len()), 0);
            for (lines, piece) in &self.pieces {
                text.push_str(proposed.lines(line..lines.start));
                text.push_str(piece);
                line = lines.end;
            }
            text.push_str(proposed.lines(line..proposed.len()));
            Text::new(text)
        })
    }

    /// Whether this is the proposed text. A packed text stays packed.
    pub(super) fn is_proposed(&self, proposed: &Text) -> bool {
        match self.whole.get() {
            Some(whole) => whole.text() == proposed.text(),
            None => self.pieces.iter().all(|(lines, piece)| proposed.lines(lines.clone()) == piece),
        }
    }

    /// Packs a large text, unless more than half of its lines differ from the proposed ones.
    pub(super) fn pack(&mut self, proposed: &Text, segments: &[Segment]) {
        let is_large = |text: &&Text| text.text().len() >= MIN_PACKED_BYTES;
        let Some(whole) = self.whole.get().filter(is_large) else { return };
        let (mut pieces, mut bytes, mut o, mut p) = (Vec::new(), 0, 0, 0);
        for segment in segments {
            let (old, new) = (whole.lines(o..o + segment.original), p..p + segment.proposed);
            (o, p) = (o + segment.original, new.end);
            if segment.same {
                if old != proposed.lines(new) {
                    return;
                }
                continue;
            }
            bytes += old.len();
            if bytes > whole.text().len() / 2 {
                return;
            }
            pieces.push((new, old.to_owned()));
        }
        (self.whole, self.pieces) = (OnceLock::new(), pieces);
    }
}
