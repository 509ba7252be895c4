//! What differs between two texts.

use std::ops::Range;
use std::time::{Duration, Instant};

use alongside_desk::Text;
use similar::{Algorithm, DiffTag};

/// How long a comparison may look for the smallest difference before it settles for a coarser one.
const COMPARISON: Duration = Duration::from_millis(300);
/// Up to so many lines are compared the way that people read best. It looks at all of them again for each difference:
/// in large files with many it would settle for far coarser ones.
const READ_WELL: usize = 20_000;

/// Where two texts differ: pairs of line ranges, in order, with equal lines between them.
pub(crate) fn differences(old: &Text, new: &Text) -> Vec<(Range<usize>, Range<usize>)> {
    let old_lines: Vec<&str> = (0..old.len()).map(|line| old.lines(line..line + 1)).collect();
    let new_lines: Vec<&str> = (0..new.len()).map(|line| new.lines(line..line + 1)).collect();
    let deadline = Some(Instant::now() + COMPARISON);
    let algorithm = algorithm(&old_lines, &new_lines);
    let ops = similar::capture_diff_slices_deadline(algorithm, &old_lines, &new_lines, deadline);
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
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

/// How to compare, going by the lines between the first difference and the last.
fn algorithm(old: &[&str], new: &[&str]) -> Algorithm {
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    if old.len().max(new.len()) - start - end <= READ_WELL { Algorithm::Histogram } else { Algorithm::Myers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_compared_the_fast_way_only_if_differences_are_far_apart() {
        let old = vec!["same"; 3 * READ_WELL];
        let mut near = old.clone();
        (near[READ_WELL], near[2 * READ_WELL - 1]) = ("one", "other");
        assert_eq!(algorithm(&old, &near), Algorithm::Histogram);
        let mut far = near.clone();
        far[2 * READ_WELL] = "a third";
        assert_eq!(algorithm(&old, &far), Algorithm::Myers);
        assert_eq!(algorithm(&old, &old[..5]), Algorithm::Myers);
        assert_eq!(algorithm(&old[..5], &[]), Algorithm::Histogram);
    }
}
