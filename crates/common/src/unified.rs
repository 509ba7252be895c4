//! Unified diffs for people to read. They use the parts of `similar`: its `TextDiff` would link every diff
//! algorithm into the program, twice.

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{Change, group_diff_ops};

/// Changed lines with the unchanged lines around them.
pub struct Hunk<'t> {
    /// The position: `@@ -1,2 +1,3 @@`.
    pub header: String,
    /// Lines with their line ends; the last line of a text may have none.
    pub lines: Vec<Change<&'t str>>,
}

/// The differences between two texts, with `around` unchanged lines on each side.
pub fn hunks<'t>(before: &'t str, after: &'t str, around: usize) -> Vec<Hunk<'t>> {
    let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let mut ops = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let Ok(()) = myers::diff_deadline(&mut ops, &old[..], 0..old.len(), &new[..], 0..new.len(), None);
    let groups = group_diff_ops(ops.into_inner().into_inner().into_ops(), around);
    let hunk = |ops: &Vec<_>| Hunk {
        header: UnifiedHunkHeader::new(ops).to_string(),
        lines: ops.iter().flat_map(|op| op.iter_changes(&old[..], &new[..])).collect(),
    };
    groups.iter().map(hunk).collect()
}
