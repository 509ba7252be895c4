//! The content of a frame. Once the frame is on the screen, the desk notes this content as seen.

use alongside_desk::ReviewId;
use tokio::time::Instant;

use crate::areas::Areas;
use crate::output::Output;
use crate::overlays::{Overlay, ShownOverlays};
use crate::review_page::ShownLine;
use crate::review_view::ReviewView;
use crate::reviews::Reviews;

/// The content of a frame.
#[derive(Debug, Default)]
pub(crate) struct ShownFrame {
    /// See [`KeyGate::current`](crate::key_gate::KeyGate::current).
    change: u64,
    /// The review and its revision; `None` if an overlay covers the review.
    review: Option<(ReviewId, u64)>,
    /// The lines of the review's changes.
    lines: Vec<ShownLine>,
    overlays: ShownOverlays,
    /// The number of the message on the status line.
    message: Option<u64>,
    /// The path of the file of a turn on the screen, if the file has no text to show.
    file: Option<String>,
}

impl ShownFrame {
    /// The content of a frame that is drawn now.
    pub(crate) fn of(reviews: &Reviews, out: &Output, areas: &Areas) -> Self {
        let change = out.keys.current();
        if areas.too_small {
            return Self { change, ..Self::default() };
        }
        let view = reviews.current().filter(|_| out.overlays.cover().is_none());
        let has_room = !out.overlays.front().is_some_and(Overlay::has_status_line);
        Self {
            change,
            review: view.map(|view| (view.review().id, view.review().revision)),
            lines: view.and_then(shown_lines).unwrap_or_default(),
            overlays: out.overlays.shown(areas.main.height),
            message: out.messages.current_number().filter(|_| has_room),
            file: reviews.turn().file_without_text().filter(|_| out.overlays.cover().is_none()),
        }
    }

    /// Notes that the frame is on the screen.
    pub(crate) fn mark_shown(&self, now: Instant, reviews: &mut Reviews, out: &mut Output) {
        out.keys.mark_drawn(self.change, now);
        if let Some((id, revision)) = self.review
            && let Some(view) = reviews.view_mut(id)
        {
            view.mark_seen(revision, &self.lines);
        }
        if let (Some(path), Some(files)) = (&self.file, reviews.turn_mut().files_mut()) {
            files.mark_shown(path);
        }
        out.overlays.mark_shown(&self.overlays);
        if let Some(number) = self.message {
            out.messages.mark_shown(number, now);
        }
    }
}

fn shown_lines(view: &ReviewView) -> Option<Vec<ShownLine>> {
    Some(ShownLine::all_in(view.page()?, view.rows()))
}
