//! Knows whether the person looks at the desk. Says when the companion is to be told so, and when a review
//! is to be announced outside the screen, each at most once a second.

use crossterm::event::Event;
use tokio::time::{Duration, Instant};

/// The least time between two messages to the companion that the person has turned to this desk.
const FOCUS_INTERVAL: Duration = Duration::from_secs(1);

/// The least time between two announcements outside the screen.
const NOTIFY_INTERVAL: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    /// Whether the terminal has lost the focus, as far as it says so.
    is_elsewhere: bool,
    /// When the companion last heard that the person turned to this desk.
    focused: Option<Instant>,
    /// When a review was last announced outside the screen.
    notified: Option<Instant>,
}

impl Attention {
    /// Takes an event of the terminal.
    pub(crate) fn take_event(&mut self, event: &Event) {
        // Any other event comes from the person. A terminal that reports no focus always counts as focused.
        self.is_elsewhere = matches!(event, Event::FocusLost);
    }

    /// Notes that the person turned to this desk. Returns whether the companion is to be told.
    pub(crate) fn take_turn(&mut self, at: Instant) -> bool {
        let is_news = self.focused.is_none_or(|focused| at >= focused + FOCUS_INTERVAL);
        if is_news {
            self.focused = Some(at);
        }
        is_news
    }

    /// Notes that a review has come. Returns whether it is to be announced outside the screen.
    pub(crate) fn take_announcement(&mut self, now: Instant) -> bool {
        let is_due = self.notified.is_none_or(|last| now >= last + NOTIFY_INTERVAL);
        let announces = self.is_elsewhere && is_due;
        if announces {
            self.notified = Some(now);
        }
        announces
    }
}
