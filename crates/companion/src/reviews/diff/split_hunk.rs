//! The parts of a hunk: line by line where lines replace lines, otherwise after blank lines.

use alongside_desk::Text;

use super::segment_view::SegmentView;

/// A hunk that would fall into more parts stays whole: each is sent to every desk.
const MAX_PARTS: usize = 10_000;
/// A hunk with more lines stays whole, for looking through it would hold everybody up.
const MAX_LINES: usize = 200_000;

/// The line counts (original, proposed) of the parts of a hunk; `None` for too many parts or lines.
pub(super) fn parts(view: &SegmentView<'_>, original: &Text, proposed: &Text) -> Option<Vec<(usize, usize)>> {
    let mut parts = smaller_parts(view, original, proposed)?;
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
    Some(parts)
}

fn smaller_parts(view: &SegmentView<'_>, original: &Text, proposed: &Text) -> Option<Vec<(usize, usize)>> {
    let segment = view.segment;
    if segment.original.max(segment.proposed) > MAX_LINES {
        return None;
    }
    let (text, range) = match (segment.original, segment.proposed) {
        (0, _) => (proposed, &view.lines.proposed),
        (_, 0) => (original, &view.lines.original),
        (original, proposed) => {
            let pairs = original.min(proposed);
            if pairs > MAX_PARTS {
                return None;
            }
            let mut parts = vec![(1, 1); pairs];
            if original != proposed {
                parts.push((original - pairs, proposed - pairs));
            }
            return Some(parts);
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
