//! The comparison of many lines, region by region.
//!
//! A line that occurs once in both texts is an *anchor*: it cuts the texts into regions that are compared
//! separately, down to regions of a few lines. Where no line is unique, the first line of a unique run of
//! lines is an anchor. Finding anchors costs as much as reading the lines, however many lines differ. So the
//! limits below apply to single regions without anchors, and never to the whole text.

use std::ops::Range;
use std::time::Instant;

use alongside_desk::Text;
use similar::{DiffOp, DiffTag};

use super::comparison::{compare_by_histogram, compare_by_myers, number_items};
use super::differences::{Difference, Differences};

/// The largest region, in lines of each text, that is compared without a search for anchors.
const MAX_LINES_WITHOUT_SEARCH: usize = 256;
/// The largest product of the lines of both sides of a region that is compared with the histogram.
const MAX_HISTOGRAM_PAIRS: usize = 1 << 20;
/// The largest side, in lines, that is compared without any anchor: 60 ms for lines of three kinds. The limit
/// is a size and not a time, so that the same texts have the same differences on every machine.
const MAX_LINES_WITHOUT_ANCHOR: usize = 20_000;
/// The lines of the blocks into which a larger region without anchors is cut.
const BLOCK_LINES: usize = 4_096;
/// The lengths, in lines, of the unique runs that are searched for where no single line is unique; shortest
/// first.
const RUN_LENGTHS: [usize; 2] = [4, 16];
/// The largest number of times that regions are cut again. Only texts made for the purpose need more.
const MAX_DEPTH: usize = 16;

/// Adds the differences of these lines. Each large region that is left at the deadline becomes one
/// difference.
pub(super) fn compare_by_region(
    (old, o): (&Text, Range<usize>),
    (new, n): (&Text, Range<usize>),
    deadline: Instant,
    found: &mut Differences,
) {
    let (first, ends) = ((o.start, n.start), (0..o.len(), 0..n.len()));
    let old: Vec<&str> = old.each_line(o).collect();
    let new: Vec<&str> = new.each_line(n).collect();
    let (old, new) = number_items(&old, &new);
    let occurrences = vec![ItemOccurrences::default(); count_numbers(&old, &new)];
    let mut regions = Regions { old: &old, new: &new, occurrences, first, deadline, found };
    regions.compare(ends.0, ends.1, 0);
}

/// The number of times that an item occurs on each side of a region, and its position in the new text.
#[derive(Debug, Clone, Copy, Default)]
struct ItemOccurrences {
    old: u32,
    new: u32,
    new_at: usize,
}

/// The comparison that is under way.
struct Regions<'a> {
    /// The lines of the old text as numbers, equal for equal lines.
    old: &'a [u32],
    /// The lines of the new text as numbers.
    new: &'a [u32],
    /// The occurrences by the number of the line; all zero between two searches for anchors.
    occurrences: Vec<ItemOccurrences>,
    /// The lines of the texts at which `old` and `new` begin.
    first: (usize, usize),
    deadline: Instant,
    found: &'a mut Differences,
}

impl Regions<'_> {
    fn compare(&mut self, mut o: Range<usize>, mut n: Range<usize>, depth: usize) {
        let pairs = self.old[o.clone()].iter().zip(&self.new[n.clone()]);
        let alike = pairs.take_while(|(old, new)| old == new).count();
        (o.start, n.start) = (o.start + alike, n.start + alike);
        let pairs = self.old[o.clone()].iter().rev().zip(self.new[n.clone()].iter().rev());
        let alike = pairs.take_while(|(old, new)| old == new).count();
        (o.end, n.end) = (o.end - alike, n.end - alike);
        if o.is_empty() || n.is_empty() {
            return self.push(o, n, false);
        }
        let anchors = if depth == MAX_DEPTH { vec![] } else { self.anchors(&o, &n) };
        if anchors.is_empty() {
            return self.compare_without_anchor(o, n);
        }
        let mut start = (o.start, n.start);
        for anchor in anchors.into_iter().chain([(o.end, n.end)]) {
            self.compare(start.0..anchor.0, start.1..anchor.1, depth + 1);
            // The anchor agrees, so the comparison continues behind it.
            start = (anchor.0 + 1, anchor.1 + 1);
        }
    }

    /// Returns the pairs of lines at which a region is cut, in order; none for a small region.
    fn anchors(&mut self, o: &Range<usize>, n: &Range<usize>) -> Vec<(usize, usize)> {
        if o.len().max(n.len()) <= MAX_LINES_WITHOUT_SEARCH {
            return vec![];
        }
        let (old, new) = (&self.old[o.clone()], &self.new[n.clone()]);
        let mut anchors = unique_in_both(old, new, &mut self.occurrences);
        let runs = if is_small(o, n) { &[][..] } else { &RUN_LENGTHS };
        for run in runs.iter().filter(|run| **run <= old.len().min(new.len())) {
            if !anchors.is_empty() {
                break;
            }
            let (old, new): (Vec<_>, Vec<_>) = (old.windows(*run).collect(), new.windows(*run).collect());
            let (old, new) = number_items(&old, &new);
            anchors =
                unique_in_both(&old, &new, &mut vec![ItemOccurrences::default(); count_numbers(&old, &new)]);
        }
        anchors.into_iter().map(|(old, new)| (o.start + old, n.start + new)).collect()
    }

    fn compare_without_anchor(&mut self, o: Range<usize>, n: Range<usize>) {
        let (old, new) = (self.old, self.new);
        if is_small(&o, &n) {
            return self.push_all(&compare_by_histogram(old, o, new, n), false);
        }
        // A region that is too large is cut at the same fractions of both sides, whatever its lines are.
        let lines = o.len().max(n.len());
        let blocks = if lines > MAX_LINES_WITHOUT_ANCHOR { lines.div_ceil(BLOCK_LINES) } else { 1 };
        let cut = |side: &Range<usize>, at: usize| side.start + side.len() * at / blocks;
        for at in 0..blocks {
            let (o, n) = (cut(&o, at)..cut(&o, at + 1), cut(&n, at)..cut(&n, at + 1));
            if Instant::now() >= self.deadline {
                self.push(o, n, true);
                continue;
            }
            let ops = compare_by_myers(old, o, new, n, self.deadline);
            self.push_all(&ops, blocks > 1 || Instant::now() >= self.deadline);
        }
    }

    fn push_all(&mut self, ops: &[DiffOp], coarse: bool) {
        for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
            self.push(op.old_range(), op.new_range(), coarse);
        }
    }

    fn push(&mut self, o: Range<usize>, n: Range<usize>, coarse: bool) {
        let (old, new) = self.first;
        let (old, new) = (old + o.start..old + o.end, new + n.start..new + n.end);
        self.found.push(Difference { old, new, coarse });
    }
}

/// Whether a region is compared with the histogram.
fn is_small(o: &Range<usize>, n: &Range<usize>) -> bool {
    o.len().saturating_mul(n.len()) <= MAX_HISTOGRAM_PAIRS
}

/// Returns one more than the highest number of a line.
fn count_numbers(old: &[u32], new: &[u32]) -> usize {
    old.iter().chain(new).max().map_or(0, |highest| *highest as usize + 1)
}

/// Returns the positions of the items that occur once on both sides, in the longest order that both sides
/// share. `occurrences` is all zero before and after.
fn unique_in_both(old: &[u32], new: &[u32], occurrences: &mut [ItemOccurrences]) -> Vec<(usize, usize)> {
    for id in old {
        occurrences[*id as usize].old += 1;
    }
    for (at, id) in new.iter().enumerate() {
        let item = &mut occurrences[*id as usize];
        (item.new, item.new_at) = (item.new + 1, at);
    }
    let unique = old.iter().enumerate().filter_map(|(at, id)| {
        let item = occurrences[*id as usize];
        (item.old == 1 && item.new == 1).then_some((at, item.new_at))
    });
    let anchors = longest_rising(unique.collect());
    for id in old.iter().chain(new) {
        occurrences[*id as usize] = ItemOccurrences::default();
    }
    anchors
}

/// Returns the longest subsequence of these pairs, sorted by their first numbers, whose second numbers rise
/// as well.
fn longest_rising(pairs: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    // For each length, the pair with the lowest second number that ends a rising sequence of that length.
    let mut last: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = last.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| last[shorter]));
        if length == last.len() {
            last.push(at);
        } else {
            last[length] = at;
        }
    }
    let mut rising: Vec<_> =
        std::iter::successors(last.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    rising.reverse();
    rising
}

#[cfg(test)]
mod tests;
