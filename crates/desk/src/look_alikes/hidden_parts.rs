//! The invisible parts of a hunk: descriptions of its differences, and the whitespace that a desk draws with
//! signs.

use std::collections::{BTreeMap, HashMap};
use std::ops;

use icu_normalizer::DecomposingNormalizerBorrowed;

use super::{Unseen, differing_lines, without_end};
use crate::context::{Position, Range};
use crate::harmless;

/// The most new lines of a hunk whose whitespace is reported; a longer hunk is easy to find.
const MAX_LINES: usize = 1000;

/// The invisible differences of a hunk.
#[derive(Debug, Default)]
pub struct HiddenParts {
    /// Their descriptions.
    pub unseen: Unseen,
    /// Ranges of its old lines and of its new ones, counted from the first line of each side: whitespace that
    /// differs in lines that look the same, and whitespace at the end of other new lines.
    pub blanks: [Vec<Range>; 2],
}

/// The whitespace of a line after a number of visible characters.
#[derive(Debug)]
struct Run {
    text: String,
    /// Their columns in UTF-16 units.
    columns: ops::Range<usize>,
}

impl HiddenParts {
    /// Compares the two sides of a hunk.
    pub fn of(old: &str, new: &str) -> Self {
        let mut found = Self::default();
        let mut alike = HashMap::new();
        for line in differing_lines(old, new) {
            alike.extend(line.old.map(|old| (line.new, old)));
            for kind in line.kinds {
                found.unseen.add_kind(kind, 1);
            }
        }
        let olds: Vec<_> = if alike.is_empty() { Vec::new() } else { old.split_inclusive('\n').collect() };
        for (number, line) in new.split_inclusive('\n').take(MAX_LINES).enumerate() {
            let (line, _) = without_end(line);
            match alike.get(&number).and_then(|old| Some((*old, without_end(olds.get(*old)?).0))) {
                Some((old_number, old)) => {
                    found.blanks[0].extend(differing(old, line).map(|columns| range(old_number, &columns)));
                    found.blanks[1].extend(differing(line, old).map(|columns| range(number, &columns)));
                }
                None => found.blanks[1].extend(at_end(line).map(|columns| range(number, &columns))),
            }
        }
        found
    }
}

/// Returns the whitespace of a line that differs from that in the same place of another line.
fn differing(line: &str, other: &str) -> impl Iterator<Item = ops::Range<usize>> {
    let theirs = runs(other);
    let differ = runs(line)
        .into_iter()
        .filter(move |(place, run)| theirs.get(place).is_none_or(|theirs| theirs.text != run.text));
    differ.map(|(_, run)| run.columns)
}

/// Returns the runs of whitespace of a line, by the number of visible characters before them. An accent
/// counts as a character, whether it is composed with its letter or not.
fn runs(line: &str) -> BTreeMap<usize, Run> {
    let nfd = DecomposingNormalizerBorrowed::new_nfd();
    let mut runs: BTreeMap<usize, Run> = BTreeMap::new();
    let (mut seen, mut column) = (0, 0);
    for c in line.chars() {
        let next = column + c.len_utf16();
        if c.is_whitespace() {
            let new = || Run { text: String::new(), columns: column..next };
            let run = runs.entry(seen).or_insert_with(new);
            run.text.push(c);
            run.columns.end = next;
        } else if !harmless::is_harmful(c) {
            seen += if c.is_ascii() { 1 } else { nfd.normalize_iter([c].into_iter()).count() };
        }
        column = next;
    }
    runs
}

/// Returns the columns of the whitespace at the end of a line.
fn at_end(line: &str) -> Option<ops::Range<usize>> {
    let text = line.trim_end_matches([' ', '\t']);
    let start = (text.len() < line.len()).then(|| text.encode_utf16().count())?;
    Some(start..start + line.len() - text.len())
}

fn range(line: usize, columns: &ops::Range<usize>) -> Range {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let at = |column: usize| Position { line: number(line), character: number(column) };
    Range { start: at(columns.start), end: at(columns.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the whitespace of both sides, each as line and columns.
    fn blanks(old: &str, new: &str) -> [Vec<(u32, u32, u32)>; 2] {
        HiddenParts::of(old, new).blanks.map(|side| {
            side.iter().map(|range| (range.start.line, range.start.character, range.end.character)).collect()
        })
    }

    #[test]
    fn blanks_that_differ_are_told_on_both_sides() {
        assert_eq!(blanks("x\n    one\n", "y\n\tone\n"), [vec![(1, 0, 4)], vec![(1, 0, 1)]]);
        assert_eq!(blanks("a b c\n", "a\u{a0}b c\n"), [vec![(0, 1, 2)], vec![(0, 1, 2)]]);
        assert_eq!(blanks("\u{1f600}  a\n", "\u{1f600}\ta\n"), [vec![(0, 2, 4)], vec![(0, 2, 3)]]);
        assert_eq!(blanks("cat\n", "c\u{430}t\n"), [vec![], vec![]], "they differ in no blank");
    }

    #[test]
    fn blanks_are_compared_by_the_characters_that_one_sees_before_them() {
        assert_eq!(blanks("e\u{301} a\n", "\u{e9} a \n"), [vec![], vec![(0, 3, 4)]]);
        assert_eq!(blanks("a  b\n", "a\t\u{200b}b\n"), [vec![(0, 1, 3)], vec![(0, 1, 2)]]);
    }

    #[test]
    fn blanks_at_the_end_of_an_added_line_are_told() {
        assert_eq!(blanks("", "one \t\r\n \ntwo"), [vec![], vec![(0, 3, 5), (1, 0, 1)]]);
        let many = "a \n".repeat(MAX_LINES + 1);
        assert_eq!(blanks("", &many)[1].len(), MAX_LINES);
    }

    #[test]
    fn the_words_are_those_of_the_sentence() {
        let (old, new) = ("    a\n    b\n", "\ta\n\tb \n");
        let mut twice = HiddenParts::of(old, new).unseen;
        assert_eq!(twice.sentence(), super::super::hard_to_see(old, new));
        twice.add(&HiddenParts::of("    c\n", "\tc\n").unseen);
        let said = twice.sentence().unwrap();
        assert!(said.contains("a tab in place of blanks (3 lines)"), "{said}");
        assert_eq!(HiddenParts::of("a\n", "b \n").unseen.sentence(), None);
    }
}
