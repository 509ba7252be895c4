//! The consequences of turn reviews, for the main loop to carry out in their order.

use std::collections::BTreeSet;

use alongside_desk::{CallAnswer, Event, Refusal};

use super::job::TurnJob;
use crate::ids::DeskId;

/// A consequence of turn reviews.
#[derive(Debug)]
pub(crate) enum TurnEffect {
    /// Run this job beside the main loop. Its result returns as an event.
    Run(Box<TurnJob>),
    /// Watch for the end of this process of an agent at work.
    WatchAgent(u32),
    /// Send this event to these desks.
    Send(BTreeSet<DeskId>, Box<Event>),
    /// Answer a request, with the new revision of the turn review or of the open file.
    Answer(CallAnswer, Result<u64, Refusal>),
}
