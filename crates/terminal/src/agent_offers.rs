//! The set-up of agents at the desk: finds the agents that do not connect to it, and shows the person one
//! change of their settings after the other, to be confirmed.

use std::collections::BTreeSet;

use alongside_desk::agent_setup::{SettingsOffer, SetupReply};
use alongside_desk::review_model::{Message, Subject};
use crossterm::event::{KeyCode, KeyEvent};

use crate::keys::{Action, Answer};
use crate::output::{Effect, Look, Output};
use crate::overlays::Overlay;
use crate::overlays::settings_offer::OpenOffer;
use crate::words::messages;

/// The offered changes of agents' settings. The change that the person is asked about is in an overlay.
#[derive(Debug)]
pub(crate) struct AgentOffers {
    /// Whether the desk can look at all.
    is_available: bool,
    /// The changes that the last look found.
    offers: Vec<SettingsOffer>,
    looking: Looking,
    /// The reason for opening an offer after the next look, if there is one.
    opening: Option<Opening>,
    /// The offers that the person has answered since they opened the first one.
    answered: BTreeSet<String>,
}

/// The look that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looking {
    Idle,
    Quick,
    Thorough,
    /// The settings may have changed since the look began, so that a thorough look follows.
    Outdated,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// The person asked for the offer.
    Asked,
    /// The previous change was made.
    Next,
}

impl AgentOffers {
    /// No offers yet. `is_available`: whether the desk can look for agents to set up.
    pub(crate) fn new(is_available: bool) -> Self {
        let (looking, opening) = (Looking::Idle, None);
        Self { is_available, offers: Vec::new(), looking, opening, answered: BTreeSet::new() }
    }

    /// The changes that the last look found.
    pub(crate) fn offers(&self) -> &[SettingsOffer] {
        &self.offers
    }

    /// Begins to look for agents to set up. A thorough look that is under way serves as well.
    pub(crate) fn look(&mut self, out: &mut Output) {
        match self.looking {
            Looking::Idle => self.begin(Look::Thorough, out),
            Looking::Quick => self.looking = Looking::Outdated,
            Looking::Thorough | Looking::Outdated => {}
        }
    }

    pub(crate) fn begin(&mut self, look: Look, out: &mut Output) {
        self.looking = match look {
            Look::Quick => Looking::Quick,
            Look::Thorough => Looking::Thorough,
        };
        out.add_effect(Effect::LookForAgents(look));
    }

    /// Whether a look in the background may begin: no other look is under way, and no change is shown.
    pub(crate) fn is_idle(&self, out: &Output) -> bool {
        let is_open = matches!(out.overlays.cover(), Some(Overlay::Offer(_)));
        self.is_available && self.looking == Looking::Idle && self.opening.is_none() && !is_open
    }

    /// Begins to set agents up for the person. `is_alone`: whether no agent is connected.
    pub(crate) fn open(&mut self, is_alone: bool, out: &mut Output) {
        if !self.is_available {
            return out.say(set_up(is_alone));
        }
        self.answered.clear();
        self.opening = Some(Opening::Asked);
        out.answer(Message::notice(messages::LOOKING_FOR_AGENTS).about(Subject::AgentSetup));
        self.look(out);
    }

    /// Takes a key during a look that the person asked for. Returns whether the key has no other meaning.
    pub(crate) fn take_key_while_looking(
        &mut self,
        key: KeyEvent,
        action: Option<Action>,
        out: &mut Output,
    ) -> bool {
        match (self.opening, key.code, action) {
            (None | Some(Opening::Next), ..) => return false,
            (_, KeyCode::Char('y' | 'Y' | 'n' | 'N'), _) => {
                out.warn(alongside_desk::messages::TYPED_TOO_SOON);
                return true;
            }
            (.., Some(Action::SetUpAgents)) => return true,
            (_, KeyCode::Esc, _) | (.., Some(_)) => {}
            (.., None) => return false,
        }
        // The person has turned to something else.
        self.opening = None;
        out.messages.end(Subject::AgentSetup);
        key.code == KeyCode::Esc || action == Some(Action::Leave)
    }

    /// Takes the reply of the program.
    pub(crate) fn take_reply(&mut self, reply: SetupReply, is_alone: bool, out: &mut Output) {
        match reply {
            SetupReply::Offers(offers) => self.take_offers(offers, set_up(is_alone), out),
            SetupReply::NoAgent => self.take_offers(Vec::new(), messages::NO_AGENT_INSTALLED, out),
            SetupReply::Made(made) => {
                match made {
                    Ok(message) => out.answer(Message::notice(message).about(Subject::AgentSetup)),
                    Err(message) => out.warn(message),
                }
                self.opening = Some(Opening::Next);
                // A look that is under way may have begun before the change.
                match self.looking {
                    Looking::Idle => self.begin(Look::Thorough, out),
                    _ => self.looking = Looking::Outdated,
                }
            }
        }
    }

    /// `nothing`: the sentence if there is nothing to set up.
    fn take_offers(&mut self, offers: Vec<SettingsOffer>, nothing: &'static str, out: &mut Output) {
        if std::mem::replace(&mut self.looking, Looking::Idle) == Looking::Outdated {
            return self.look(out);
        }
        let is_known = |offer: &SettingsOffer| self.offers.iter().any(|known| known.id == offer.id);
        // The last message about a change is not true any more.
        if self.opening == Some(Opening::Asked) || !offers.iter().all(is_known) {
            out.messages.end(Subject::AgentSetup);
        }
        if self.opening.is_some() || offers != self.offers {
            out.mark_due();
        }
        self.offers = offers;
        match self.opening.take() {
            Some(Opening::Asked) => {
                if !self.open_next(out) {
                    out.say(nothing);
                }
            }
            Some(Opening::Next) if matches!(out.overlays.cover(), Some(Overlay::Offer(_))) => {
                self.open_next(out);
            }
            Some(Opening::Next) | None => {}
        }
    }

    /// Shows the next change that the person has not answered; false if there is none.
    fn open_next(&mut self, out: &mut Output) -> bool {
        let next = self.offers.iter().find(|offer| !self.answered.contains(&offer.id)).cloned();
        match next {
            Some(offer) => out.overlays.open(Overlay::Offer(OpenOffer::new(offer))),
            None => {
                close(out);
                return false;
            }
        }
        true
    }

    /// Takes the person's answer to the change that is shown.
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
            Answer::Close => close(out),
            _ => {}
        }
    }
}

/// Shows what the change covered: a review may have come meanwhile, and nobody has read it yet.
fn close(out: &mut Output) {
    out.overlays.close(|overlay| matches!(overlay, Overlay::Offer(_)));
    out.invalidate_keys();
}

/// The sentence for agents that need no change.
fn set_up(is_alone: bool) -> &'static str {
    if is_alone { messages::SET_UP_BUT_NOT_STARTED } else { messages::NOTHING_TO_SET_UP }
}
