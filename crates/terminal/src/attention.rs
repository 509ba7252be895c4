//! Tracks whether the terminal has the focus. Decides when the desk reports the focus to the companion, and
//! when it announces a review outside the screen, each at most once a second.

use crossterm::event::Event;
use tokio::time::{Duration, Instant};

/// The least time between two reports of the focus to the companion.
const FOCUS_INTERVAL: Duration = Duration::from_secs(1);

/// The least time between two announcements outside the screen.
const NOTIFY_INTERVAL: Duration = Duration::from_secs(1);

/// The focus of the terminal, and the times of the last report and the last announcement.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    /// Whether the last event of the terminal reported that the focus was lost.
    has_lost_focus: bool,
    /// The time of the last report of the focus to the companion.
    last_reported: Option<Instant>,
    /// The time of the last announcement outside the screen.
    last_announced: Option<Instant>,
}

impl Attention {
    /// Updates the focus by an event of the terminal.
    pub(crate) fn take_event(&mut self, event: &Event) {
        // Any other event comes from the person, so the terminal has the focus. A terminal that reports no
        // focus always counts as focused.
        self.has_lost_focus = matches!(event, Event::FocusLost);
    }

    /// Notes that the person turned to this desk. Returns whether to report the focus to the companion.
    pub(crate) fn note_focus(&mut self, at: Instant) -> bool {
        let is_due = self.last_reported.is_none_or(|last| at >= last + FOCUS_INTERVAL);
        if is_due {
            self.last_reported = Some(at);
        }
        is_due
    }

    /// Notes that a review has arrived. Returns whether to announce it outside the screen.
    pub(crate) fn note_arrival(&mut self, now: Instant) -> bool {
        let is_due = self.last_announced.is_none_or(|last| now >= last + NOTIFY_INTERVAL);
        let announces = self.has_lost_focus && is_due;
        if announces {
            self.last_announced = Some(now);
        }
        announces
    }
}
