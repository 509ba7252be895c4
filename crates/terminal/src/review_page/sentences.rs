//! The sentences below a hunk: the difference that is hard to see, the moved lines, and the person's reason.

use alongside_desk::{Hunk, look_alikes, messages, moved};

use super::texts::{ReviewTexts, Side};

/// A sentence below a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sentence {
    /// The difference between lines of the hunk that look the same.
    HardToSee(String),
    /// The source or the destination of moved lines of the hunk.
    Moved(String),
    /// The person's reason.
    Reason(String),
}

impl Sentence {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::HardToSee(text) | Self::Moved(text) | Self::Reason(text) => text,
        }
    }
}

/// Computes the sentences below each hunk.
pub(super) fn sentences_of(texts: &ReviewTexts, hunks: &[Hunk]) -> Vec<Vec<Sentence>> {
    let all = [Side::Original, Side::Proposed, Side::Current].map(|side| texts.text(side));
    let mut moves: Vec<Vec<Sentence>> = vec![Vec::new(); hunks.len()];
    for block in moved(hunks, texts.text(Side::Original), texts.text(Side::Current)) {
        let said = [(block.from, messages::moved_away(&block)), (block.to, messages::moved_here(&block))];
        for (hunk, said) in said {
            moves[hunk].push(Sentence::Moved(said));
        }
    }
    let said = |(hunk, moves): (&Hunk, Vec<Sentence>)| {
        let (old, new) = look_alikes::sides(hunk, all);
        let unseen = look_alikes::hard_to_see(old, new).map(Sentence::HardToSee);
        let why = messages::why(hunk).map(Sentence::Reason);
        unseen.into_iter().chain(moves).chain(why).collect()
    };
    hunks.iter().zip(moves).map(said).collect()
}
