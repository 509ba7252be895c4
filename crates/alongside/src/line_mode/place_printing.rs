//! Prints the person's place in a review: the change, page by page, or the summary after the last change.

use std::path::PathBuf;

use alongside_desk::Review;
use alongside_desk::review_model::OpenReview;

use super::dropped_list::DroppedList;
use super::pages::layout_below;
use super::printed::PrintedReviews;
use super::printer::{Layout, Printer, wrapped};
use super::{letters, render};

/// Prints places, and stores which explanation and which list the person has read.
#[derive(Debug, Default)]
pub(super) struct PlacePrinting {
    dropped: DroppedList,
    /// Whether the sign of neighbouring lines was explained.
    has_explained_sign: bool,
}

impl PlacePrinting {
    /// Prints the place of the person in a review, in the rows of the layout.
    pub(super) fn print(
        &mut self,
        open: &OpenReview,
        printed: &mut PrintedReviews,
        printer: &mut Printer,
        (roots, layout): (&[PathBuf], Layout),
    ) {
        let (review, at) = (open.review(), printed.paging().at());
        let mut pages = render::place(review, open.hunk(), at, layout);
        let needs_explanation = !self.has_explained_sign && pages.iter().any(|page| page.has_neighbours);
        if needs_explanation {
            // The explanation takes rows from the change.
            let layout = layout_below(layout, &wrapped(letters::NEIGHBOUR_LEGEND, layout));
            pages = render::place(review, open.hunk(), at, layout);
            self.has_explained_sign = true;
        }
        printed.add(review, &pages);
        for page in &pages {
            printer.show(&page.text);
        }
        if needs_explanation {
            printer.say(letters::NEIGHBOUR_LEGEND);
        }
        if review.hunks.get(open.hunk()).is_none() {
            printer.say(&render::summary(review, printed.seen(review), roots));
            self.dropped.forget();
            self.list_dropped(review, printer, roots);
        }
    }

    /// Prints the dropped changes of a review, unless this revision was listed before. Returns their number.
    pub(super) fn list_dropped(
        &mut self,
        review: &Review,
        printer: &mut Printer,
        roots: &[PathBuf],
    ) -> usize {
        let (unlisted, layout) = (self.dropped.unlisted(review), printer.layout());
        if let Some(list) = self.dropped.next_list(review, roots, layout).filter(|_| unlisted > 0) {
            printer.show(&list);
        }
        unlisted
    }
}
