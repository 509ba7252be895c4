//! The two algorithms by which lines and words are compared.
//!
//! `capture_diff_slices` of `similar` is not used, because it links every algorithm into the program.

use std::hash::Hash;
use std::ops::Range;
use std::time::Instant;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, IdentifyDistinct, Replace, histogram, myers};

/// Compares with the algorithm whose result reads best. This algorithm scans all items again for each
/// difference, so its cost may be the product of both lengths.
pub(super) fn compare_by_histogram<T: Hash + Eq>(
    old: &[T],
    old_range: Range<usize>,
    new: &[T],
    new_range: Range<usize>,
) -> Vec<DiffOp> {
    let mut ops = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = histogram::diff(&mut ops, old, old_range, new, new_range);
    ops.into_inner().into_inner().into_ops()
}

/// Compares with the algorithm that needs less time for many items, at most until the deadline.
pub(super) fn compare_by_myers<T: Hash + Eq>(
    old: &[T],
    old_range: Range<usize>,
    new: &[T],
    new_range: Range<usize>,
    deadline: Instant,
) -> Vec<DiffOp> {
    let mut ops = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff_deadline(&mut ops, old, old_range, new, new_range, Some(deadline));
    ops.into_inner().into_inner().into_ops()
}

/// Numbers the items of both sides, with equal numbers for equal items.
pub(super) fn number_items<T: Hash + Eq>(old: &[T], new: &[T]) -> (Vec<u32>, Vec<u32>) {
    let ids = IdentifyDistinct::<u32>::new(old, 0..old.len(), new, 0..new.len());
    let (old_ids, new_ids) = (ids.old_lookup(), ids.new_lookup());
    ((0..old.len()).map(|at| old_ids[at]).collect(), (0..new.len()).map(|at| new_ids[at]).collect())
}
