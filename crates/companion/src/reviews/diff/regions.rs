//! The comparison of many lines, region by region.
//!
//! A line that occurs once in both texts is an *anchor*: it cuts the texts into regions that are compared for
//! themselves, down to regions of a few lines. Where no line is unique, the first of several lines that are
//! unique together is one. Finding anchors costs as much as reading the lines, however many differ. So the
//! limits below fall on single regions without anchors, and never on the whole text.

use std::ops::Range;
use std::time::Instant;

use alongside_desk::Text;
use similar::{DiffOp, DiffTag};

use super::comparison::{by_histogram, by_myers, numbered};
use super::differences::{Difference, Differences};

/// A region with no more lines than this in each text is compared without looking for anchors first.
const FEW_LINES: usize = 256;
/// The most pairs of lines (lines of one side times lines of the other) in a region that is compared with the
/// histogram.
const MAX_HISTOGRAM: usize = 1 << 20;
/// The most lines of a side that are compared without any anchor: 60 ms for lines of three kinds. A limit of
/// size and not of time, so that the same texts differ alike on every machine.
const MAX_WITHOUT_ANCHOR: usize = 20_000;
/// The lines of the blocks into which a larger region without anchors is cut.
const BLOCK: usize = 4_096;
/// How many lines in a row are looked for as anchors where no single line is unique, fewest first.
const RUNS: [usize; 2] = [4, 16];
/// How often regions are cut again. Texts that need more are built for it.
const MAX_DEPTH: usize = 16;

/// Adds the differences of these lines. Each large region left at the deadline becomes one difference.
pub(super) fn compare_by_region(
    (old, o): (&Text, Range<usize>),
    (new, n): (&Text, Range<usize>),
    deadline: Instant,
    found: &mut Differences,
) {
    let (first, ends) = ((o.start, n.start), (0..o.len(), 0..n.len()));
    let old: Vec<&str> = old.each_line(o).collect();
    let new: Vec<&str> = new.each_line(n).collect();
    let (old, new) = numbered(&old, &new);
    let seen = vec![ItemOccurrences::default(); kinds(&old, &new)];
    let mut regions = Regions { old: &old, new: &new, seen, first, deadline, found };
    regions.compare(ends.0, ends.1, 0);
}

/// How often an item occurs on each side of a region, and where.
#[derive(Debug, Clone, Copy, Default)]
struct ItemOccurrences {
    old: u32,
    new: u32,
    new_at: usize,
}

struct Regions<'a> {
    /// Equal lines have equal numbers.
    old: &'a [u32],
    new: &'a [u32],
    /// By the number of the line; all zero between two searches for anchors.
    seen: Vec<ItemOccurrences>,
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
            // The anchor agrees, so comparison goes on behind it.
            start = (anchor.0 + 1, anchor.1 + 1);
        }
    }

    /// The pairs of lines at which a region is cut, in order; none for a small region.
    fn anchors(&mut self, o: &Range<usize>, n: &Range<usize>) -> Vec<(usize, usize)> {
        if o.len().max(n.len()) <= FEW_LINES {
            return vec![];
        }
        let (old, new) = (&self.old[o.clone()], &self.new[n.clone()]);
        let mut anchors = unique_in_both(old, new, &mut self.seen);
        let runs = if is_small(o, n) { &[][..] } else { &RUNS };
        for run in runs.iter().filter(|run| **run <= old.len().min(new.len())) {
            if !anchors.is_empty() {
                break;
            }
            let (old, new): (Vec<_>, Vec<_>) = (old.windows(*run).collect(), new.windows(*run).collect());
            let (old, new) = numbered(&old, &new);
            anchors = unique_in_both(&old, &new, &mut vec![ItemOccurrences::default(); kinds(&old, &new)]);
        }
        anchors.into_iter().map(|(old, new)| (o.start + old, n.start + new)).collect()
    }

    fn compare_without_anchor(&mut self, o: Range<usize>, n: Range<usize>) {
        let (old, new) = (self.old, self.new);
        if is_small(&o, &n) {
            return self.push_all(&by_histogram(old, o, new, n), false);
        }
        // A region that is too large is cut at the same fractions of both sides, whatever stands there.
        let lines = o.len().max(n.len());
        let blocks = if lines > MAX_WITHOUT_ANCHOR { lines.div_ceil(BLOCK) } else { 1 };
        let cut = |side: &Range<usize>, at: usize| side.start + side.len() * at / blocks;
        for at in 0..blocks {
            let (o, n) = (cut(&o, at)..cut(&o, at + 1), cut(&n, at)..cut(&n, at + 1));
            if Instant::now() >= self.deadline {
                self.push(o, n, true);
                continue;
            }
            let ops = by_myers(old, o, new, n, self.deadline);
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
    o.len().saturating_mul(n.len()) <= MAX_HISTOGRAM
}

/// One more than the highest number of a line.
fn kinds(old: &[u32], new: &[u32]) -> usize {
    old.iter().chain(new).max().map_or(0, |highest| *highest as usize + 1)
}

/// The places of the items that occur once on both sides, in the longest order that both sides share. `seen`
/// is all zero before and after.
fn unique_in_both(old: &[u32], new: &[u32], seen: &mut [ItemOccurrences]) -> Vec<(usize, usize)> {
    for id in old {
        seen[*id as usize].old += 1;
    }
    for (at, id) in new.iter().enumerate() {
        let seen = &mut seen[*id as usize];
        (seen.new, seen.new_at) = (seen.new + 1, at);
    }
    let unique = old.iter().enumerate().filter_map(|(at, id)| {
        let seen = seen[*id as usize];
        (seen.old == 1 && seen.new == 1).then_some((at, seen.new_at))
    });
    let anchors = longest_rising(unique.collect());
    for id in old.iter().chain(new) {
        seen[*id as usize] = ItemOccurrences::default();
    }
    anchors
}

/// Of these pairs, sorted by their first number, the most whose second numbers rise as well.
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
