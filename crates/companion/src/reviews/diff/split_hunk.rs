//! The parts of a hunk. Where lines replace lines, each line and the line that it became are one part, and
//! new or removed lines between them are parts of their own. In other hunks, empty lines end parts.

use alongside_desk::{Lines, Side, Text};

use super::segment_view::SegmentView;
use super::word_diff::edited_lines;

/// The largest number of parts. A hunk with more parts stays whole, because every desk gets every part.
const MAX_PARTS: usize = 10_000;
/// The largest side, in lines, whose lines are compared. In a larger hunk, the first line is paired with the
/// first, the second with the second, and so on, whatever their text.
const MAX_COMPARED_LINES: usize = 2_000;
/// The largest side of a hunk, in lines, that can be split. Reading a larger hunk would delay all other
/// events.
const MAX_LINES: usize = 200_000;

/// Returns the line counts (original, proposed) of the parts of a hunk; `None` for too many parts or lines.
pub(super) fn parts(view: &SegmentView<'_>, texts: (&Text, &Text)) -> Option<Vec<(usize, usize)>> {
    let parts = smaller_parts(view, texts)?;
    Some(without_stranded_ends(view, texts, parts))
}

/// Returns the line counts (original, proposed) of up to three parts: before the chosen lines, with them, and
/// behind them. Lines of the other text that replace the chosen lines, or that they replace, are in the same
/// part. `None` if the chosen lines are not all in the hunk, or the hunk has too many lines.
pub(super) fn parts_around(
    view: &SegmentView<'_>,
    texts: (&Text, &Text),
    (side, chosen): (Side, Lines),
) -> Option<Vec<(usize, usize)>> {
    let segment = view.segment;
    let lines_of_side = match side {
        Side::Old => &view.lines.original,
        Side::New => &view.lines.proposed,
    };
    let Lines { start, end } = chosen;
    let is_within = lines_of_side.start <= start && start < end && end <= lines_of_side.end;
    if !is_within || segment.original.max(segment.proposed) > MAX_LINES {
        return None;
    }
    let (from, to) = (start - lines_of_side.start, end - lines_of_side.start);
    let (mut parts, mut at) = ([(0, 0); 3], 0);
    for (original, proposed) in single_lines(parts_of_both(view, texts, (segment.original, segment.proposed)))
    {
        let lines = if side == Side::Old { original } else { proposed };
        // A line of the other side alone stays with the lines before it.
        let part = match at {
            _ if at + lines <= from => 0,
            _ if at < to => 1,
            _ if lines == 0 && at == to => 1,
            _ => 2,
        };
        parts[part] = (parts[part].0 + original, parts[part].1 + proposed);
        at += lines;
    }
    let parts = parts.into_iter().filter(|part| *part != (0, 0)).collect();
    Some(without_stranded_ends(view, texts, parts))
}

/// Splits parts further, until none has more than one line of a side.
fn single_lines(parts: Vec<(usize, usize)>) -> impl Iterator<Item = (usize, usize)> {
    parts.into_iter().flat_map(|(original, proposed)| {
        let line = move |at: usize| (usize::from(at < original), usize::from(at < proposed));
        (0..original.max(proposed)).map(line)
    })
}

/// Merges parts at the end, until no text ends without a line ending before the last part.
fn without_stranded_ends(
    view: &SegmentView<'_>,
    (original, proposed): (&Text, &Text),
    mut parts: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    // A line without its line ending must stay the last line of its text.
    let ends_open = |text: &Text, end: usize| end == text.len() && text.ends_open();
    let original_ends_open = ends_open(original, view.lines.original.end);
    let proposed_ends_open = ends_open(proposed, view.lines.proposed.end);
    while let [.., before, last] = parts.as_mut_slice() {
        let is_stranded = |ends_open: bool, lines: usize| ends_open && lines == 0;
        if !is_stranded(original_ends_open, last.0) && !is_stranded(proposed_ends_open, last.1) {
            break;
        }
        *before = (before.0 + last.0, before.1 + last.1);
        parts.pop();
    }
    parts
}

fn smaller_parts(
    view: &SegmentView<'_>,
    (original, proposed): (&Text, &Text),
) -> Option<Vec<(usize, usize)>> {
    let segment = view.segment;
    if segment.original.max(segment.proposed) > MAX_LINES {
        return None;
    }
    let (old, new) = (original, proposed);
    let (text, range) = match (segment.original, segment.proposed) {
        (0, _) => (proposed, &view.lines.proposed),
        (_, 0) => (original, &view.lines.original),
        (original, proposed) => {
            let pairs = original.min(proposed);
            if pairs > MAX_PARTS {
                return None;
            }
            return Some(parts_of_both(view, (old, new), (original, proposed)));
        }
    };
    let is_blank = |line: usize| text.lines(line..line + 1).trim().is_empty();
    let inner = range.start + 1..range.end;
    let limited = |cuts: &mut dyn Iterator<Item = usize>| cuts.take(MAX_PARTS).collect::<Vec<_>>();
    let mut cuts = limited(&mut inner.clone().filter(|&line| is_blank(line - 1) && !is_blank(line)));
    if cuts.is_empty() {
        cuts = limited(&mut inner.clone());
    }
    if cuts.len() == MAX_PARTS {
        return None;
    }
    cuts.push(range.end);
    let mut start = range.start;
    let parts = cuts.into_iter().map(|cut| {
        let lines = cut - std::mem::replace(&mut start, cut);
        if segment.original == 0 { (0, lines) } else { (lines, 0) }
    });
    Some(parts.collect())
}

/// Returns the parts of a hunk that has lines on both sides: `original` and `proposed` lines.
fn parts_of_both(
    view: &SegmentView<'_>,
    (old, new): (&Text, &Text),
    (original, proposed): (usize, usize),
) -> Vec<(usize, usize)> {
    let edited = if original.max(proposed) > MAX_COMPARED_LINES {
        Vec::new()
    } else {
        edited_lines(old.lines(view.lines.original.clone()), new.lines(view.lines.proposed.clone()))
    };
    let (mut parts, mut at) = (Vec::new(), (0, 0));
    for (o, n) in edited.into_iter().chain([(original, proposed)]) {
        // Lines between two edited lines are paired from the first ones on; unpaired lines form a part.
        let (removed, added) = (o - at.0, n - at.1);
        let pairs = removed.min(added);
        parts.extend(std::iter::repeat_n((1, 1), pairs));
        if removed != added {
            parts.push((removed - pairs, added - pairs));
        }
        if (o, n) != (original, proposed) {
            parts.push((1, 1));
        }
        at = (o + 1, n + 1);
    }
    parts
}
