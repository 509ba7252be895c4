//! A POST that the main loop does not know yet. It may say that the agent has moved on from an outcome.

use crate::events::{Event, Events};

/// Tells the main loop when it is dropped, however reading the POST ends.
#[derive(Debug)]
pub(super) struct UnreadRequest {
    events: Events,
    session: String,
}

impl UnreadRequest {
    pub(super) fn new(events: Events, session: String) -> Self {
        Self { events, session }
    }
}

impl Drop for UnreadRequest {
    fn drop(&mut self) {
        self.events.send(Event::RequestRead { session: std::mem::take(&mut self.session) });
    }
}
