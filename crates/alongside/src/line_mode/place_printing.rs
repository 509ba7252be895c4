//! Prints the person's place in a review: the change, page by page, or the summary behind the last one.

use std::path::PathBuf;

use alongside_desk::Review;
use alongside_desk::review_model::OpenReview;

use super::dropped_list::DroppedList;
use super::pages::below;
use super::printed::PrintedReviews;
use super::printer::{Look, Printer, wrapped};
use super::{letters, render};

/// The words that this desk has told the person so far, beside the reviews themselves.
#[derive(Debug, Default)]
pub(super) struct PlacePrinting {
    dropped: DroppedList,
    /// The sign of neighbouring lines was explained.
    has_explained: bool,
}

impl PlacePrinting {
    /// Prints the place of the person in a review, in the rows of a look.
    pub(super) fn print(
        &mut self,
        open: &OpenReview,
        printed: &mut PrintedReviews,
        printer: &mut Printer,
        (roots, look): (&[PathBuf], Look),
    ) {
        let (review, at) = (open.review(), printed.paging().at());
        let mut pages = render::place(review, open.hunk(), at, look);
        let explains = !self.has_explained && pages.iter().any(|page| page.has_neighbours);
        if explains {
            // The explanation takes a row, which the change then lacks.
            let look = below(look, &wrapped(letters::NEIGHBOURS, look));
            pages = render::place(review, open.hunk(), at, look);
            self.has_explained = true;
        }
        printed.add(review, &pages);
        for page in &pages {
            printer.show(&page.text);
        }
        if explains {
            printer.say(letters::NEIGHBOURS);
        }
        if review.hunks.get(open.hunk()).is_none() {
            printer.say(&render::summary(review, printed.seen(review), roots));
            self.dropped.forget();
            self.list_dropped(review, printer, roots);
        }
    }

    /// Lists the dropped changes of a review that were not listed as they are now. Returns how many.
    pub(super) fn list_dropped(
        &mut self,
        review: &Review,
        printer: &mut Printer,
        roots: &[PathBuf],
    ) -> usize {
        let (unlisted, look) = (self.dropped.unlisted(review), printer.look());
        if let Some(list) = self.dropped.take(review, roots, look).filter(|_| unlisted > 0) {
            printer.show(&list);
        }
        unlisted
    }
}
