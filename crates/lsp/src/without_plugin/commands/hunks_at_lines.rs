//! The places of hunks in a proposal, and the hunks that a person at some lines means.

use alongside_desk::{Hunk, HunkState, Lines, Review};

use super::command_queue::HunkStart;

/// Returns the indexes of the hunks that a person at some lines means: those shown there, else the one whose
/// lines are removed just below.
pub(crate) fn hunks_at(review: &Review, (from, to): (usize, usize)) -> Vec<usize> {
    let lines = line_count(review);
    let is_here = |hunk: &Hunk| {
        let shown = shown(hunk.current, lines);
        shown.start <= to && from < shown.end
    };
    let here = indexes(review, is_here);
    if !here.is_empty() {
        return here;
    }
    let is_below = |hunk: &Hunk| hunk.current.is_empty() && hunk.current.start == to + 1;
    review.hunks.iter().position(is_below).into_iter().collect()
}

/// Returns the indexes of the hunks with these starts.
pub(crate) fn hunks_from(review: &Review, starts: &[HunkStart]) -> Vec<usize> {
    indexes(review, |hunk| starts.contains(&start_of(hunk)))
}

fn indexes(review: &Review, is_meant: impl Fn(&Hunk) -> bool) -> Vec<usize> {
    let hunks = review.hunks.iter().enumerate();
    hunks.filter(|(_, hunk)| is_meant(hunk)).map(|(index, _)| index).collect()
}

/// Returns the line of the first hunk after a line, or of the first hunk after the last one.
pub(crate) fn next_line(review: &Review, after: Option<usize>) -> usize {
    let lines = line_count(review);
    let mut starts = review.hunks.iter().map(|hunk| shown(hunk.current, lines).start);
    let first = starts.clone().next().unwrap_or_default();
    starts.find(|start| after.is_none_or(|line| line < *start)).unwrap_or(first)
}

/// Returns the start of a hunk, which identifies it.
pub(crate) fn start_of(hunk: &Hunk) -> HunkStart {
    (hunk.original.start, hunk.proposed.start)
}

/// Whether only the person changed the lines of a hunk: the agent left them as they are.
pub(crate) fn is_typed(review: &Review, hunk: &Hunk) -> bool {
    let [original, proposed, _] = review.texts();
    hunk.state == HunkState::Edited
        && original.lines(hunk.original.start..hunk.original.end)
            == proposed.lines(hunk.proposed.start..hunk.proposed.end)
}

/// Returns the number of lines of the proposal.
pub(crate) fn line_count(review: &Review) -> usize {
    let [_, _, current] = review.texts();
    current.len()
}

/// Returns the lines that show a hunk. An empty hunk appears at the next line, or the last one.
pub(crate) fn shown(current: Lines, lines: usize) -> Lines {
    if !current.is_empty() {
        return current;
    }
    let start = current.start.min(lines.saturating_sub(1));
    Lines { start, end: start + 1 }
}
