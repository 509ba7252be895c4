//! Differences between texts, and three-way merges. The unit is a line with its ending.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alongside_desk::Text;
use similar::DiffTag;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// The time after which a comparison returns a coarser difference, because the editor waits.
const COMPARISON_TIMEOUT: Duration = Duration::from_millis(50);

/// Returns the differences of two texts: pairs of line ranges in order, with equal lines between them.
pub fn differences(old: &Text, new: &Text) -> Vec<(Range<usize>, Range<usize>)> {
    let old: Vec<&str> = (0..old.len()).map(|line| old.lines(line..line + 1)).collect();
    let new: Vec<&str> = (0..new.len()).map(|line| new.lines(line..line + 1)).collect();
    let deadline = Some(Instant::now() + COMPARISON_TIMEOUT);
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    // `capture_diff_slices` would link every algorithm into the program.
    let mut ops = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let Ok(()) = myers::diff_deadline(&mut ops, &old[..], 0..old.len(), &new[..], 0..new.len(), deadline);
    for op in ops.into_inner().into_inner().into_ops() {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        match found.last_mut() {
            Some((o, n)) if o.end == op.old_range().start && n.end == op.new_range().start => {
                o.end = op.old_range().end;
                n.end = op.new_range().end;
            }
            _ => found.push((op.old_range(), op.new_range())),
        }
    }
    found
}

/// Merges two versions of `base`. Where their changes overlap, or an insertion meets a change, `mine` wins. A
/// line that `theirs` moves to such lines, or from them, stays where it is: half a move would remove the
/// line, or double it.
pub fn merge(base: &Arc<str>, mine: &Arc<str>, theirs: &Arc<str>) -> Arc<str> {
    if base == theirs || mine == theirs {
        return mine.clone();
    }
    if base == mine {
        return theirs.clone();
    }
    let [base, mine, theirs] = [base, mine, theirs].map(|text| Text::new(text.clone()));
    let my_changes = differences(&base, &mine);
    let conflict = |one: &Range<usize>, other: &Range<usize>| match one.is_empty() || other.is_empty() {
        true => one.start <= other.end && other.start <= one.end,
        false => one.start < other.end && other.start < one.end,
    };
    let their_changes = differences(&base, &theirs);
    let (mut dropped, mut kept): (Vec<_>, Vec<_>) = their_changes
        .into_iter()
        .partition(|(theirs, _)| my_changes.iter().any(|(mine, _)| conflict(mine, theirs)));
    // The lines that the dropped changes remove, and those that they add.
    let (mut removed_lines, mut added_lines) = (HashSet::new(), HashSet::new());
    while !dropped.is_empty() {
        for (old, new) in &dropped {
            removed_lines.extend(lines_of(&base, old));
            added_lines.extend(lines_of(&theirs, new));
        }
        let is_half_of_a_move = |(old, new): &mut (Range<usize>, Range<usize>)| {
            lines_of(&base, old).any(|line| added_lines.contains(line))
                || lines_of(&theirs, new).any(|line| removed_lines.contains(line))
        };
        dropped = kept.extract_if(.., is_half_of_a_move).collect();
    }
    let mut all: Vec<(Range<usize>, &str)> =
        kept.into_iter().map(|(old, new)| (old, theirs.lines(new))).collect();
    all.extend(my_changes.iter().map(|(old, new)| (old.clone(), mine.lines(new.clone()))));
    all.sort_by_key(|(old, _)| (old.start, old.end));
    let mut text = String::with_capacity(mine.text().len() + 64);
    let mut at = 0;
    for (old, new) in all {
        text.push_str(base.lines(at..old.start));
        text.push_str(new);
        at = old.end;
    }
    text.push_str(base.lines(at..base.len()));
    text.into()
}

/// Returns the lines of a range that are not blank.
fn lines_of<'t>(text: &'t Text, range: &Range<usize>) -> impl Iterator<Item = &'t str> {
    range.clone().map(|line| text.lines(line..line + 1)).filter(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn merge_text(base: &str, mine: &str, theirs: &str) -> String {
        merge(&base.into(), &mine.into(), &theirs.into()).to_string()
    }

    #[test]
    fn separate_changes_survive_and_mine_wins_overlaps() {
        let base = "a\nb\nc\nd\n";
        assert_eq!(merge_text(base, "A\nb\nc\nd\n", "a\nb\nc\nD\n"), "A\nb\nc\nD\n");
        assert_eq!(merge_text(base, "A\nb\nc\nd\n", "a\nB\nc\nd\n"), "A\nB\nc\nd\n");
        assert_eq!(merge_text(base, "a\nmine\nc\nd\n", "a\nc\nd\n"), "a\nmine\nc\nd\n");
        assert_eq!(merge_text(base, "a\nb\nc\nd\nmine", "a\nb\nc\nd\ntheirs"), "a\nb\nc\nd\nmine");
    }

    #[test]
    fn a_moved_line_is_neither_lost_nor_doubled() {
        // `theirs` moves b after c, where `mine` inserts a line.
        assert_eq!(merge_text("a\nb\nc\n", "a\nb\nc\nmine\n", "a\nc\nb\n"), "a\nb\nc\nmine\n");
        assert_eq!(merge_text("a\nb\nc\nd\n", "mine\na\nb\nc\nd\n", "a\nc\nb\nd\n"), "mine\na\nc\nb\nd\n");
    }

    proptest! {
        #[test]
        fn a_side_without_changes_gives_way_to_the_other(
            base in "([ab]?\n){0,6}",
            mine in "([ab]?\n){0,6}",
            theirs in "([ab]?\n){0,6}",
        ) {
            let merged = merge_text(&base, &mine, &theirs);
            prop_assert_eq!(merge_text(&base, &merged, &merged), merged.clone());
            prop_assert_eq!(merge_text(&base, &mine, &base), mine.clone());
            prop_assert_eq!(merge_text(&mine, &mine, &theirs), theirs);
        }
    }
}
