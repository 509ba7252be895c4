//! The consequences of turn reviews, for the main loop to carry out in their order.

use std::collections::BTreeSet;

use alongside_desk::{CallAnswer, Event, Refusal};

use super::job::TurnJob;
use crate::ids::DeskId;

#[derive(Debug)]
pub(crate) enum TurnEffect {
    /// Do this work beside the loop. Its result comes back as an event.
    Work(Box<TurnJob>),
    /// Watch for the end of this process, of an agent that is at work.
    WatchAgent(u32),
    /// Tell these desks.
    Tell(BTreeSet<DeskId>, Box<Event>),
    /// Answer a request, with the new revision of the turn review or of the open file.
    Answer(CallAnswer, Result<u64, Refusal>),
}
