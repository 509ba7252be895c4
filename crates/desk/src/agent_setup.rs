//! The set-up of agents, as desks offer it: for each agent whose settings keep its proposals from the person,
//! the change of settings that corrects this. A desk shows the change and asks; the program makes it.

use std::fmt;
use std::pin::Pin;

/// A change of an agent's settings that a person may confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsOffer {
    /// The name of the change, for [`AgentSetup::make`].
    pub id: String,
    /// The agent's name.
    pub agent: String,
    /// Whether the agent finds no companion without the change.
    pub connects: bool,
    /// The reason for the change, in a sentence.
    pub fact: String,
    /// The question that the person answers.
    pub question: String,
    /// The change as a unified diff, harmless to show.
    pub preview: String,
    /// The change in one line, as in `ide.enabled = true in ~/.gemini/settings.json`; empty if the settings
    /// cannot be read.
    pub summary: String,
}

impl SettingsOffer {
    /// Returns the names of the agents that find no companion, joined for a sentence; `None` if all do.
    pub fn unconnected(offers: &[Self]) -> Option<String> {
        let names: Vec<_> =
            offers.iter().filter(|offer| offer.connects).map(|offer| offer.agent.as_str()).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    }
}

/// The result of a search for agents, or of a change.
#[derive(Debug)]
pub enum SetupReply {
    /// The changes that the installed agents need.
    Offers(Vec<SettingsOffer>),
    /// No agent is installed.
    NoAgent,
    /// The sentence about a change that was made, or about its failure.
    Made(Result<String, String>),
}

/// The future reply of an [`AgentSetup`].
pub type SetupFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Searches for agents to set up, and changes their settings.
pub trait AgentSetup: fmt::Debug + Send + Sync {
    /// Returns the changes that the installed agents need, in the order in which a person is asked.
    fn offers(&self) -> SetupFuture<Vec<SettingsOffer>>;

    /// Returns the changes that the installed agents need, for a search every few seconds: runs no agent's
    /// program. If only a program could report a version, uses the one that [`offers`](Self::offers) found
    /// last. An implementation whose `offers` runs no program need not have this method.
    fn quick_offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        self.offers()
    }

    /// Whether an agent is installed that can be set up. No program runs.
    fn has_agent(&self) -> bool;

    /// Makes the change of an offer, if it is still the one that `preview` shows. Returns a sentence about
    /// it.
    ///
    /// # Errors
    /// A sentence with its cause, when the settings have changed since or cannot be written.
    fn make(&self, id: &str, preview: &str) -> SetupFuture<Result<String, String>>;
}
