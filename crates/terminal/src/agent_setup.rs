//! The set-up of agents at the desk: which agents do not connect to it, and one change of their settings
//! after another, shown and confirmed.

use alongside_desk::agent_setup::{Offer, SetupReply};
use crossterm::event::{KeyCode, KeyEvent};

use crate::agent_offers::{OpenOffer, Opening};
use crate::app::{App, Effect};
use crate::keys::Action;
use crate::messages;

impl App {
    /// The person turned to the desk, and may have changed settings elsewhere: looks again for agents to set
    /// up, unless all seems well.
    pub(crate) fn look_again_for_agents(&mut self) {
        if self.companion.status().agents.is_empty() || !self.setup.offers.is_empty() {
            self.add_effect(Effect::LookForAgents);
        }
    }

    /// The person wants to set agents up.
    pub(crate) fn open_setup(&mut self) {
        if self.options.agent_setup.is_none() {
            return self.say_that_agents_are_set_up();
        }
        self.setup.answered.clear();
        if !self.open_next_offer() {
            self.setup.opening = Some(Opening::Asked);
            self.add_effect(Effect::LookForAgents);
        }
    }

    fn say_that_agents_are_set_up(&mut self) {
        let is_alone = self.companion.status().agents.is_empty();
        self.say(if is_alone { messages::SET_UP_BUT_NOT_STARTED } else { messages::NOTHING_TO_SET_UP });
    }

    /// Takes the reply of the program.
    pub(crate) fn take_setup(&mut self, reply: SetupReply) {
        match reply {
            SetupReply::Offers(offers) => {
                self.setup.offers = offers;
                if let Some(opening) = self.setup.opening.take()
                    && (opening == Opening::Asked || self.setup.open.is_some())
                    && !self.open_next_offer()
                    && opening == Opening::Asked
                {
                    self.say_that_agents_are_set_up();
                }
            }
            SetupReply::Made(made) => {
                match made {
                    Ok(message) => self.say(message),
                    Err(message) => self.warn(message),
                }
                self.setup.opening = Some(Opening::Next);
                self.add_effect(Effect::LookForAgents);
            }
        }
        self.due = true;
    }

    /// Shows the next change that the person has not answered; false if there is none.
    fn open_next_offer(&mut self) -> bool {
        self.setup.open = self.setup.next_unanswered().map(OpenOffer::new);
        if self.setup.open.is_none() {
            self.show_what_was_covered();
        }
        self.setup.open.is_some()
    }

    /// A review may have come while a change covered it, and nobody has read it yet.
    fn show_what_was_covered(&mut self) {
        if self.at.is_some() {
            self.invalidate_keys();
        }
    }

    /// Takes a key while a change is on the screen.
    pub(crate) fn setup_key(&mut self, key: KeyEvent, action: Option<Action>) {
        let page = usize::from(self.areas.main.height.max(2)) / 2;
        let Some(open) = &mut self.setup.open else { return };
        match (key.code, action) {
            // The change is under way.
            (KeyCode::Char('y' | 'Y' | 'n' | 'N'), _) if open.is_agreed => {}
            (KeyCode::Char('y' | 'Y'), _) if !open.seen => {
                self.warn(alongside_desk::messages::TYPED_TOO_SOON)
            }
            (KeyCode::Char('y' | 'Y' | 'n' | 'N'), _) => {
                let Offer { id, preview, .. } = open.offer.clone();
                self.setup.answered.insert(id.clone());
                if matches!(key.code, KeyCode::Char('y' | 'Y')) {
                    open.is_agreed = true;
                    let changing = format!("Changing the settings of {}…", open.offer.agent);
                    self.say(changing);
                    self.add_effect(Effect::SetAgentUp { id, preview });
                } else {
                    self.open_next_offer();
                }
            }
            (KeyCode::Esc, _) | (_, Some(Action::Leave)) => {
                self.setup.open = None;
                self.show_what_was_covered();
            }
            (_, Some(Action::NextHunk)) => open.top += 1,
            (_, Some(Action::PreviousHunk)) => open.top = open.top.saturating_sub(1),
            (_, Some(Action::PageDown | Action::HalfDown)) => open.top += page,
            (_, Some(Action::PageUp | Action::HalfUp)) => open.top = open.top.saturating_sub(page),
            _ => {}
        }
    }
}
