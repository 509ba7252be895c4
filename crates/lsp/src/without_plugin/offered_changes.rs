//! The changes of agents' settings that code actions offer.

use alongside_desk::agent_setup::Offer;

/// The changes that code actions offer.
#[derive(Debug, Default)]
pub(super) struct OfferedChanges {
    pub(super) offers: Vec<Offer>,
    /// Whether the person has heard of them.
    pub(super) is_announced: bool,
}
