//! When to check next whether agents have written awaited drafts: each check waits twice as long.

use std::time::Duration;

use tokio::time::Instant;

/// How long until the first check.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause. After it the checks end; the next start and `alongside drafts` check once more.
const LAST_PAUSE: Duration = Duration::from_secs(256);

#[derive(Debug, Clone, Copy)]
pub(super) struct DraftCheck {
    at: Instant,
    /// How long the check has waited.
    pause: Duration,
}

impl DraftCheck {
    /// The check at a start: drafts of companions before may be written by now.
    pub(super) fn at_start(now: Instant) -> Self {
        Self { at: now, pause: FIRST_PAUSE }
    }

    pub(super) fn soon() -> Self {
        Self { at: Instant::now() + FIRST_PAUSE, pause: FIRST_PAUSE }
    }

    /// The check after this one; `None` after the last.
    pub(super) fn next(self) -> Option<Self> {
        let pause = self.pause * 2;
        (pause <= LAST_PAUSE).then(|| Self { at: Instant::now() + pause, pause })
    }

    pub(super) fn at(self) -> Instant {
        self.at
    }
}
