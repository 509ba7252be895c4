//! The changes of settings that agents need, as the desk last found them, and the one that it asks about.

use std::collections::BTreeSet;

use alongside_desk::agent_setup::Offer;

/// The changes that agents need, and the one that the person is asked about.
#[derive(Debug, Default)]
pub(crate) struct AgentOffers {
    /// The changes that the last look found.
    pub(crate) offers: Vec<Offer>,
    /// Why the reply to the next look opens one.
    pub(crate) opening: Option<Opening>,
    /// The look that is under way.
    pub(crate) look: Option<Look>,
    /// The settings may have changed since that look began: another one follows it.
    pub(crate) look_again: bool,
    /// The change on the screen.
    pub(crate) open: Option<OpenOffer>,
    /// The offers that the person has answered since they opened the first one.
    pub(crate) answered: BTreeSet<String>,
}

/// A look for agents to set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A program may have to run to say its version.
    Thorough,
    /// It costs next to nothing, and comes every few seconds.
    Quick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The person asked for it.
    Asked,
    /// The change before was made.
    Next,
}

/// A change that the person is asked about.
#[derive(Debug)]
pub(crate) struct OpenOffer {
    pub(crate) offer: Offer,
    /// Whether the question has been on the screen.
    pub(crate) seen: bool,
    /// Whether the person agreed, and the change is under way.
    pub(crate) is_agreed: bool,
    /// The first row on the screen.
    pub(crate) top: usize,
}

impl AgentOffers {
    /// The first change that the person has not answered.
    pub(crate) fn next_unanswered(&self) -> Option<Offer> {
        self.offers.iter().find(|offer| !self.answered.contains(&offer.id)).cloned()
    }
}

impl OpenOffer {
    /// A change that has not been on the screen.
    pub(crate) fn new(offer: Offer) -> Self {
        Self { offer, seen: false, is_agreed: false, top: 0 }
    }
}
