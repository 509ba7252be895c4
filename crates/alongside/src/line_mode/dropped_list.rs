//! Lists the dropped changes before the person accepts the other changes of a file, so that no change is
//! dropped by mistake.

use std::path::PathBuf;

use alongside_desk::{Hunk, HunkState, Review, ReviewId, harmless, messages};
use alongside_terminal::cut_at;

use super::changed_line::TAB_COLUMNS;
use super::printer::Layout;

/// The most listed changes if the rows of the screen are unknown.
const DEFAULT_MAX_LISTED: usize = 20;

/// The rows of the screen for the sentences around the list.
const OTHER_ROWS: usize = 6;

/// The columns of a row if the columns of the screen are unknown.
const DEFAULT_COLUMNS: usize = 80;

/// The latest list of dropped changes.
#[derive(Debug, Default)]
pub(super) struct DroppedList {
    /// The review and the revision of the latest list.
    printed: Option<(ReviewId, u64)>,
}

impl DroppedList {
    /// Returns the number of dropped changes that were not listed at this revision; 0 if all changes are
    /// dropped.
    pub(super) fn unlisted(&self, review: &Review) -> usize {
        let is_listed = self.printed == Some((review.id, review.revision));
        if is_listed { 0 } else { dropped(review).count() }
    }

    /// Has the list printed again next time.
    pub(super) fn forget(&mut self) {
        self.printed = None;
    }

    /// Returns the list of dropped changes, each with its place and first words, and stores that it is
    /// printed.
    pub(super) fn next_list(&mut self, review: &Review, roots: &[PathBuf], layout: Layout) -> Option<String> {
        let all: Vec<_> = dropped(review).collect();
        self.printed = Some((review.id, review.revision));
        let max = layout.rows.map_or(DEFAULT_MAX_LISTED, |rows| rows.saturating_sub(OTHER_ROWS).max(1));
        let mut rows: Vec<_> = all.iter().take(max).map(|hunk| row(review, hunk, roots, layout)).collect();
        let more = all.len() - rows.len();
        rows.extend((more > 0).then(|| format!("  ... and {more} more that you dropped")));
        (!rows.is_empty()).then(|| rows.join("\n"))
    }
}

/// Returns the dropped changes of a review; none if all changes are dropped.
fn dropped(review: &Review) -> impl Iterator<Item = &Hunk> {
    let is_dropped = |hunk: &&Hunk| hunk.state == HunkState::Dropped;
    let has_undropped = !review.hunks.iter().all(|hunk| is_dropped(&hunk));
    review.hunks.iter().filter(move |hunk| has_undropped && is_dropped(hunk))
}

fn row(review: &Review, hunk: &Hunk, roots: &[PathBuf], layout: Layout) -> String {
    let name = messages::file_name(&review.file, roots);
    let [original, proposed, _] = review.texts();
    let (sign, text, lines) = match hunk.proposed.is_empty() {
        true => ('-', &original, hunk.original),
        false => ('+', &proposed, hunk.proposed),
    };
    let first = text.each_line(lines.start..lines.end).map(str::trim).find(|line| !line.is_empty());
    let row =
        format!("  dropped: {name}:{} {sign}{}", hunk.current.start + 1, harmless::name(first.unwrap_or("")));
    match cut_at(&row, layout.columns.unwrap_or(DEFAULT_COLUMNS), (0, TAB_COLUMNS)) {
        Some(end) => format!("{}…", &row[..end]),
        None => row,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::line_mode::printer::Inks;

    #[test]
    fn dropped_changes_are_listed_once_and_shortened_to_fit() {
        let dropped = |original: Range<usize>, proposed: Range<usize>| {
            let (original, proposed) = (original.into(), proposed.into());
            Hunk { original, proposed, current: original, state: HunkState::Dropped, ..Hunk::default() }
        };
        let mut review = Review {
            file: "/p/a.rs".into(),
            original: Some("one\ntwo\nthree\n".into()),
            proposed: "\n  ONE\u{1b}\ntwo\nnew\n".into(),
            current: "one\ntwo\nthree\nnew\n".into(),
            hunks: vec![
                dropped(0..1, 0..2),
                dropped(2..3, 3..3),
                Hunk { proposed: (3..4).into(), ..Hunk::default() },
            ],
            ..Review::default()
        };
        let mut list = DroppedList::default();
        let (roots, inks) = ([PathBuf::from("/p")], Inks { on: false });
        let layout = Layout { inks, columns: None, rows: None };
        assert_eq!(list.unlisted(&review), 2);
        let listed = list.next_list(&review, &roots, layout).unwrap();
        assert_eq!(listed, "  dropped: a.rs:1 +ONE\\x1b\n  dropped: a.rs:3 -three");
        assert_eq!(list.unlisted(&review), 0);
        review.revision += 1;
        assert_eq!(list.unlisted(&review), 2, "the revision is another one");
        let low = Layout { columns: Some(20), rows: Some(7), ..layout };
        let listed = list.next_list(&review, &roots, low).unwrap();
        assert_eq!(listed, "  dropped: a.rs:1 +…\n  ... and 1 more that you dropped");
        review.hunks.pop();
        assert_eq!(list.next_list(&review, &roots, layout), None, "all changes are dropped");
    }
}
