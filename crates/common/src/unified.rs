//! Unified diffs for people. They use parts of `similar`, because its `TextDiff` would link every diff
//! algorithm into the program, twice.

use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{Change, DiffOp, group_diff_ops};

/// Changed lines with the unchanged lines around them.
pub struct Hunk<'t> {
    /// The position: `@@ -1,2 +1,3 @@`.
    pub header: String,
    /// Lines with their line ends; the last line of a text may have none.
    pub lines: Vec<Change<&'t str>>,
}

/// Computes the differences between two texts, with `around` unchanged lines on each side.
pub fn hunks<'t>(before: &'t str, after: &'t str, around: usize) -> Vec<Hunk<'t>> {
    let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let mut ops = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let Ok(()) = myers::diff_deadline(&mut ops, &old[..], 0..old.len(), &new[..], 0..new.len(), None);
    let groups = group_diff_ops(ops.into_inner().into_inner().into_ops(), around);
    let hunk = |ops: &Vec<_>| Hunk {
        header: header(ops),
        lines: ops.iter().flat_map(|op| op.iter_changes(&old[..], &new[..])).collect(),
    };
    groups.iter().map(hunk).collect()
}

/// Returns the header with the lines of a hunk in both texts.
fn header(ops: &[DiffOp]) -> String {
    let lines = |side: fn(&DiffOp) -> Range<usize>| {
        let start = ops.first().map(side).unwrap_or_default().start;
        let end = ops.last().map(side).unwrap_or_default().end;
        // Lines are counted from 1. An empty run has the number of the line before it.
        match end.saturating_sub(start) {
            1 => format!("{end}"),
            0 => format!("{start},0"),
            count => format!("{},{count}", start + 1),
        }
    };
    format!("@@ -{} +{} @@", lines(DiffOp::old_range), lines(DiffOp::new_range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_the_lines_of_both_texts() {
        let headers = |before: &str, after: &str| -> Vec<String> {
            hunks(before, after, 1).into_iter().map(|hunk| hunk.header).collect()
        };
        assert_eq!(headers("a\nb\nc\nd\n", "a\nB\nc\nd\n"), ["@@ -1,3 +1,3 @@"]);
        assert_eq!(headers("", "a\nb\n"), ["@@ -0,0 +1,2 @@"]);
        assert_eq!(headers("a\n", ""), ["@@ -1 +0,0 @@"]);
        assert_eq!(headers("a", "b"), ["@@ -1 +1 @@"]);
        let before: String = (1..=9).map(|number| format!("{number}\n")).collect();
        let after = before.replace("2\n", "").replace("8\n", "8\n8.5\n");
        assert_eq!(headers(&before, &after), ["@@ -1,3 +1,2 @@", "@@ -8,2 +7,3 @@"]);
        assert!(headers("a\n", "a\n").is_empty());
    }
}
