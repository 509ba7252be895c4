//! Desks can follow a review by its changes alone.

use alongside_desk::{Position, Range};
use proptest::prelude::*;

use super::*;
use crate::reviews::ground::Ground;

#[derive(Debug, Clone)]
enum Act {
    Keep(usize, bool),
    Split(usize),
    Type(Option<(u32, u32, u32)>, String),
    Undo,
    Redo,
    Dirty(bool),
}

fn text() -> impl Strategy<Value = String> {
    let parts = ["a", "b c", "é", "😀", "\u{feff}", "\r", "\n", "\n", "\r\n"];
    proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..12)
        .prop_map(|parts| parts.concat())
}

fn act() -> impl Strategy<Value = Act> {
    let place = proptest::option::of((0..6u32, 0..4u32, 0..3u32));
    prop_oneof![
        (0..4usize, any::<bool>()).prop_map(|(hunk, keep)| Act::Keep(hunk, keep)),
        (0..4usize).prop_map(Act::Split),
        (place, text()).prop_map(|(place, text)| Act::Type(place, text)),
        Just(Act::Undo),
        Just(Act::Redo),
        any::<bool>().prop_map(Act::Dirty),
    ]
}

fn done(reviewed: &mut ReviewedText, act: Act) {
    let edit = match act {
        Act::Keep(hunk, keep) => Edit::Keep { hunks: vec![hunk], keep },
        Act::Split(hunk) => Edit::Split { hunk, lines: None },
        Act::Type(place, text) => {
            let range = place.map(|(line, character, lines)| Range {
                start: Position { line, character },
                end: Position { line: line + lines, character },
            });
            Edit::Type(vec![Change { range, text }])
        }
        Act::Undo => Edit::Undo,
        Act::Redo => Edit::Redo,
        Act::Dirty(dirty) => {
            reviewed.set_dirty(dirty);
            return;
        }
    };
    // A refused action changes nothing, so desks need not hear of it.
    let _ = reviewed.edit(reviewed.revision, edit);
}

proptest! {
    #[test]
    fn a_desk_that_only_takes_changes_has_what_the_companion_has(
        original in text(),
        proposed in text(),
        acts in proptest::collection::vec((act(), any::<bool>()), 0..12),
    ) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), original).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let proposal = PreparedProposal::prepare(path, &proposed, &Ground::new(&[], None)).unwrap();
        let mut reviewed = ReviewedText::new(ReviewId(1), proposal, false);
        let mut known = reviewed.review();
        for (act, tell) in acts {
            done(&mut reviewed, act);
            // Several acts may be told as one.
            if tell {
                prop_assert_eq!(known.take(reviewed.take_changes()), Ok(()));
                prop_assert_eq!(&known, &reviewed.review());
            }
        }
        prop_assert_eq!(known.take(reviewed.take_changes()), Ok(()));
        prop_assert_eq!(&known, &reviewed.review());
    }
}
