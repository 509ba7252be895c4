//! Tests that desks can follow a review by its changes alone.

use alongside_desk::{Position, Range};
use proptest::prelude::*;

use super::*;
use crate::reviews::ground::Ground;

#[derive(Debug, Clone)]
enum Action {
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

fn action() -> impl Strategy<Value = Action> {
    let place = proptest::option::of((0..6u32, 0..4u32, 0..3u32));
    prop_oneof![
        (0..4usize, any::<bool>()).prop_map(|(hunk, keep)| Action::Keep(hunk, keep)),
        (0..4usize).prop_map(Action::Split),
        (place, text()).prop_map(|(place, text)| Action::Type(place, text)),
        Just(Action::Undo),
        Just(Action::Redo),
        any::<bool>().prop_map(Action::Dirty),
    ]
}

fn perform(reviewed: &mut ReviewedText, action: Action) {
    let edit = match action {
        Action::Keep(hunk, keep) => Edit::Keep { hunks: vec![hunk], keep },
        Action::Split(hunk) => Edit::Split { hunk, lines: None },
        Action::Type(place, text) => {
            let range = place.map(|(line, character, lines)| Range {
                start: Position { line, character },
                end: Position { line: line + lines, character },
            });
            Edit::Type(vec![Change { range, text }])
        }
        Action::Undo => Edit::Undo,
        Action::Redo => Edit::Redo,
        Action::Dirty(dirty) => {
            reviewed.set_dirty(dirty);
            return;
        }
    };
    // A refused action changes nothing, so there is nothing to send to desks.
    let _ = reviewed.edit(reviewed.revision, edit);
}

proptest! {
    #[test]
    fn a_desk_that_applies_only_changes_has_the_companions_review(
        original in text(),
        proposed in text(),
        actions in proptest::collection::vec((action(), any::<bool>()), 0..12),
    ) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), original).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let proposal = PreparedProposal::prepare(path, &proposed, &Ground::new(&[], None)).unwrap();
        let mut reviewed = ReviewedText::new(ReviewId(1), proposal, false);
        let mut known = reviewed.review();
        for (action, is_sent) in actions {
            perform(&mut reviewed, action);
            // Several actions may be sent as one change.
            if is_sent {
                prop_assert_eq!(known.take(reviewed.take_changes()), Ok(()));
                prop_assert_eq!(&known, &reviewed.review());
            }
        }
        prop_assert_eq!(known.take(reviewed.take_changes()), Ok(()));
        prop_assert_eq!(&known, &reviewed.review());
    }
}
