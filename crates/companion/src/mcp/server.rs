//! The state that the handlers of all requests share.

use std::sync::Arc;

use crate::events::Events;
use crate::reviews::proposal_queue::ProposalQueue;

/// The shared state.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) events: Events,
    /// The largest request body in bytes.
    pub(crate) max_body: usize,
    pub(crate) proposals: Arc<ProposalQueue>,
    /// Whether agents get no reviews, so that no tool opens one.
    pub(crate) context_only: bool,
}
