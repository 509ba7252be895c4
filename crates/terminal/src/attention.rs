//! Whether the person looks at the desk: what the companion hears of it, and when a review is announced
//! outside the screen. Both at most once a second.

use crossterm::event::Event;
use tokio::time::{Duration, Instant};

/// The companion hears at most this often that the person has turned to this desk.
const FOCUS_INTERVAL: Duration = Duration::from_secs(1);

/// A review is announced outside the screen at most this often.
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
        // A terminal that reports no focus is taken for focused: then every event means so.
        self.is_elsewhere = matches!(event, Event::FocusLost);
    }

    /// The person turned to this desk. True if the companion is to hear it.
    pub(crate) fn take_turn(&mut self, at: Instant) -> bool {
        let is_news = self.focused.is_none_or(|focused| at >= focused + FOCUS_INTERVAL);
        if is_news {
            self.focused = Some(at);
        }
        is_news
    }

    /// A review has come. True if it is to be announced outside the screen.
    pub(crate) fn take_announcement(&mut self, now: Instant) -> bool {
        let is_due = self.notified.is_none_or(|last| now >= last + NOTIFY_INTERVAL);
        let announces = self.is_elsewhere && is_due;
        if announces {
            self.notified = Some(now);
        }
        announces
    }
}
