//! The lines of a hunk that became other lines: each line of one side is paired with the line of the other
//! side that shares the most words with it, in the order of both sides.

use std::ops::Range;

use alongside_desk::best_pairs;

use super::comparison::number_items;
use super::tokens::Tokens;

/// The largest side of a block, in lines. Within a block, each line is compared with each line of the other
/// side. Larger hunks are cut into blocks, at the same fractions of both sides.
const BLOCK_LINES: usize = 200;

/// Returns the number of pairs of lines that are compared for these numbers of lines.
pub(super) fn candidates(old: usize, new: usize) -> usize {
    let blocks = old.max(new).div_ceil(BLOCK_LINES).max(1);
    (0..blocks).map(|at| block(old, at, blocks).len() * block(new, at, blocks).len()).sum()
}

fn block(lines: usize, at: usize, blocks: usize) -> Range<usize> {
    lines * at / blocks..lines * (at + 1) / blocks
}

/// The condition for pairing two lines as an edit, by the weight that they share at most and the weights
/// of the two lines.
type MayBeEdit = fn(usize, (usize, usize)) -> bool;

/// Returns the pairs of lines that may be edits, in order.
pub(super) fn line_pairs(old: &Tokens<'_>, new: &Tokens<'_>, may_be_edit: MayBeEdit) -> Vec<(usize, usize)> {
    let (old_bags, new_bags) = bags(old, new);
    let blocks = old_bags.len().max(new_bags.len()).div_ceil(BLOCK_LINES).max(1);
    let of_block = |at: usize| {
        let (o, n) = (block(old_bags.len(), at, blocks), block(new_bags.len(), at, blocks));
        let pairs = pairs_of_block(&old_bags[o.clone()], &new_bags[n.clone()], may_be_edit);
        pairs.into_iter().map(move |(old, new)| (o.start + old, n.start + new))
    };
    (0..blocks).flat_map(of_block).collect()
}

fn pairs_of_block(old_bags: &[Bag], new_bags: &[Bag], may_be_edit: MayBeEdit) -> Vec<(usize, usize)> {
    // A pair that shares all its text counts more than two pairs that share half of their text.
    let likeness = |o: usize, n: usize| {
        let (old, new) = (&old_bags[o], &new_bags[n]);
        let (shared, both) = (old.shared(new), old.weight + new.weight);
        if may_be_edit(shared, (old.weight, new.weight)) { (shared * shared * 4 / both).max(1) } else { 0 }
    };
    best_pairs(old_bags.len(), new_bags.len(), likeness)
}

/// The tokens of a line without their order.
struct Bag {
    /// The numbers of the tokens, equal for equal tokens, each with its weight; sorted.
    tokens: Vec<(u32, usize)>,
    weight: usize,
}

impl Bag {
    /// Returns the weight of the tokens that both lines have.
    fn shared(&self, other: &Self) -> usize {
        let (mut shared, mut others) = (0, other.tokens.iter().peekable());
        for (token, weight) in &self.tokens {
            while others.next_if(|(other, _)| other < token).is_some() {}
            if others.next_if(|(other, _)| other == token).is_some() {
                shared += weight;
            }
        }
        shared
    }
}

fn bags(old: &Tokens<'_>, new: &Tokens<'_>) -> (Vec<Bag>, Vec<Bag>) {
    let [old_texts, new_texts] =
        [old, new].map(|side| side.all.iter().map(|token| token.text).collect::<Vec<_>>());
    let (old_ids, new_ids) = number_items(&old_texts, &new_texts);
    let of = |side: &Tokens<'_>, ids: &[u32]| {
        let bag = |line: usize| {
            let weighed = |at: usize| (ids[at], side.all[at].weight());
            let mut tokens: Vec<_> = side.words(line..line + 1).into_iter().map(weighed).collect();
            tokens.sort_unstable();
            Bag { tokens, weight: side.weight(line) }
        };
        (0..side.lines.len()).map(bag).collect()
    };
    (of(old, &old_ids), of(new, &new_ids))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_pairs_with_the_most_similar_one_in_order() {
        let pairs = |old: &str, new: &str| {
            line_pairs(&Tokens::of(old), &Tokens::of(new), |shared, lines| shared * 3 >= lines.0.max(lines.1))
        };
        let old = "alpha beta gamma\ndelta epsilon zeta\n";
        assert_eq!(pairs(old, "alpha beta other\ndelta epsilon zeta eta\n"), [(0, 0), (1, 1)]);
        // The old line is similar to the first new line, and equal to the second.
        assert_eq!(pairs("alpha beta gamma\n", "alpha other thing\nalpha beta gamma\n"), [(0, 1)]);
        // Of two lines that swapped places, one is paired.
        assert_eq!(pairs(old, "delta epsilon zeta\nalpha beta gamma\n").len(), 1);
        assert_eq!(pairs(old, "nothing\n\n"), []);
        assert_eq!(pairs("", "a\n"), []);
    }

    #[test]
    fn lines_of_large_hunks_pair_within_blocks() {
        let lines = |first: &str| (0..1_000).map(|line| format!("{first} {line} same\n")).collect::<String>();
        let (old, new) = (lines("old"), lines("new"));
        let pairs = line_pairs(&Tokens::of(&old), &Tokens::of(&new), |shared, _| shared > 10);
        assert!(pairs.iter().all(|(old, new)| old == new) && pairs.len() == 1_000, "{pairs:?}");
        assert_eq!(candidates(1_000, 1_000), 1_000 * BLOCK_LINES);
        assert_eq!((candidates(1, 1_000), candidates(3, 5)), (BLOCK_LINES, 15));
    }
}
