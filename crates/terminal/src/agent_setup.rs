//! The set-up of agents at the desk: which agents do not look for it, and one change of their settings after
//! another, shown and confirmed.

use std::collections::BTreeSet;

use alongside_desk::agent_setup::{AgentSetup, Offer};
use crossterm::event::{KeyCode, KeyEvent};

use crate::app::{App, Effect};
use crate::keys::Action;
use crate::messages;

/// What the desk knows of agents to set up.
#[derive(Debug, Default)]
pub(crate) struct SetupState {
    /// The changes that the last look found.
    pub(crate) offers: Vec<Offer>,
    /// The person asked to see them, and the look is under way.
    opening: bool,
    /// The change on the screen.
    pub(crate) open: Option<OpenOffer>,
    /// The offers that the person declined since they opened the first one.
    declined: BTreeSet<String>,
}

/// A change that the person is asked about.
#[derive(Debug)]
pub(crate) struct OpenOffer {
    pub(crate) offer: Offer,
    /// Whether the question has been on the screen.
    pub(crate) seen: bool,
    /// The first row on the screen.
    pub(crate) top: usize,
}

/// The reply of the program to a look or a change.
#[derive(Debug)]
pub(crate) enum SetupReply {
    Offers(Vec<Offer>),
    Made(Result<String, String>),
}

impl App {
    /// Looks for agents to set up, if nobody is connected who might be one.
    pub(crate) fn look_for_agents(&mut self) {
        if self.options.agent_setup.is_some() && self.companion.status().agents.is_empty() {
            self.add_effect(Effect::LookForAgents);
        }
    }

    /// The person wants to set agents up. A new look comes first: settings may have changed.
    pub(crate) fn open_setup(&mut self) {
        if self.options.agent_setup.is_none() {
            return self.say(messages::NOTHING_TO_SET_UP);
        }
        self.setup.opening = true;
        self.setup.declined.clear();
        self.add_effect(Effect::LookForAgents);
    }

    /// Takes the reply of the program.
    pub(crate) fn take_setup(&mut self, reply: SetupReply) {
        match reply {
            SetupReply::Offers(offers) => {
                self.setup.offers = offers;
                if self.setup.opening {
                    self.open_next_offer();
                }
            }
            SetupReply::Made(made) => {
                match made {
                    Ok(message) => self.say(message),
                    Err(message) => self.warn(message),
                }
                self.setup.opening = true;
                self.add_effect(Effect::LookForAgents);
            }
        }
        self.due = true;
    }

    /// Shows the next change that the person has not declined.
    fn open_next_offer(&mut self) {
        let declined = &self.setup.declined;
        let next = self.setup.offers.iter().find(|offer| !declined.contains(&offer.id)).cloned();
        self.setup.opening = false;
        match next {
            Some(offer) => self.setup.open = Some(OpenOffer { offer, seen: false, top: 0 }),
            None => {
                if self.setup.open.take().is_none() && self.messages.len() == 0 {
                    self.say(messages::NOTHING_TO_SET_UP);
                }
                self.forget_seen();
            }
        }
    }

    /// Takes a key while a change is on the screen.
    pub(crate) fn setup_key(&mut self, key: KeyEvent, action: Option<Action>) {
        let page = usize::from(self.areas.main.height.max(2)) / 2;
        let Some(open) = &mut self.setup.open else { return };
        self.due = true;
        match (key.code, action) {
            (KeyCode::Char('y' | 'Y'), _) if !open.seen => self.warn(alongside_desk::messages::TYPED_TOO_SOON),
            (KeyCode::Char('y' | 'Y'), _) => {
                // Asked about once: a change that fails is not asked about again.
                self.setup.declined.insert(open.offer.id.clone());
                let (id, preview) = (open.offer.id.clone(), open.offer.preview.clone());
                self.setup.open = None;
                self.add_effect(Effect::SetAgentUp { id, preview });
            }
            (KeyCode::Char('n' | 'N'), _) => {
                self.setup.declined.insert(open.offer.id.clone());
                self.open_next_offer();
            }
            (KeyCode::Esc, _) | (_, Some(Action::Leave)) => {
                self.setup.open = None;
                self.forget_seen();
            }
            (_, Some(Action::NextHunk)) => open.top += 1,
            (_, Some(Action::PreviousHunk)) => open.top = open.top.saturating_sub(1),
            (_, Some(Action::PageDown | Action::HalfDown)) => open.top += page,
            (_, Some(Action::PageUp | Action::HalfUp)) => open.top = open.top.saturating_sub(page),
            _ => {}
        }
    }
}

/// Starts the work of an effect; the reply is `None` where there is no set-up.
pub(crate) async fn look(setup: Option<&dyn AgentSetup>) -> SetupReply {
    SetupReply::Offers(match setup {
        Some(setup) => setup.offers().await,
        None => Vec::new(),
    })
}
