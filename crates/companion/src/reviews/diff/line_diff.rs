//! The lines that differ between two texts.
//!
//! Most of a large file is unchanged. So bytes are compared as far as they agree. Where they differ, a
//! *window* of lines is compared, and its result counts up to a run of lines that agree again. The cost grows
//! with the changes, not with the file: 10 MB with 400 changes take a tenth of comparing all lines.
//!
//! Where changes are so dense that no window agrees again, or where windows have cost enough, the remaining
//! lines are compared [by region](compare_by_region). Sizes decide that, so the same texts have the same
//! differences on every machine. The time limit is only the last resort, for large regions without a line
//! that occurs once.

use std::time::{Duration, Instant};

use alongside_desk::{Text, alike_at_end, alike_at_start};
use similar::{DiffOp, DiffTag};

use super::comparison::compare_by_histogram;
use super::differences::{Difference, Differences};
use super::regions::compare_by_region;

/// The time for finding the smallest difference. After it, a comparison returns a coarser one.
pub(crate) const COMPARISON_TIME: Duration = Duration::from_millis(300);
/// The lines of the first window in each text. If the texts do not agree again in it, it grows fourfold.
const FIRST_WINDOW_LINES: usize = 64;
/// Lines that agree again end a window if they are at least this fraction (1/n) of it. Fewer lines may be any
/// closing braces.
const MIN_AGREEING_DIVISOR: usize = 4;
/// The lines of the largest window. The comparison may cost the product of its sides, so a larger one takes
/// too long.
const MAX_WINDOW_LINES: usize = 1024;
/// The largest cost of all windows of one comparison, as the sum of the products of their sides: 16,000 of
/// the smallest windows.
const MAX_WINDOWS_COST: usize = 64 << 20;

/// The largest number of lines, of both texts together, that are compared by region: an index takes some 60
/// bytes for each line, and a line may be a single byte. More lines become one difference.
const MAX_REGION_LINES: usize = 2 << 20;

/// Returns the differences of two texts, with equal lines between them. Each large region that is not
/// compared within the time limit becomes one difference.
pub(crate) fn differences(old: &Text, new: &Text, time_limit: Duration) -> Differences {
    let mut remaining = UncomparedLines { old, new, at: (0, 0), ends: (old.len(), new.len()), cost: 0 };
    remaining.skip_equal_start();
    remaining.skip_equal_end();
    let mut found = Differences::default();
    while remaining.at != remaining.ends {
        if !remaining.compare_window(&mut found) {
            let (o, n) = (remaining.at.0..remaining.ends.0, remaining.at.1..remaining.ends.1);
            if o.len() + n.len() > MAX_REGION_LINES {
                found.push(Difference { old: o, new: n, coarse: true });
            } else {
                compare_by_region((old, o), (new, n), Instant::now() + time_limit, &mut found);
            }
            break;
        }
        remaining.skip_equal_start();
    }
    found.join_surplus()
}

/// The lines of two texts that are not compared yet.
struct UncomparedLines<'a> {
    old: &'a Text,
    new: &'a Text,
    /// The first line of each text that is not compared yet.
    at: (usize, usize),
    /// The line of each text behind the last line that is not compared yet.
    ends: (usize, usize),
    /// The cost of the windows so far.
    cost: usize,
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
        // Only whole lines are skipped.
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
        // Only whole lines are skipped.
        let cut = match begins(old) && begins(new) {
            true => 0,
            false => old[start..].iter().position(|byte| *byte == b'\n').map_or(alike, |end| end + 1),
        };
        let lines = self.ends.0 - self.old.line_at(self.old.start(self.at.0) + start + cut);
        self.ends = (self.ends.0 - lines, self.ends.1 - lines);
    }

    /// Compares a window, and moves to the lines where its texts agree again. Returns false if windows do not
    /// help.
    fn compare_window(&mut self, found: &mut Differences) -> bool {
        let (o, n) = self.at;
        let mut lines = FIRST_WINDOW_LINES;
        loop {
            // If one text has no lines left, the remaining lines of the other text are a difference.
            if o == self.ends.0 || n == self.ends.1 {
                found.push(Difference { old: o..self.ends.0, new: n..self.ends.1, coarse: false });
                self.at = self.ends;
                return true;
            }
            let ends = ((o + lines).min(self.ends.0), (n + lines).min(self.ends.1));
            self.cost += (ends.0 - o) * (ends.1 - n);
            if lines > MAX_WINDOW_LINES || self.cost > MAX_WINDOWS_COST {
                return false;
            }
            let old: Vec<&str> = self.old.each_line(o..ends.0).collect();
            let new: Vec<&str> = self.new.each_line(n..ends.1).collect();
            let ops = compare_by_histogram(&old, 0..old.len(), &new, 0..new.len());
            let agrees_again = |op: &DiffOp| {
                op.tag() == DiffTag::Equal && op.old_range().len() * MIN_AGREEING_DIVISOR >= lines
            };
            let agreement = if ends == self.ends { None } else { ops.iter().position(agrees_again) };
            if agreement.is_none() && ends != self.ends {
                lines *= 4;
                continue;
            }
            for op in ops.iter().take(agreement.unwrap_or(ops.len())).filter(|op| op.tag() != DiffTag::Equal)
            {
                let (old, new) = (op.old_range(), op.new_range());
                let (old, new) = (o + old.start..o + old.end, n + new.start..n + new.end);
                found.push(Difference { old, new, coarse: false });
            }
            let agreement = agreement.map(|index| &ops[index]);
            let behind = |op: &DiffOp| (o + op.old_range().start, n + op.new_range().start);
            self.at = agreement.map_or(ends, behind);
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    fn numbered(lines: Range<usize>) -> String {
        lines.map(|line| format!("{line}\n")).collect()
    }

    fn texts_of(old: &str, new: &str) -> Vec<(String, String)> {
        let (old, new) = (Text::new(old), Text::new(new));
        let found = differences(&old, &new, COMPARISON_TIME);
        let text = |found: Difference| (old.lines(found.old).to_owned(), new.lines(found.new).to_owned());
        found.into_iter().map(text).collect()
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
            let ends = Difference { old: old.len()..old.len(), new: new.len()..new.len(), coarse: false };
            let found = differences(&old, &new, COMPARISON_TIME).into_iter().chain([ends]);
            for Difference { old: differs, new: other, .. } in found {
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

    /// Returns the text with a change on every seventh line.
    fn every_seventh_changed(old: &str) -> String {
        let changed = |(at, line): (usize, &str)| match at % 7 {
            0 => line.replace("word", "WORD"),
            _ => line.to_owned(),
        };
        old.split_inclusive('\n').enumerate().map(changed).collect()
    }

    #[test]
    fn changes_all_over_a_large_text_stay_separate_without_the_time_limit() {
        let unique: String = (0..20_000).map(|line| format!("line {line} has a word\n")).collect();
        // No single line is unique, but runs of several lines are.
        let kinds = std::iter::successors(Some(1_u64), |last| Some(last * 48_271 % 0x7fff_ffff));
        let repeated: String = kinds.take(20_000).map(|kind| format!("{} word\n", kind % 89)).collect();
        for old in [unique, repeated] {
            let (old, new) = (Text::new(old.as_str()), Text::new(every_seventh_changed(&old)));
            let found: Vec<_> = differences(&old, &new, Duration::ZERO).into_iter().collect();
            let expected: Vec<_> = (0..20_000)
                .step_by(7)
                .map(|line| Difference { old: line..line + 1, new: line..line + 1, coarse: false })
                .collect();
            assert_eq!(expected.len(), 2_858);
            assert!(found == expected, "{} differences", found.len());
        }
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
