//! The changes that the person dropped, listed before they accept the rest: a file is never written without
//! them unawares.

use std::path::PathBuf;

use alongside_desk::{Hunk, HunkState, Review, ReviewId, Text, harmless, messages};
use alongside_terminal::cut_at;

use super::changed_line::TAB;
use super::printer::Look;

/// The number of changes that are listed where the rows of the screen are not known.
const MOST: usize = 20;

/// Rows of the screen that the list leaves to the sentences around it.
const OTHER_ROWS: usize = 6;

/// The columns of a row where those of the screen are not known.
const COLUMNS: usize = 80;

/// The dropped changes that were listed last.
#[derive(Debug, Default)]
pub(super) struct DroppedList {
    printed: Option<(ReviewId, u64)>,
}

impl DroppedList {
    /// The number of dropped changes that were not listed as they are now; 0 if all changes are dropped.
    pub(super) fn unlisted(&self, review: &Review) -> usize {
        let is_listed = self.printed == Some((review.id, review.revision));
        if is_listed { 0 } else { dropped(review).count() }
    }

    /// The list is to be printed again.
    pub(super) fn forget(&mut self) {
        self.printed = None;
    }

    /// The list of dropped changes, which is printed now: each with its place and its first words.
    pub(super) fn take(&mut self, review: &Review, roots: &[PathBuf], look: Look) -> Option<String> {
        let all: Vec<_> = dropped(review).collect();
        self.printed = Some((review.id, review.revision));
        let most = look.rows.map_or(MOST, |rows| rows.saturating_sub(OTHER_ROWS).max(1));
        let mut rows: Vec<_> = all.iter().take(most).map(|hunk| row(review, hunk, roots, look)).collect();
        let more = all.len() - rows.len();
        rows.extend((more > 0).then(|| format!("  ... and {more} more that you dropped")));
        (!rows.is_empty()).then(|| rows.join("\n"))
    }
}

/// The dropped changes of a review; none if all are dropped.
fn dropped(review: &Review) -> impl Iterator<Item = &Hunk> {
    let is_dropped = |hunk: &&Hunk| hunk.state == HunkState::Dropped;
    let is_left = !review.hunks.iter().all(|hunk| is_dropped(&hunk));
    review.hunks.iter().filter(move |hunk| is_left && is_dropped(hunk))
}

fn row(review: &Review, hunk: &Hunk, roots: &[PathBuf], look: Look) -> String {
    let name = messages::file_name(&review.file, roots);
    let original = Text::new(review.original.clone().unwrap_or_default());
    let proposed = Text::new(review.proposed.clone());
    let (sign, text, lines) = match hunk.proposed.is_empty() {
        true => ('-', &original, hunk.original),
        false => ('+', &proposed, hunk.proposed),
    };
    let first = text.each_line(lines.start..lines.end).map(str::trim).find(|line| !line.is_empty());
    let row =
        format!("  dropped: {name}:{} {sign}{}", hunk.current.start + 1, harmless::name(first.unwrap_or("")));
    match cut_at(&row, look.columns.unwrap_or(COLUMNS), (0, TAB)) {
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
    fn dropped_changes_are_listed_once_with_their_first_words_as_far_as_they_fit() {
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
        let look = Look { inks, columns: None, rows: None };
        assert_eq!(list.unlisted(&review), 2);
        let listed = list.take(&review, &roots, look).unwrap();
        assert_eq!(listed, "  dropped: a.rs:1 +ONE\\x1b\n  dropped: a.rs:3 -three");
        assert_eq!(list.unlisted(&review), 0);
        review.revision += 1;
        assert_eq!(list.unlisted(&review), 2, "another text");
        let low = Look { columns: Some(20), rows: Some(7), ..look };
        let listed = list.take(&review, &roots, low).unwrap();
        assert_eq!(listed, "  dropped: a.rs:1 +…\n  ... and 1 more that you dropped");
        review.hunks.pop();
        assert_eq!(list.take(&review, &roots, look), None, "nothing is left");
    }
}
