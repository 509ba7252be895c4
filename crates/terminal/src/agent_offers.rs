//! The set-up of agents at the desk: searches for agents whose settings keep them from the companion, and
//! asks the person to confirm each change of these settings, one after the other.

use std::collections::BTreeSet;

use alongside_desk::agent_setup::{SettingsOffer, SetupReply};
use alongside_desk::review_model::{Message, Subject};
use crossterm::event::{KeyCode, KeyEvent};

use crate::keys::{Action, Answer};
use crate::output::{AgentSearch, Effect, Output};
use crate::overlays::Overlay;
use crate::overlays::settings_offer::OpenOffer;
use crate::words::messages;

/// The offered changes of agents' settings. An overlay shows the change that the person is asked to confirm.
#[derive(Debug)]
pub(crate) struct AgentOffers {
    /// Whether the program around the desk can search for agents.
    is_available: bool,
    /// The changes that the last search found.
    offers: Vec<SettingsOffer>,
    search_state: SearchState,
    /// The reason for showing an offer after the search that is under way; `None` if none is shown.
    show_reason: Option<ShowReason>,
    /// The offers that the person has answered since they opened the first one.
    answered: BTreeSet<String>,
}

/// Whether a search is under way, and which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchState {
    Idle,
    Quick,
    Thorough,
    /// The settings may have changed since the search began, so a thorough search follows it.
    RestartWhenDone,
}

/// The reason for showing an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShowReason {
    /// The person pressed the key for the set-up.
    Asked,
    /// The previous change was made, so the next one follows.
    Next,
}

impl AgentOffers {
    /// Creates a state without offers. `is_available`: whether the program around the desk can search for
    /// agents.
    pub(crate) fn new(is_available: bool) -> Self {
        let (search_state, show_reason) = (SearchState::Idle, None);
        Self { is_available, offers: Vec::new(), search_state, show_reason, answered: BTreeSet::new() }
    }

    /// The changes that the last search found.
    pub(crate) fn offers(&self) -> &[SettingsOffer] {
        &self.offers
    }

    /// Starts a thorough search for agents to set up, or schedules one if a quick search is under way. Does
    /// nothing if a thorough search is under way.
    pub(crate) fn search_thoroughly(&mut self, out: &mut Output) {
        match self.search_state {
            SearchState::Idle => self.start_search(AgentSearch::Thorough, out),
            SearchState::Quick => self.search_state = SearchState::RestartWhenDone,
            SearchState::Thorough | SearchState::RestartWhenDone => {}
        }
    }

    /// Starts a search. No other search may be under way.
    pub(crate) fn start_search(&mut self, search: AgentSearch, out: &mut Output) {
        self.search_state = match search {
            AgentSearch::Quick => SearchState::Quick,
            AgentSearch::Thorough => SearchState::Thorough,
        };
        out.add_effect(Effect::SearchForAgents(search));
    }

    /// Whether a search in the background may start: no other search is under way, and no offer is shown.
    pub(crate) fn is_idle(&self, out: &Output) -> bool {
        let is_open = matches!(out.overlays.cover(), Some(Overlay::Offer(_)));
        self.is_available && self.search_state == SearchState::Idle && self.show_reason.is_none() && !is_open
    }

    /// Searches for agents, and then shows the first offer, because the person pressed the key for it.
    /// `no_agent_connected`: whether no agent is connected.
    pub(crate) fn open(&mut self, no_agent_connected: bool, out: &mut Output) {
        if !self.is_available {
            return out.say(nothing_to_set_up_message(no_agent_connected));
        }
        self.answered.clear();
        self.show_reason = Some(ShowReason::Asked);
        out.answer(Message::notice(messages::SEARCHING_FOR_AGENTS).about(Subject::AgentSetup));
        self.search_thoroughly(out);
    }

    /// Handles a key during a search that the person started. Returns true if the key is consumed.
    pub(crate) fn take_key_while_searching(
        &mut self,
        key: KeyEvent,
        action: Option<Action>,
        out: &mut Output,
    ) -> bool {
        match (self.show_reason, key.code, action) {
            (None | Some(ShowReason::Next), ..) => return false,
            (_, KeyCode::Char('y' | 'Y' | 'n' | 'N'), _) => {
                out.warn(alongside_desk::messages::TYPED_TOO_SOON);
                return true;
            }
            (.., Some(Action::SetUpAgents)) => return true,
            (_, KeyCode::Esc, _) | (.., Some(_)) => {}
            (.., None) => return false,
        }
        // Any other key with a meaning cancels the set-up.
        self.show_reason = None;
        out.messages.end(Subject::AgentSetup);
        key.code == KeyCode::Esc || action == Some(Action::Leave)
    }

    /// Handles the result of a search, or of a change of settings.
    pub(crate) fn take_reply(&mut self, reply: SetupReply, no_agent_connected: bool, out: &mut Output) {
        match reply {
            SetupReply::Offers(offers) => {
                self.take_offers(offers, nothing_to_set_up_message(no_agent_connected), out)
            }
            SetupReply::NoAgent => self.take_offers(Vec::new(), messages::NO_AGENT_INSTALLED, out),
            SetupReply::Made(made) => {
                match made {
                    Ok(message) => out.answer(Message::notice(message).about(Subject::AgentSetup)),
                    Err(message) => out.warn(message),
                }
                self.show_reason = Some(ShowReason::Next);
                // A search that is under way may have read the settings before the change.
                match self.search_state {
                    SearchState::Idle => self.start_search(AgentSearch::Thorough, out),
                    _ => self.search_state = SearchState::RestartWhenDone,
                }
            }
        }
    }

    /// Handles the offers of a search. `if_none`: the message if there is no offer.
    fn take_offers(&mut self, offers: Vec<SettingsOffer>, if_none: &'static str, out: &mut Output) {
        if std::mem::replace(&mut self.search_state, SearchState::Idle) == SearchState::RestartWhenDone {
            return self.search_thoroughly(out);
        }
        let is_known = |offer: &SettingsOffer| self.offers.iter().any(|known| known.id == offer.id);
        // A message about an earlier change or search no longer holds.
        if self.show_reason == Some(ShowReason::Asked) || !offers.iter().all(is_known) {
            out.messages.end(Subject::AgentSetup);
        }
        if self.show_reason.is_some() || offers != self.offers {
            out.request_frame();
        }
        self.offers = offers;
        match self.show_reason.take() {
            Some(ShowReason::Asked) => {
                if !self.open_next(out) {
                    out.say(if_none);
                }
            }
            Some(ShowReason::Next) if matches!(out.overlays.cover(), Some(Overlay::Offer(_))) => {
                self.open_next(out);
            }
            Some(ShowReason::Next) | None => {}
        }
    }

    /// Shows the next offer that the person has not answered. Returns false if there is none.
    fn open_next(&mut self, out: &mut Output) -> bool {
        let next = self.offers.iter().find(|offer| !self.answered.contains(&offer.id)).cloned();
        match next {
            Some(offer) => out.overlays.open(Overlay::Offer(OpenOffer::new(offer))),
            None => {
                close_offer(out);
                return false;
            }
        }
        true
    }

    /// Handles the person's answer to the offer on the screen.
    pub(crate) fn take_answer(&mut self, answer: Answer, out: &mut Output) {
        let Some(Overlay::Offer(open)) = out.overlays.cover() else { return };
        let SettingsOffer { id, preview, agent, .. } = open.offer().clone();
        match answer {
            Answer::Yes => {
                self.answered.insert(id.clone());
                out.say(format!("Changing the settings of {agent}…"));
                out.add_effect(Effect::SetAgentUp { id, preview });
            }
            Answer::No => {
                self.answered.insert(id);
                self.open_next(out);
            }
            Answer::TooSoon => out.warn(alongside_desk::messages::TYPED_TOO_SOON),
            Answer::Close => close_offer(out),
            _ => {}
        }
    }
}

/// Closes the offer. Keys pause then, because the review below may have arrived while the offer covered it.
fn close_offer(out: &mut Output) {
    out.overlays.close(|overlay| matches!(overlay, Overlay::Offer(_)));
    out.invalidate_keys();
}

/// The message if no agent needs a change. `no_agent_connected`: whether no agent is connected.
fn nothing_to_set_up_message(no_agent_connected: bool) -> &'static str {
    if no_agent_connected { messages::SET_UP_BUT_NOT_STARTED } else { messages::NOTHING_TO_SET_UP }
}
