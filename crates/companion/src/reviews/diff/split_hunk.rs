//! The parts of a hunk. Where lines replace lines, each line that became another one is a part with it, and
//! lines between them that are new or gone are parts of their own. Elsewhere blank lines end parts.

use alongside_desk::{Lines, Side, Text};

use super::segment_view::SegmentView;
use super::word_diff::edited_lines;

/// A hunk that would fall into more parts stays whole: each is sent to every desk.
const MAX_PARTS: usize = 10_000;
/// In a hunk with more lines, lines are paired by their places only.
const MAX_COMPARED_LINES: usize = 2_000;
/// A hunk with more lines stays whole, for looking through it would hold everybody up.
const MAX_LINES: usize = 200_000;

/// The line counts (original, proposed) of the parts of a hunk; `None` for too many parts or lines.
pub(super) fn parts(view: &SegmentView<'_>, texts: (&Text, &Text)) -> Option<Vec<(usize, usize)>> {
    let parts = smaller_parts(view, texts)?;
    Some(without_stranded_ends(view, texts, parts))
}

/// The same around chosen lines of one text: what is before them, these with the lines that they took the
/// place of, and what is behind them. `None` if they are no lines of the hunk.
pub(super) fn parts_around(
    view: &SegmentView<'_>,
    texts: (&Text, &Text),
    (side, chosen): (Side, Lines),
) -> Option<Vec<(usize, usize)>> {
    let segment = view.segment;
    let of = match side {
        Side::Old => &view.lines.original,
        Side::New => &view.lines.proposed,
    };
    let is_part = of.start <= chosen.start && chosen.start < chosen.end && chosen.end <= of.end;
    if !is_part || segment.original.max(segment.proposed) > MAX_LINES {
        return None;
    }
    let (from, to) = (chosen.start - of.start, chosen.end - of.start);
    let (mut parts, mut at) = ([(0, 0); 3], 0);
    for (original, proposed) in single_lines(parts_of_both(view, texts, (segment.original, segment.proposed)))
    {
        let lines = if side == Side::Old { original } else { proposed };
        // A line without one on this side goes with what is before it.
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

/// The same parts, each with one line of a side at most.
fn single_lines(parts: Vec<(usize, usize)>) -> impl Iterator<Item = (usize, usize)> {
    parts.into_iter().flat_map(|(original, proposed)| {
        let line = move |at: usize| (usize::from(at < original), usize::from(at < proposed));
        (0..original.max(proposed)).map(line)
    })
}

/// The parts of which the last one may stand last.
fn without_stranded_ends(
    view: &SegmentView<'_>,
    (original, proposed): (&Text, &Text),
    mut parts: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    // A last line without its line ending must stay last.
    let ends_open = |text: &Text, end: usize| end == text.len() && text.ends_open();
    let original_ends_open = ends_open(original, view.lines.original.end);
    let proposed_ends_open = ends_open(proposed, view.lines.proposed.end);
    while let [.., before, last] = parts.as_mut_slice() {
        let strands = |ends_open: bool, lines: usize| ends_open && lines == 0;
        if !strands(original_ends_open, last.0) && !strands(proposed_ends_open, last.1) {
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

/// The parts of a hunk of so many lines on both sides.
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
        // Lines between two edited ones: in pairs by their places, then the rest.
        let (gone, added) = (o - at.0, n - at.1);
        let pairs = gone.min(added);
        parts.extend(std::iter::repeat_n((1, 1), pairs));
        if gone != added {
            parts.push((gone - pairs, added - pairs));
        }
        if (o, n) != (original, proposed) {
            parts.push((1, 1));
        }
        at = (o + 1, n + 1);
    }
    parts
}
