//! Finds the lines of a hunk that became other lines. Such pairs share rows, and the order of both sides
//! stays. (The companion compares the words of such pairs.)
//!
//! Lines that are equal except for whitespace, and unique on each side, become pairs first. Between these
//! pairs, each line is paired with the line that shares the most words. If that is too much work, lines are
//! compared in blocks, at the same relative positions of both sides, so that the work is proportional to the
//! number of lines.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use alongside_desk::best_pairs;

/// The most pairs for which each line is compared with all lines of the other side. More pairs are compared
/// in blocks.
const MAX_PAIRS: usize = 200 * 200;

/// The most pairs that all blocks between two equal lines compare, which takes some 40 ms. The limit does not
/// hold if blocks would have fewer than [`MIN_BLOCK_LINES`] lines.
const MAX_PAIRS_OF_BLOCKS: usize = 4 * MAX_PAIRS;

/// The least number of lines of a block.
const MIN_BLOCK_LINES: usize = 16;

/// The most lines between two equal lines that are compared at all.
const MAX_LINES: usize = 20_000;

/// The most bytes of a line that are compared.
const MAX_LINE_BYTES: usize = 512;

/// The least share of words that a pair has in common, in percent of both lines.
const MIN_SHARED_PERCENT: usize = 30;

/// The least weight of the words of a line that makes a pair with any longer line that contains all its
/// words.
const MIN_KEPT_WEIGHT: usize = 16;

/// Finds the pairs of similar lines of two sides, in order.
pub(super) fn like_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (mut pairs, mut from) = (Vec::new(), (0, 0));
    for (o, n) in same_lines(old, new).into_iter().chain([(old.len(), new.len())]) {
        pairs.extend(between((old, from.0..o), (new, from.1..n)));
        if o < old.len() {
            pairs.push((o, n));
        }
        from = (o + 1, n + 1);
    }
    pairs
}

/// The pairs of lines that are equal except for whitespace and unique on each side. If pairs cross, the
/// largest number of pairs in order is kept.
fn same_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (olds, news) = (unique_lines(old), unique_lines(new));
    let mut both: Vec<_> = olds.iter().filter_map(|(line, o)| Some((*o, *news.get(line)?))).collect();
    both.sort_unstable();
    // The longest increasing subsequence: `ends` has the last pair of the best subsequence of each length,
    // and `before` the pair before each pair.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, (_, n)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| both[*end].1 < *n);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row: Vec<_> =
        std::iter::successors(ends.last().copied(), |at| before[*at]).map(|at| both[at]).collect();
    row.reverse();
    row
}

/// The lines that occur once if whitespace is ignored, by hash. Lines without a letter or digit are left out.
fn unique_lines(lines: &[&str]) -> HashMap<u64, usize> {
    let mut found: HashMap<u64, Option<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.contains(char::is_alphanumeric)) {
        let mut hasher = DefaultHasher::new();
        line.split_whitespace().for_each(|part| part.hash(&mut hasher));
        found.entry(hasher.finish()).and_modify(|known| *known = None).or_insert(Some(at));
    }
    found.into_iter().filter_map(|(line, at)| Some((line, at?))).collect()
}

/// The pairs between two pairs of equal lines.
fn between((old, o): (&[&str], Range<usize>), (new, n): (&[&str], Range<usize>)) -> Vec<(usize, usize)> {
    let (olds, news) = (o.len(), n.len());
    if olds == 0 || news == 0 || olds.max(news) > MAX_LINES {
        return Vec::new();
    }
    let most = olds.max(news);
    let blocks = match olds.saturating_mul(news) {
        0..=MAX_PAIRS => 1,
        _ => most.div_ceil((MAX_PAIRS_OF_BLOCKS / most).max(MIN_BLOCK_LINES)),
    };
    let bags = |side: &[&str], lines: &Range<usize>| -> Vec<WordBag> {
        side.get(lines.clone()).unwrap_or_default().iter().map(|line| WordBag::of(line)).collect()
    };
    let (old_bags, new_bags) = (bags(old, &o), bags(new, &n));
    let part = |lines: usize, at: usize| lines * at / blocks..lines * (at + 1) / blocks;
    let of_block = |at: usize| {
        let (olds, news) = (part(old_bags.len(), at), part(new_bags.len(), at));
        let first = (o.start + olds.start, n.start + news.start);
        let (old, new) = (&old_bags[olds], &new_bags[news]);
        let pairs = best_pairs(old.len(), new.len(), |o, n| old[o].likeness(&new[n]));
        pairs.into_iter().map(move |(old, new)| (first.0 + old, first.1 + new))
    };
    (0..blocks).flat_map(of_block).collect()
}

/// The words and signs of a line without their order.
struct WordBag {
    /// The hashes of the words, sorted, each with its weight.
    words: Vec<(u32, usize)>,
    weight: usize,
}

impl WordBag {
    fn of(line: &str) -> Self {
        let mut rest = line[..line.floor_char_boundary(MAX_LINE_BYTES)].trim();
        let mut words = Vec::new();
        // Han characters and kana are written without spaces, so each of them counts as a word.
        let is_word = |c: char| c < '\u{2e80}' && c.is_alphanumeric() || c == '_';
        while let Some(first) = rest.chars().next() {
            let end = match is_word(first) {
                true => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (word, behind) = rest.split_at(end);
            // A name has more weight than a sign, and a long name more than a short one.
            words.push((word_hash(word), if is_word(first) { 2 * word.len() + 2 } else { 1 }));
            rest = behind.trim_start();
        }
        words.sort_unstable();
        let weight = words.iter().map(|(_, weight)| weight).sum();
        Self { words, weight }
    }

    /// The likeness of two lines; 0 if they make no pair. It grows with the square of the shared weight, so
    /// that one pair of equal lines counts for more than two pairs that share half of their text.
    fn likeness(&self, other: &Self) -> usize {
        #[cfg(test)]
        COMPARISONS.with(|compared| compared.set(compared.get() + 1));
        let (shorter, both) = (self.weight.min(other.weight), self.weight + other.weight);
        let is_pair = |shared: usize| {
            shared > 0
                && (shared * 200 >= MIN_SHARED_PERCENT * both
                    || shared == shorter && shorter >= MIN_KEPT_WEIGHT)
        };
        // This check by weight alone excludes most pairs before their words are compared.
        if !is_pair(shorter) {
            return 0;
        }
        let shared = self.shared(other);
        if is_pair(shared) { (shared * shared * 4 / both).max(1) } else { 0 }
    }

    /// The weight of the words that both lines have.
    fn shared(&self, other: &Self) -> usize {
        let (mut shared, mut others) = (0, other.words.iter().peekable());
        for (word, weight) in &self.words {
            while others.next_if(|(other, _)| other < word).is_some() {}
            if others.next_if(|(other, _)| other == word).is_some() {
                shared += weight;
            }
        }
        shared
    }
}

/// The hash of a word, FNV-1a with 32 bits.
fn word_hash(word: &str) -> u32 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    word.bytes().fold(0x811c_9dc5, hash)
}

#[cfg(test)]
thread_local! {
    /// The number of comparisons of two lines on this thread, so that a test can count the work.
    pub(super) static COMPARISONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(old: &str, new: &str) -> Vec<(usize, usize)> {
        like_lines(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>())
    }

    #[test]
    fn each_line_pairs_with_the_one_that_it_became() {
        let old = "alpha beta gamma\ndelta epsilon zeta\n";
        assert_eq!(pairs(old, "new\nalpha beta other\nmore\ndelta epsilon zeta eta\n"), [(0, 1), (1, 3)]);
        // The old line is a little like the first new line, and equal to the second.
        assert_eq!(pairs("alpha beta gamma\n", "alpha other thing\nalpha beta gamma\n"), [(0, 1)]);
        // If two lines change places, one of them is in a pair.
        assert_eq!(pairs(old, "delta epsilon zeta\nalpha beta gamma\n").len(), 1);
        assert_eq!(pairs(old, "nothing\n\n}\n"), []);
        assert_eq!(pairs("", "a\n"), []);
        assert_eq!(pairs("\n", "\n"), [], "an empty line is like no other");
        // Lines that are indented in a new block are equal except for whitespace.
        assert_eq!(pairs("a = 1\nb = 2\n", "if x:\n    a = 1\n    b = 2\n"), [(0, 1), (1, 2)]);
        assert_eq!(pairs("漢字かな\n", "new\n漢字かな!\n"), [(0, 1)]);
    }

    #[test]
    fn many_lines_cost_in_proportion() {
        let lines = |name: &str, lines: usize| {
            (0..lines).map(|line| format!("{name}.value_{line}(of_{line});\n")).collect::<String>()
        };
        let compared = |old: &str, new: &str| {
            let before = COMPARISONS.get();
            (pairs(old, new), COMPARISONS.get() - before)
        };
        let (found, work) = compared(&lines("before", 5_000), &lines("after", 5_000));
        assert!(found.iter().all(|(old, new)| old == new) && found.len() == 5_000);
        assert!(work <= MAX_PAIRS_OF_BLOCKS + 5_000, "{work}");
        let (_, work) = compared(&lines("before", 30_000), &lines("after", 30_000));
        assert_eq!(work, 0);
        // Equal lines that are only indented need no comparison, even after many new lines.
        let deeper: String = lines("x", 5_000).lines().map(|line| format!("    {line}\n")).collect();
        let (found, work) = compared(&lines("x", 5_000), &format!("{}{deeper}", lines("new", 700)));
        assert!(found.iter().all(|(old, new)| *new == *old + 700) && found.len() == 5_000);
        assert_eq!(work, 0);
    }
}
