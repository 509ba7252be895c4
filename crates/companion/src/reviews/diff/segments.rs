//! Segments: ranges of lines in which the original, the proposal and the current text agree, or differ.

use super::differences::Difference;

/// The number of lines of a segment in each text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Segment {
    pub(super) same: bool,
    pub(super) original: usize,
    pub(super) proposed: usize,
    pub(super) current: usize,
    /// Whether these lines were too many for a comparison, so that some of them may agree.
    pub(super) coarse: bool,
}

/// Replaces current lines with new ones. Agreeing segments are cut at the edges of the old lines, touched
/// hunks are merged as a whole, and an insertion beside a hunk becomes a part of the hunk.
pub(super) fn splice(segments: &[Segment], edit: Difference) -> Vec<Segment> {
    let (old, new) = (edit.old, edit.new.len());
    let mut cut: Vec<(usize, Segment)> = Vec::with_capacity(segments.len() + 3);
    let mut start = 0;
    for segment in segments {
        let end = start + segment.current;
        if segment.same {
            let edges = [start, old.start.clamp(start, end), old.end.clamp(start, end), end];
            let pieces = edges.array_windows::<2>().filter(|[from, to]| from < to);
            cut.extend(pieces.map(|[from, to]| (*from, agreeing_segment(to - from))));
        } else {
            cut.push((start, *segment));
        }
        start = end;
    }
    let touched = |(start, segment): &(usize, Segment)| {
        let end = start + segment.current;
        if old.is_empty() {
            !segment.same && *start <= old.start && old.start <= end
        } else {
            *start < old.end && old.start < end
        }
    };
    let (first, after) = match cut.iter().position(touched) {
        Some(first) if old.is_empty() => (first, first + 1),
        Some(first) => (first, cut.iter().rposition(touched).map_or(first, |last| last + 1)),
        None => {
            let at = cut.iter().position(|(start, _)| *start >= old.start).unwrap_or(cut.len());
            (at, at)
        }
    };
    let mut merged = Segment { coarse: edit.coarse, ..Segment::default() };
    for (_, segment) in &cut[first..after] {
        merged.original += segment.original;
        merged.proposed += segment.proposed;
        merged.current += segment.current;
        merged.coarse |= segment.coarse;
    }
    merged.current = merged.current + new - old.len();
    cut.splice(first..after, [(0, merged)]);
    cut.into_iter().map(|(_, segment)| segment).collect()
}

/// Creates a segment of `lines` lines that agree in all three texts.
pub(super) fn agreeing_segment(lines: usize) -> Segment {
    Segment { same: true, original: lines, proposed: lines, current: lines, coarse: false }
}
