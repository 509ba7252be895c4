//! The compact form of a review on a socket: its [texts packed](PackedTexts). A review of 10 MB is 12 MB of
//! JSON then instead of 35, and takes a third of the time.
//!
//! Only our own two ends use this form. A desk [announces](Introduction) that it understands it; plugins get
//! whole texts.

use std::sync::Arc;

use alongside_contract::shared_text;
use serde::{Deserialize, Serialize};

use super::compact_turn::TurnUpdate;
use super::handshake::Hello;
use crate::review::Review;
use crate::review::packed_texts::PackedTexts;

/// The first message of a desk of ours.
#[derive(Serialize, Deserialize)]
pub(super) struct Introduction<H> {
    #[serde(flatten)]
    pub(super) hello: H,
    /// Whether it understands [`CompactEvent::Opened`].
    #[serde(default, rename = "terse")]
    pub(super) compact: bool,
    /// Whether it understands [`CompactEvent::Turn`], which came later.
    #[serde(default, rename = "terseTurns")]
    pub(super) compact_turns: bool,
}

impl<'a> Introduction<&'a Hello> {
    pub(super) fn of(hello: &'a Hello) -> Self {
        Self { hello, compact: true, compact_turns: true }
    }
}

/// In place of [`Event::Opened`](crate::Event::Opened) and [`Event::Turn`](crate::Event::Turn).
#[derive(Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub(super) enum CompactEvent {
    #[serde(rename = "alongside/didOpenReviewTersely")]
    Opened(CompactReview),
    #[serde(rename = "alongside/didChangeTurnTersely")]
    Turn(TurnUpdate),
}

#[derive(Serialize, Deserialize)]
pub(super) struct CompactReview {
    /// The review without its texts.
    review: Review,
    #[serde(deserialize_with = "shared_text::deserialize")]
    original: Arc<str>,
    /// The proposed lines of each hunk.
    proposed: Vec<String>,
    /// The current lines of each hunk, if they differ from the proposed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current: Option<Vec<String>>,
}

impl CompactReview {
    /// Returns `None` if the texts have no equal lines that could be left out.
    pub(super) fn of(review: &Review) -> Option<Self> {
        let PackedTexts { original, proposed, current } = PackedTexts::of(review)?;
        Some(Self { review: review.without_texts(), original, proposed, current })
    }

    /// Returns the review, whole.
    pub(super) fn whole(self) -> Review {
        let Self { mut review, original, proposed, current } = self;
        PackedTexts { original, proposed, current }.restore(&mut review);
        review
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Hunk, HunkState, Lines, ReviewId};

    fn lines(start: usize, end: usize) -> Lines {
        Lines { start, end }
    }

    /// Returns a review that changes lines 1 and 3 of four; the second of the two changes was dropped.
    fn review() -> Review {
        let hunk = |original, proposed, current, state| Hunk {
            original,
            proposed,
            current,
            state,
            ..Hunk::default()
        };
        Review {
            id: ReviewId(1),
            agent: Agent {
                number: 1,
                name: "a".into(),
                version: "1".into(),
                since: 0,
                listening: true,
                ..Agent::default()
            },
            file: "/a".into(),
            original: Some("one\ntwo\nthree\nfour".into()),
            proposed: "ONE\nand\ntwo\nfour".into(),
            current: "ONE\nand\ntwo\nthree\nfour".into(),
            revision: 3,
            hunks: vec![
                hunk(lines(0, 1), lines(0, 2), lines(0, 2), HunkState::Kept),
                hunk(lines(2, 3), lines(3, 3), lines(3, 4), HunkState::Dropped),
            ],
            stale: true,
            outside: Some("/b".into()),
            in_git: Some("/c".into()),
            ..Review::default()
        }
    }

    fn crossed(review: &Review) -> (Review, Option<Vec<String>>) {
        let json = serde_json::to_string(&CompactReview::of(review).unwrap()).unwrap();
        let compact: CompactReview = serde_json::from_str(&json).unwrap();
        let current = compact.current.clone();
        (compact.whole(), current)
    }

    #[test]
    fn a_review_is_whole_again() {
        let one = review();
        assert_eq!(crossed(&one).0, one);
        let untouched = Review { current: one.proposed.clone(), ..review() };
        let (whole, current) = crossed(&untouched);
        assert_eq!((&whole, current), (&untouched, None));
        assert!(Arc::ptr_eq(&whole.current, &whole.proposed), "what is the same is there once");
        let open = "one\ntwo\nthree";
        let (original, proposed) = (lines(2, 3), lines(2, 4));
        let hunks = vec![Hunk { original, proposed, current: proposed, ..Hunk::default() }];
        let proposed: Arc<str> = "one\ntwo\n3\n4\n".into();
        let at_the_end =
            Review { original: Some(open.into()), current: proposed.clone(), proposed, hunks, ..review() };
        assert_eq!(crossed(&at_the_end).0, at_the_end);
    }

    #[test]
    fn texts_that_differ_beside_their_hunks_are_sent_whole() {
        for (original, proposed, current) in [
            ("one\ntwo\nthree\nfour\n", "ONE\nand\ntwo\nfour", "ONE\nand\ntwo\nthree\nfour"),
            ("one\ntwo\nthree\nfour", "ONE\nand\ntwo\nfour", "ONE\nand\ntwo!\nthree\nfour"),
            ("one\n2wo\nthree\nfour", "ONE\nand\ntwo\nfour", "ONE\nand\ntwo\nthree\nfour"),
        ] {
            let other = Review {
                original: Some(original.into()),
                proposed: proposed.into(),
                current: current.into(),
                ..review()
            };
            assert!(CompactReview::of(&other).is_none(), "{other:?}");
        }
        assert!(CompactReview::of(&Review { original: None, ..review() }).is_none());
    }
}
