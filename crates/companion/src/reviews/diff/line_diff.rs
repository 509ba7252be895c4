//! The lines that differ between two texts.
//!
//! Most of a large file is unchanged. So bytes are compared as far as they agree. Where they differ, a
//! *window* of lines is compared, and its result counts up to a run of lines that agree again. The cost grows
//! with the changes, not with the file: 10 MB with 400 changes take a tenth of comparing all lines.

use std::ops::Range;
use std::time::{Duration, Instant};

use alongside_desk::{Text, alike_at_end, alike_at_start};
use similar::algorithms::{Capture, Compact, Replace, histogram, myers};
use similar::{DiffOp, DiffTag};

/// How long a comparison may look for the smallest difference before it takes a coarser one.
pub(crate) const COMPARISON_TIME: Duration = Duration::from_millis(300);
/// The lines of a window in each text. If the texts do not agree again in it, it grows fourfold.
const WINDOW: usize = 64;
/// Lines that agree again count from one part in this many of the window: a few may be any closing brace.
const SHARE: usize = 4;
/// The most lines that are compared with the algorithm whose result reads best. It scans all lines again for
/// each difference, so in large windows its results would be far coarser.
const MAX_HISTOGRAM_LINES: usize = 20_000;
/// The largest window, in lines of some fifty bytes each. Beyond it, the rest is one difference.
const MAX_WINDOW: usize = 1 << 20;

/// Two ranges of lines that differ, in the old and in the new text.
type Difference = (Range<usize>, Range<usize>);

/// The differences of two texts, with equal lines between them. After `within`, the rest is one.
pub(crate) fn differences(old: &Text, new: &Text, within: Duration) -> Vec<Difference> {
    let deadline = Instant::now() + within;
    let mut rest = UncomparedLines { old, new, at: (0, 0), ends: (old.len(), new.len()) };
    rest.skip_equal_start();
    rest.skip_equal_end();
    let mut found: Vec<Difference> = Vec::new();
    while rest.at != rest.ends {
        rest.compare_window(deadline, &mut found);
        rest.skip_equal_start();
    }
    found
}

/// The lines of two texts that are not compared yet.
struct UncomparedLines<'a> {
    old: &'a Text,
    new: &'a Text,
    /// The first lines that are not compared.
    at: (usize, usize),
    /// The first lines behind them.
    ends: (usize, usize),
}

impl UncomparedLines<'_> {
    fn bytes(&self) -> (&[u8], &[u8]) {
        let (old, new) = (self.old.lines(self.at.0..self.ends.0), self.new.lines(self.at.1..self.ends.1));
        (old.as_bytes(), new.as_bytes())
    }

    /// Skips the lines that agree at the beginning.
    fn skip_equal_start(&mut self) {
        let (old, new) = self.bytes();
        let alike = alike_at_start(old, new);
        if (alike, alike) == (old.len(), new.len()) {
            return self.at = self.ends;
        }
        // Whole lines only.
        let Some(end) = old[..alike].iter().rposition(|byte| *byte == b'\n') else { return };
        let lines = self.old.line_at(self.old.start(self.at.0) + end + 1) - self.at.0;
        self.at = (self.at.0 + lines, self.at.1 + lines);
    }

    /// Skips the lines that agree at the end.
    fn skip_equal_end(&mut self) {
        let (old, new) = self.bytes();
        let alike = alike_at_end(old, new);
        let start = old.len() - alike;
        let begins = |text: &[u8]| matches!(text[..text.len() - alike], [] | [.., b'\n']);
        // Whole lines only.
        let cut = match begins(old) && begins(new) {
            true => 0,
            false => old[start..].iter().position(|byte| *byte == b'\n').map_or(alike, |end| end + 1),
        };
        let lines = self.ends.0 - self.old.line_at(self.old.start(self.at.0) + start + cut);
        self.ends = (self.ends.0 - lines, self.ends.1 - lines);
    }

    /// Compares a window, and continues where its texts agree again.
    fn compare_window(&mut self, deadline: Instant, found: &mut Vec<Difference>) {
        let (o, n) = self.at;
        let mut lines = WINDOW;
        loop {
            // Nothing is left of one text, or too much of both.
            if o == self.ends.0 || n == self.ends.1 || lines > MAX_WINDOW {
                push(found, (o..self.ends.0, n..self.ends.1));
                return self.at = self.ends;
            }
            let ends = ((o + lines).min(self.ends.0), (n + lines).min(self.ends.1));
            let ops = compare(self.old, o..ends.0, self.new, n..ends.1, deadline);
            let agrees_again =
                |op: &DiffOp| op.tag() == DiffTag::Equal && op.old_range().len() * SHARE >= lines;
            let agrees = if ends == self.ends { None } else { ops.iter().position(agrees_again) };
            if agrees.is_none() && ends != self.ends {
                lines *= 4;
                continue;
            }
            for op in ops.iter().take(agrees.unwrap_or(ops.len())).filter(|op| op.tag() != DiffTag::Equal) {
                let (old, new) = (op.old_range(), op.new_range());
                push(found, (o + old.start..o + old.end, n + new.start..n + new.end));
            }
            let agrees = agrees.map(|at| &ops[at]);
            let behind = |op: &DiffOp| (o + op.old_range().start, n + op.new_range().start);
            return self.at = agrees.map_or(ends, behind);
        }
    }
}

fn compare(old: &Text, o: Range<usize>, new: &Text, n: Range<usize>, deadline: Instant) -> Vec<DiffOp> {
    let old: Vec<&str> = old.each_line(o).collect();
    let new: Vec<&str> = new.each_line(n).collect();
    let (o, n, deadline) = (0..old.len(), 0..new.len(), Some(deadline));
    // Not `capture_diff_slices`, which links every algorithm into the program.
    let mut ops = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let Ok(()) = match old.len().max(new.len()) <= MAX_HISTOGRAM_LINES {
        true => histogram::diff_deadline(&mut ops, &old[..], o, &new[..], n, deadline),
        false => myers::diff_deadline(&mut ops, &old[..], o, &new[..], n, deadline),
    };
    ops.into_inner().into_inner().into_ops()
}

/// Adds a difference, and merges it with the last one if nothing is between them.
fn push(found: &mut Vec<Difference>, (old, new): Difference) {
    match found.last_mut() {
        Some((o, n)) if o.end == old.start && n.end == new.start => (o.end, n.end) = (old.end, new.end),
        _ => found.push((old, new)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(lines: Range<usize>) -> String {
        lines.map(|line| format!("{line}\n")).collect()
    }

    fn texts_of(old: &str, new: &str) -> Vec<(String, String)> {
        let (old, new) = (Text::new(old), Text::new(new));
        let found = differences(&old, &new, COMPARISON_TIME);
        found.into_iter().map(|(o, n)| (old.lines(o).to_owned(), new.lines(n).to_owned())).collect()
    }

    proptest! {
        #[test]
        fn lines_between_differences_are_equal(
            old in "([abc]?\n){0,300}[ab]?",
            edits in proptest::collection::vec((0..300_usize, 0..4_usize, "([abd]\n){0,3}"), 0..6),
        ) {
            let mut new: Vec<&str> = old.split_inclusive('\n').collect();
            for (at, gone, come) in &edits {
                let at = (*at).min(new.len());
                new.splice(at..(at + gone).min(new.len()), come.split_inclusive('\n'));
            }
            let (old, new) = (Text::new(old.as_str()), Text::new(new.concat()));
            let (mut o, mut n) = (0, 0);
            let ends = (old.len()..old.len(), new.len()..new.len());
            for (differs, other) in differences(&old, &new, COMPARISON_TIME).into_iter().chain([ends]) {
                prop_assert_eq!(old.lines(o..differs.start), new.lines(n..other.start));
                prop_assert_eq!(differs.start - o, other.start - n);
                (o, n) = (differs.end, other.end);
            }
        }
    }

    #[test]
    fn a_large_text_differs_exactly_where_it_was_changed() {
        let old = numbered(0..50_000);
        let mut new = old.clone();
        for line in (100..50_000).step_by(100).rev() {
            new = new.replacen(&format!("\n{line}\n"), &format!("\nnot {line}\n"), 1);
        }
        let expected: Vec<_> =
            (100..50_000).step_by(100).map(|n| (format!("{n}\n"), format!("not {n}\n"))).collect();
        assert_eq!(texts_of(&old, &new), expected);
    }

    #[test]
    fn an_insertion_longer_than_a_window_is_one_difference() {
        let (old, came) = (numbered(0..1000), numbered(5000..6000));
        let new = format!("first\n{}{came}{}last\n", numbered(0..500), numbered(500..999));
        let expected = [("", "first\n"), ("", came.as_str()), ("999\n", "last\n")]
            .map(|(o, n)| (o.to_owned(), n.to_owned()));
        assert_eq!(texts_of(&old, &new), expected);
        let back = expected.map(|(o, n)| (n, o));
        assert_eq!(texts_of(&new, &old), back);
    }

    #[test]
    fn a_line_without_its_line_ending_differs() {
        let differs = |old: &str, new: &str| vec![(old.to_owned(), new.to_owned())];
        assert_eq!(texts_of("a\nb", "a\nb\n"), differs("b", "b\n"));
        assert_eq!(texts_of("b\n", "a\nb\n"), differs("", "a\n"));
        assert_eq!(texts_of("xb\n", "b\n"), differs("xb\n", "b\n"));
        assert_eq!(texts_of("", "a"), differs("", "a"));
        assert_eq!(texts_of("a\n", "a\n"), []);
    }
}
