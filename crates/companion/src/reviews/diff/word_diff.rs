//! The words of a hunk that differ, marked so that a change stands out in a long line.
//!
//! Two readings of a hunk compete. In the first, a line became another line, and only the words of such
//! [pairs](line_pairs) are compared: a line that is new, or too different, has no marks, because its colour
//! suffices. In the second, words flow across line ends, as in a paragraph that was wrapped again or a call
//! that was split into lines. The second reading counts if it leaves a quarter less to read.
//!
//! The limits come from ten commits (four of this repository, two each of requests, lazy.nvim and express)
//! and releases of three crates, compared with delta 0.20. Of 1,210 pairs of lines, 761 share
//! more than 60 percent of their text, 305 between 40 and 60, 144 less.
//!
//! - Above [half](MIN_SHARED_PERCENT), marks show an edit. Between 40 and 50 percent most pairs of prose are
//!   rewritten sentences, with `the` and `from` between the marks; delta marks some of these pairs.
//! - A single change reads well down to [30 percent](MIN_SHARED_PERCENT_ONE_CHANGE): `timeout=timeout` became
//!   `timeout=resolved_timeout` shares 41, a renamed list 38. Below, pairs are accidents.
//! - A line that is kept in a longer one is an edit at any share, with few [changes](MAX_CHANGES_AROUND):
//!   `yield req` with a comment behind it shares 24, `headers=None,` with a type 48. Delta marks neither.
//! - A call broken into lines shows the new words in it; delta marks the moved arguments as removed.
//!
//! Difftastic, tried on one file of JavaScript, reads as well, because it parses, and marks every sign of a
//! new line. Like difftastic, and unlike delta, our marks never cover indentation, nor spaces beside changed
//! words.

use std::ops::Range;
use std::time::Instant;

use alongside_desk::{Range as TextRange, Words};
use similar::DiffTag;

use super::comparison::compare_by_myers;
use super::line_pairs::line_pairs;
use super::tokens::{Token, TokenKind, Tokens};

/// The least share of equal text in two lines that are compared, in percent of both.
const MIN_SHARED_PERCENT: usize = 50;
/// The least share of equal text in two lines that differ in one place, in percent of both.
const MIN_SHARED_PERCENT_ONE_CHANGE: usize = 30;
/// The largest number of places in which a line may have grown if the whole shorter line is kept.
const MAX_CHANGES_AROUND: usize = 3;
/// The least share of equal text of a line among lines whose words flow, in percent of the line.
const MIN_SHARED_PERCENT_IN_FLOW: usize = 35;
/// The share of the shorter side that must be kept if the sides share less than half, in percent.
const MIN_KEPT_PERCENT_IN_FLOW: usize = 90;
/// The least weight of a kept line, that of a name of seven letters: many lines contain a shorter one by
/// accident.
const MIN_KEPT_WEIGHT: usize = 16;

/// The largest side, in bytes, whose words are compared across line ends: a paragraph, or a long list.
const MAX_FLOWING_BYTES: usize = 32 << 10;

/// Returns the words that differ, with lines counted from 0 on both sides. At the deadline, the result is
/// coarser.
pub(crate) fn differing_words(original: &str, other: &str, deadline: Instant) -> Option<Words> {
    let (old, new) = (Tokens::of(original), Tokens::of(other));
    let mut marks = Marks::of_pairs(&old, &new, deadline);
    let is_large = original.len().max(other.len()) > MAX_FLOWING_BYTES;
    if old.lines.len().max(new.lines.len()) > 1 && !is_large {
        let flowing = Marks::of_flow(&old, &new, deadline);
        if let Some(flowing) =
            flowing.filter(|flowing| flowing.reading_weight() * 4 <= marks.reading_weight() * 3)
        {
            marks = flowing;
        }
    }
    let words = Words { removed: marks.old.ranges(), added: marks.new.ranges() };
    (!words.removed.is_empty() || !words.added.is_empty()).then_some(words)
}

/// Returns the pairs of lines that became each other, counted from 0 on both sides and in order.
pub(super) fn edited_lines(original: &str, other: &str) -> Vec<(usize, usize)> {
    let (old, new) = (Tokens::of(original), Tokens::of(other));
    line_pairs(&old, &new, |shared, lines| Comparison { shared, lines, changes: 1 }.is_edit())
}

/// The marks of both sides in one reading.
struct Marks<'a> {
    old: Side<'a>,
    new: Side<'a>,
}

impl<'a> Marks<'a> {
    fn of_pairs(old: &'a Tokens<'a>, new: &'a Tokens<'a>, deadline: Instant) -> Self {
        let mut marks = Self { old: Side::new(old), new: Side::new(new) };
        for (o, n) in line_pairs(old, new, |shared, lines| Comparison { shared, lines, changes: 1 }.is_edit())
        {
            let words = (old.words(o..o + 1), new.words(n..n + 1));
            let compared = marks.compare(&words.0, &words.1, deadline);
            if compared.changes == 0 {
                // Only whitespace may differ.
                let all =
                    (old.lines[o].clone().collect::<Vec<_>>(), new.lines[n].clone().collect::<Vec<_>>());
                marks.compare(&all.0, &all.1, deadline);
            }
            for (side, line) in [(&mut marks.old, o), (&mut marks.new, n)] {
                side.likeness[line] = compared.is_edit();
            }
            if compared.changes > 1 {
                marks.old.unmark_lone_signs(o, |token| token.is_separator());
                marks.new.unmark_lone_signs(n, |token| token.is_separator());
            }
        }
        marks
    }

    /// Creates the marks of the second reading; `None` if the sides have too little in common.
    fn of_flow(old: &'a Tokens<'a>, new: &'a Tokens<'a>, deadline: Instant) -> Option<Self> {
        let mut marks = Self { old: Side::new(old), new: Side::new(new) };
        let (o, n) = (old.words(0..old.lines.len()), new.words(0..new.lines.len()));
        let Comparison { shared, lines, .. } = marks.compare(&o, &n, deadline);
        let is_kept = shared * 100 >= MIN_KEPT_PERCENT_IN_FLOW * lines.0.min(lines.1);
        if shared * 200 < MIN_SHARED_PERCENT * (lines.0 + lines.1) && !is_kept {
            return None;
        }
        for side in [&mut marks.old, &mut marks.new] {
            for line in 0..side.tokens.lines.len() {
                let (marked, all) = (side.marked_weight(line), side.tokens.weight(line));
                side.likeness[line] = (all - marked) * 100 >= MIN_SHARED_PERCENT_IN_FLOW * all;
                // A line that is broken elsewhere gains and loses commas and brackets.
                side.unmark_lone_signs(line, |token| token.kind == TokenKind::Sign);
            }
        }
        Some(marks)
    }

    /// Marks the tokens that differ, among these tokens of each side.
    fn compare(&mut self, o: &[usize], n: &[usize], deadline: Instant) -> Comparison {
        let (old, new) = (self.old.tokens, self.new.tokens);
        let texts =
            |side: &Tokens<'a>, at: &[usize]| at.iter().map(|at| side.all[*at].text).collect::<Vec<_>>();
        let weight =
            |side: &Tokens<'_>, at: &[usize]| at.iter().map(|at| side.all[*at].weight()).sum::<usize>();
        let (old_texts, new_texts) = (texts(old, o), texts(new, n));
        let ops = compare_by_myers(&old_texts, 0..o.len(), &new_texts, 0..n.len(), deadline);
        let (mut shared, mut changes) = (0, 0);
        for op in &ops {
            if op.tag() == DiffTag::Equal {
                shared += weight(old, &o[op.old_range()]);
                continue;
            }
            changes += 1;
            for at in &o[op.old_range()] {
                self.old.marks[*at] = true;
            }
            for at in &n[op.new_range()] {
                self.new.marks[*at] = true;
            }
        }
        Comparison { shared, lines: (weight(old, o), weight(new, n)), changes }
    }

    /// Returns the weight of the text that a person has to read: marked words, and lines without a similar
    /// line.
    fn reading_weight(&self) -> usize {
        self.old.reading_weight() + self.new.reading_weight()
    }
}

/// The similarity of two lines, as weights.
struct Comparison {
    shared: usize,
    lines: (usize, usize),
    /// The number of places in which the lines differ.
    changes: usize,
}

impl Comparison {
    /// Whether one line became the other, so that marks help.
    fn is_edit(&self) -> bool {
        let both = self.lines.0 + self.lines.1;
        let shorter = self.lines.0.min(self.lines.1);
        let min = if self.changes <= 1 { MIN_SHARED_PERCENT_ONE_CHANGE } else { MIN_SHARED_PERCENT };
        let is_kept =
            self.shared == shorter && shorter >= MIN_KEPT_WEIGHT && self.changes <= MAX_CHANGES_AROUND;
        self.shared > 0 && (self.shared * 200 >= min * both || is_kept)
    }
}

/// The marks of one side.
struct Side<'a> {
    tokens: &'a Tokens<'a>,
    marks: Vec<bool>,
    /// Whether each line is similar enough to a line of the other side to have marks.
    likeness: Vec<bool>,
}

impl<'a> Side<'a> {
    fn new(tokens: &'a Tokens<'a>) -> Self {
        Self { tokens, marks: vec![false; tokens.all.len()], likeness: vec![false; tokens.lines.len()] }
    }

    fn marked_weight(&self, line: usize) -> usize {
        let marked = self.tokens.lines[line].clone().filter(|at| self.marks[*at]);
        marked.map(|at| self.tokens.all[at].weight()).sum()
    }

    fn reading_weight(&self) -> usize {
        let of_line = |(line, like): (usize, &bool)| match like {
            true => self.marked_weight(line),
            false => self.tokens.weight(line),
        };
        self.likeness.iter().enumerate().map(of_line).sum()
    }

    /// Removes the marks of signs of a kind that have no marked neighbour.
    fn unmark_lone_signs(&mut self, line: usize, is_of_kind: fn(&Token<'_>) -> bool) {
        let words: Vec<usize> = self.tokens.words(line..line + 1);
        let marked: Vec<bool> = words.iter().map(|at| self.marks[*at]).collect();
        let is_marked = |at: Option<usize>| at.and_then(|at| marked.get(at)).copied().unwrap_or(false);
        for (position, at) in words.iter().enumerate() {
            let is_alone = !is_marked(position.checked_sub(1)) && !is_marked(Some(position + 1));
            if is_alone && is_of_kind(&self.tokens.all[*at]) {
                self.marks[*at] = false;
            }
        }
    }

    /// Returns the marked ranges, each within a line. Spaces between marked words belong to the mark.
    fn ranges(&self) -> Vec<TextRange> {
        let mut found: Vec<TextRange> = Vec::new();
        for line in
            self.tokens.lines.iter().zip(&self.likeness).filter(|(_, like)| **like).map(|(line, _)| line)
        {
            let mut is_open = false;
            for at in line.clone() {
                let Token { start, end, kind, .. } = self.tokens.all[at];
                let is_between = is_open && kind == TokenKind::Space && self.is_marked_at(at + 1, line);
                match found.last_mut() {
                    Some(last) if is_open && (self.marks[at] || is_between) => last.end = end,
                    _ if self.marks[at] => found.push(TextRange { start, end }),
                    _ => {}
                }
                is_open = self.marks[at] || is_between;
            }
        }
        found
    }

    fn is_marked_at(&self, at: usize, line: &Range<usize>) -> bool {
        line.contains(&at) && self.marks[at]
    }
}

#[cfg(test)]
mod tests;
