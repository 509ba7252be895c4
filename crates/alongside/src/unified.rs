//! Unified diffs, for people to read. Made of the parts of `similar`: its `TextDiff` has every algorithm
//! there is in the program, twice.

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{Change, group_diff_ops};

/// A stretch of changes, and so many lines around them.
pub(crate) struct Hunk<'t> {
    /// Where it is: `@@ -1,2 +1,3 @@`.
    pub(crate) header: String,
    /// Lines with their ends; the last of a text may have none.
    pub(crate) lines: Vec<Change<&'t str>>,
}

/// What differs between two texts, with `around` lines of what does not on each side.
pub(crate) fn hunks<'t>(before: &'t str, after: &'t str, around: usize) -> Vec<Hunk<'t>> {
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
