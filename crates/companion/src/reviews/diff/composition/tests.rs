//! Tests of keeping, dropping, typing, splitting and undoing, by example and by random actions.

use alongside_desk::{Position, Range as TextRange};
use proptest::prelude::*;

use super::*;

const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const PROPOSED: &str = "one\nTWO\nthree\nfour\nfive\nfive and a half\nsix\n";

fn hunk_states(composition: &Composition) -> Vec<HunkState> {
    composition.hunks().into_iter().map(|hunk| hunk.state).collect()
}

fn replace_text(composition: &mut Composition, text: &str) {
    composition.edit(&[Change { range: None, text: text.into() }]).unwrap();
}

#[test]
fn a_person_drops_one_hunk_and_keeps_the_others() {
    let mut composition = Composition::new(ORIGINAL, PROPOSED);
    assert_eq!(hunk_states(&composition), [HunkState::Kept; 3]);
    composition.keep(&[1], false).unwrap();
    assert_eq!(hunk_states(&composition), [HunkState::Kept, HunkState::Dropped, HunkState::Kept]);
    assert_eq!(&**composition.current(), "one\nTWO\nthree\nfour\nfive\nsix\n");
    composition.keep(&[1], true).unwrap();
    assert_eq!(&**composition.current(), PROPOSED);
    composition.undo().unwrap();
    assert_eq!(hunk_states(&composition)[1], HunkState::Dropped);
    composition.keep(&[0, 1, 2], false).unwrap();
    assert_eq!(&**composition.current(), ORIGINAL);
    assert!(!composition.has_edits());
}

#[test]
fn typing_edits_its_hunk_or_makes_a_new_one() {
    let mut composition = Composition::new(ORIGINAL, PROPOSED);
    replace_text(&mut composition, &PROPOSED.replace("TWO", "Two!").replace("four", "4"));
    let edited = [HunkState::Edited, HunkState::Edited, HunkState::Kept, HunkState::Kept];
    assert_eq!(hunk_states(&composition), edited);
    // Dropping removes the person's own hunk, and brings the edited one back to the original.
    composition.keep(&[0, 1], false).unwrap();
    assert_eq!(&**composition.current(), &*PROPOSED.replace("TWO", "two"));
    assert_eq!(hunk_states(&composition), [HunkState::Dropped, HunkState::Kept, HunkState::Kept]);
}

#[test]
fn an_edit_that_is_typed_back_leaves_no_hunk() {
    let mut composition = Composition::new(ORIGINAL, PROPOSED);
    replace_text(&mut composition, &PROPOSED.replace("three\n", "three\nthree and more\n"));
    assert_eq!(composition.hunks().len(), 4);
    replace_text(&mut composition, PROPOSED);
    assert_eq!(composition.hunks().len(), 3);
}

#[test]
fn an_undo_of_the_editor_restores_merged_hunks() {
    let mut composition = Composition::new(ORIGINAL, PROPOSED);
    composition.keep(&[1], false).unwrap();
    let text = composition.current().replace("TWO", "Two!");
    replace_text(&mut composition, &text);
    let (before, text) = (composition.hunks(), composition.current().clone());
    assert_eq!(hunk_states(&composition), [HunkState::Edited, HunkState::Dropped, HunkState::Kept]);
    replace_text(&mut composition, "");
    assert!(hunk_states(&composition).len() < before.len());
    replace_text(&mut composition, &text);
    assert_eq!(composition.hunks(), before);
    // The editor's undo is an edit like any other.
    composition.undo().unwrap();
    assert!(composition.current().is_empty());
}

#[test]
fn incremental_changes_apply_in_order_in_utf16_units() {
    let mut composition = Composition::new("a😀b\n", "a😀c\n");
    let at = |line, character| Position { line, character };
    let insert = |position, text: &str| Change {
        range: Some(TextRange { start: position, end: position }),
        text: text.into(),
    };
    composition.edit(&[insert(at(0, 3), "X"), insert(at(0, 4), "Y"), insert(at(1, 0), "end")]).unwrap();
    assert_eq!(&**composition.current(), "a😀XYc\nend");
    let refused = composition.edit(&[insert(at(7, 0), "no")]);
    assert!(matches!(refused, Err(Refusal::OutOfRange { .. })));
    assert_eq!(&**composition.current(), "a😀XYc\nend");
}

#[test]
fn marked_words_move_with_their_hunk() {
    let marked_lines = |composition: &Composition, hunk: usize| {
        let words = composition.hunks().swap_remove(hunk).words?;
        Some((words.removed[0].start.line, words.added[0].start.line))
    };
    let original = "x\nlet a = 1;\ny\nlet b = 1;\n";
    let proposed = "x\nlet a = 2;\nlet more = 3;\ny\nlet b = 2;\n";
    let mut composition = Composition::new(original, proposed);
    assert_eq!((marked_lines(&composition, 0), marked_lines(&composition, 1)), (Some((1, 1)), Some((3, 4))));
    composition.keep(&[1], false).unwrap();
    assert_eq!(marked_lines(&composition, 1), Some((3, 4)), "a dropped hunk keeps the marks of the proposal");
    replace_text(&mut composition, "x\nlet a = 2;\nlet more = 3;\ny\nlet b = 99;\n");
    assert_eq!(marked_lines(&composition, 1), Some((3, 4)));
    composition.keep(&[0], false).unwrap();
    assert_eq!(marked_lines(&composition, 1), Some((3, 3)), "the line of the person has moved up");
    composition.undo().unwrap();
    assert_eq!(marked_lines(&composition, 1), Some((3, 4)));
}

#[test]
fn replaced_lines_split_by_line_and_added_lines_at_empty_lines() {
    let mut composition = Composition::new("a\nb\n", "A\nB\nC\n");
    composition.split(0, None).unwrap();
    composition.keep(&[1], false).unwrap();
    assert_eq!(&**composition.current(), "A\nb\nC\n");
    let mut added = Composition::new("", "fn a\n\nfn b\nend\n\nfn c\n");
    added.split(0, None).unwrap();
    assert_eq!(added.hunks().len(), 3);
    added.split(1, None).unwrap();
    assert_eq!(added.hunks().len(), 5);
}

#[test]
fn chosen_lines_become_a_hunk_with_the_lines_that_they_replace() {
    let places = |composition: &Composition| -> Vec<(Lines, Lines)> {
        composition.hunks().iter().map(|hunk| (hunk.original, hunk.proposed)).collect()
    };
    let lines = |start, end| Lines { start, end };
    let new = |start, end| Some((Side::New, lines(start, end)));
    let mut added = Composition::new("", "a\nb\nc\nd\n");
    added.split(0, new(1, 3)).unwrap();
    let none = lines(0, 0);
    assert_eq!(places(&added), [(none, lines(0, 1)), (none, lines(1, 3)), (none, lines(3, 4))]);
    added.keep(&[1], false).unwrap();
    assert_eq!(&**added.current(), "a\nd\n");

    let mut changed = Composition::new("one\ntwo\nthree\n", "ONE\nTWO\nTHREE\nfour\n");
    changed.split(0, new(1, 2)).unwrap();
    let expected = [(lines(0, 1), lines(0, 1)), (lines(1, 2), lines(1, 2)), (lines(2, 3), lines(2, 4))];
    assert_eq!(places(&changed), expected);
    changed.keep(&[1], false).unwrap();
    assert_eq!(&**changed.current(), "ONE\ntwo\nTHREE\nfour\n");

    let mut removed = Composition::new("a\nb\nc\n", "");
    removed.split(0, Some((Side::Old, lines(0, 1)))).unwrap();
    removed.keep(&[0], false).unwrap();
    assert_eq!(&**removed.current(), "a\n");

    let mut whole = Composition::new("", "a\nb\n");
    assert_eq!(whole.split(0, new(0, 2)), Err(Refusal::CannotSplit), "the lines are the whole hunk");
    for (start, end) in [(1, 1), (1, 9), (5, 7), (2, 1)] {
        assert!(whole.split(0, new(start, end)).is_err(), "{start} {end}");
    }
}

#[test]
fn a_single_line_or_an_edited_hunk_cannot_be_split() {
    let mut composition = Composition::new("a\nb\n", "A\nb\n");
    assert_eq!(composition.split(0, None), Err(Refusal::CannotSplit));
    assert!(matches!(composition.split(1, None), Err(Refusal::OutOfRange { .. })));
    let mut edited = Composition::new("a\nb\n", "A\nB\n");
    replace_text(&mut edited, "A\nX\n");
    assert_eq!(edited.split(0, None), Err(Refusal::CannotSplit));
}

#[test]
fn a_last_line_without_ending_never_joins_the_next() {
    let mut composition = Composition::new("a", "x\na\ny\n");
    composition.split(0, None).unwrap();
    assert_eq!(composition.hunks().len(), 2, "the last two lines stay together");
    composition.keep(&[1], false).unwrap();
    assert_eq!(&**composition.current(), "x\na");
    composition.keep(&[0], false).unwrap();
    assert_eq!(&**composition.current(), "a");
    let mut other = Composition::new("x\na", "x\nb\nc\n");
    other.keep(&[0], false).unwrap();
    assert_eq!(&**other.current(), "x\na");
    replace_text(&mut other, "y\nx\na");
    other.keep(&[1], true).unwrap();
    assert_eq!(&**other.current(), "y\nx\nb\nc\n");
}

#[test]
fn an_empty_undo_and_an_unknown_hunk_are_refused() {
    let mut composition = Composition::new("a\n", "b\n");
    assert_eq!(composition.undo(), Err(Refusal::NothingToUndo));
    assert!(composition.keep(&[9], true).is_err());
    assert_eq!(&**composition.current(), "b\n");
}

#[test]
fn a_redo_restores_an_undone_change() {
    let mut composition = Composition::new(ORIGINAL, PROPOSED);
    let edited = PROPOSED.replace("TWO", "Two!");
    composition.keep(&[1], false).unwrap();
    let dropped = composition.hunks();
    replace_text(&mut composition, &edited);
    composition.undo().unwrap();
    assert_eq!(composition.hunks(), dropped);
    composition.undo().unwrap();
    assert_eq!(&**composition.current(), PROPOSED);
    composition.redo().unwrap();
    assert_eq!(composition.hunks(), dropped);
    composition.redo().unwrap();
    assert_eq!(&**composition.current(), edited);
    assert_eq!(composition.redo(), Err(Refusal::NothingToRedo));
    composition.undo().unwrap();
    assert_eq!(composition.hunks(), dropped, "a redone change can be undone");
}

#[test]
fn many_changes_in_a_large_text_are_small_hunks_with_marks() {
    let original: String = (0..20_000).map(|line| format!("line {line} says one word\n")).collect();
    let line =
        |(at, line): (usize, &str)| if at % 7 == 0 { line.replace("one", "another") } else { line.into() };
    let proposed: String = original.split_inclusive('\n').enumerate().map(line).collect();
    let hunks = Composition::within(Duration::from_secs(60), original, proposed).hunks();
    assert_eq!(hunks.len(), 2_858);
    for hunk in hunks {
        let words = hunk.words.unwrap();
        assert_eq!((hunk.original.len(), words.removed.len(), words.added.len()), (1, 1, 1));
        assert_eq!(hunk.limit, None);
    }
}

#[test]
fn a_hunk_names_the_limit_that_its_comparison_reached() {
    let limits = |composition: &Composition| {
        composition.hunks().into_iter().map(|hunk| hunk.limit).collect::<Vec<_>>()
    };
    // 5,000 lines became 5,000 others.
    let lines = |word: &str| (0..5_000).map(|line| format!("{word} {line}\n")).collect::<String>();
    let (original, proposed) = (format!("a 1\n\n{}", lines("one")), format!("a 2\n\n{}", lines("two")));
    let composition = Composition::within(Duration::from_secs(60), original, proposed.as_str());
    assert_eq!(limits(&composition), [None, Some(Limit::Words)]);
    assert_eq!(limits(&Composition::new("", proposed)), [None], "added lines have no words to compare");
    // Without time, so many lines without an anchor are not compared.
    let (original, proposed) =
        (format!("a\n{}", "x\n".repeat(5_000)), format!("b\n{}", "x\nz\n".repeat(3_000)));
    let mut composition = Composition::within(Duration::ZERO, original, proposed);
    assert_eq!(limits(&composition), [Some(Limit::Lines)]);
    // The person has chosen the parts of a split hunk, so no limit has shaped them.
    composition.split(0, None).unwrap();
    assert!(limits(&composition).iter().all(|limit| *limit != Some(Limit::Lines)));
}

#[derive(Debug, Clone)]
enum Action {
    Keep(usize, bool),
    Split(usize),
    Type(String),
    Undo,
    Redo,
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["a", "b", "c", "", "a b", "a c"], 0..8)
        .prop_flat_map(|lines| (Just(lines), any::<bool>()))
        .prop_map(|(lines, open)| lines.join("\n") + if open { "" } else { "\n" })
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        (0..4usize, any::<bool>()).prop_map(|(hunk, keep)| Action::Keep(hunk, keep)),
        (0..4usize).prop_map(Action::Split),
        text().prop_map(Action::Type),
        Just(Action::Undo),
        Just(Action::Redo),
    ]
}

proptest! {
    /// After any action, the segments describe the three texts exactly, and every hunk has the right state.
    #[test]
    fn segments_describe_the_texts_after_any_action(
        original in text(),
        proposed in text(),
        actions in proptest::collection::vec(action(), 0..12),
    ) {
        let mut composition = Composition::new(original, proposed);
        let mut past = vec![composition.current().clone()];
        let mut undone = Vec::new();
        for action in actions {
            composition.pack_original();
            let before = composition.current().clone();
            let result = match action {
                Action::Keep(hunk, keep) => composition.keep(&[hunk], keep),
                Action::Split(hunk) => composition.split(hunk, None),
                Action::Type(text) => {
                    replace_text(&mut composition, &text);
                    prop_assert_eq!(&**composition.current(), &*text);
                    Ok(())
                }
                Action::Undo => {
                    let undo = composition.undo();
                    if undo.is_ok() {
                        undone.extend(past.pop());
                        prop_assert_eq!(Some(composition.current()), past.last());
                        continue;
                    }
                    undo
                }
                Action::Redo => {
                    let redo = composition.redo();
                    prop_assert_eq!(redo.is_ok(), !undone.is_empty());
                    if redo.is_ok() {
                        past.extend(undone.pop());
                        prop_assert_eq!(Some(composition.current()), past.last());
                        continue;
                    }
                    redo
                }
            };
            match result {
                Ok(()) => {
                    past.push(composition.current().clone());
                    undone.clear();
                }
                Err(_) => prop_assert_eq!(&before, composition.current()),
            }
            for hunk in composition.hunks() {
                let other = if hunk.state == HunkState::Edited { hunk.current } else { hunk.proposed };
                let words = hunk.words.unwrap_or_default();
                for (ranges, lines) in [(words.removed, hunk.original), (words.added, other)] {
                    let is_within =
                        |range: &TextRange| (lines.start..lines.end).contains(&(range.start.line as usize));
                    prop_assert!(ranges.iter().all(is_within));
                }
            }
            let (mut o, mut p, mut c) = (0, 0, 0);
            for view in composition.views() {
                let lines = view.lines;
                (o, p, c) = (lines.original.end, lines.proposed.end, lines.current.end);
                prop_assert_eq!(view.original, composition.original_text().lines(lines.original));
                prop_assert_eq!(view.proposed, composition.proposed.lines(lines.proposed));
                prop_assert_eq!(view.current, composition.current.lines(lines.current));
                if view.segment.same {
                    prop_assert_eq!(view.proposed, view.current);
                    prop_assert_eq!(view.original, view.current);
                }
            }
            let original = composition.original_text();
            let ends = (original.len(), composition.proposed.len(), composition.current.len());
            prop_assert_eq!((o, p, c), ends);
        }
    }

    #[test]
    fn a_packed_original_comes_back_whole(original in text(), proposed in text()) {
        let mut composition = Composition::new(original.as_str(), proposed.as_str());
        composition.pack_original();
        prop_assert_eq!(composition.is_original(), original == proposed);
        prop_assert_eq!(&**composition.original(), &*original);
        prop_assert_eq!(composition.is_original(), original == proposed);
    }

    #[test]
    fn keeping_all_hunks_gives_the_proposal_dropping_all_the_original(
        original in text(),
        proposed in text(),
        typing in text(),
    ) {
        let mut composition = Composition::new(original.as_str(), proposed.as_str());
        replace_text(&mut composition, &typing);
        let all: Vec<usize> = (0..composition.hunks().len()).collect();
        composition.keep(&all, true).unwrap();
        prop_assert_eq!(&**composition.current(), &*proposed);
        let all: Vec<usize> = (0..composition.hunks().len()).collect();
        composition.keep(&all, false).unwrap();
        prop_assert_eq!(&**composition.current(), &*original);
    }
}

#[test]
fn a_packed_original_takes_no_memory_until_it_is_used() {
    let mut composition = Composition::new(ORIGINAL, PROPOSED);
    let original = Arc::downgrade(composition.original());
    composition.pack_original();
    assert!(!composition.has_edits() && !composition.is_original());
    assert_eq!(original.strong_count(), 0);
    assert_eq!(&**composition.original(), ORIGINAL);
    assert_eq!(hunk_states(&composition), [HunkState::Kept; 3]);
}

#[test]
fn a_line_is_split_off_with_the_line_that_it_became() {
    let original = "def total(items):\n    return sum(i.price for i in items)\n";
    let proposed = "def total(items, tax=0):\n    \"\"\"Sum with tax.\"\"\"\n    \
                    return sum(i.price for i in items) * (1 + tax)\n";
    let mut composition = Composition::new(original, proposed);
    composition.split(0, None).unwrap();
    let sizes = |composition: &Composition| {
        let hunks = composition.hunks().into_iter();
        hunks.map(|hunk| (hunk.original.len(), hunk.proposed.len())).collect::<Vec<_>>()
    };
    assert_eq!(sizes(&composition), [(1, 1), (0, 1), (1, 1)]);
    composition.keep(&[1], false).unwrap();
    let without = proposed.replace("    \"\"\"Sum with tax.\"\"\"\n", "");
    assert_eq!(&**composition.current(), without);
}
