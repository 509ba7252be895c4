//! The set-up of agents at the desk: which agents do not connect to it, and one change of their settings
//! after another, shown and confirmed.

use alongside_desk::agent_setup::{Offer, SetupReply};
use alongside_desk::review_model::{Message, Subject};
use crossterm::event::{KeyCode, KeyEvent};

use crate::agent_offers::{Look, OpenOffer, Opening};
use crate::app::{App, Effect};
use crate::keys::Action;
use crate::messages;

impl App {
    /// The person turned to the desk, and may have changed settings elsewhere: looks again for agents to set
    /// up, unless all seems well.
    pub(crate) fn look_again_for_agents(&mut self) {
        if self.companion.status().agents.is_empty() || !self.setup.offers.is_empty() {
            self.look_for_agents();
        }
    }

    /// Begins to look for agents to set up. A thorough look that is under way serves as well.
    pub(crate) fn look_for_agents(&mut self) {
        match self.setup.look {
            None => self.begin_look(Look::Thorough),
            Some(Look::Quick) => self.setup.look_again = true,
            Some(Look::Thorough) => {}
        }
    }

    fn begin_look(&mut self, look: Look) {
        self.setup.look = Some(look);
        self.add_effect(Effect::LookForAgents(look));
    }

    /// Whether to look every few seconds: the screen says which agents are not set up, and nothing else tells
    /// of their settings.
    pub(crate) fn looks_in_the_background(&self) -> bool {
        let (setup, is_alone) = (&self.setup, self.companion.status().agents.is_empty());
        let is_idle = setup.look.is_none() && setup.opening.is_none() && setup.open.is_none();
        is_idle && is_alone && self.options.agent_setup.is_some() && !self.pending.has_editor()
    }

    pub(crate) fn look_in_the_background(&mut self) {
        self.begin_look(Look::Quick);
    }

    /// The person wants to set agents up.
    pub(crate) fn open_setup(&mut self) {
        if self.options.agent_setup.is_none() {
            return self.say_that_agents_are_set_up();
        }
        self.setup.answered.clear();
        self.setup.opening = Some(Opening::Asked);
        self.answer(Message::notice(messages::LOOKING_FOR_AGENTS).about(Subject::AgentSetup));
        self.look_for_agents();
    }

    /// Takes a key while the desk looks at the settings because the person asked for it. True if the key has
    /// no other meaning.
    pub(crate) fn key_while_looking(&mut self, key: KeyEvent, action: Option<Action>) -> bool {
        match (key.code, action) {
            (KeyCode::Char('y' | 'Y' | 'n' | 'N'), _) => {
                self.warn(alongside_desk::messages::TYPED_TOO_SOON);
                return true;
            }
            (_, Some(Action::SetUpAgents)) => return true,
            (KeyCode::Esc, _) | (_, Some(_)) => {}
            (_, None) => return false,
        }
        // The person has turned to something else.
        self.setup.opening = None;
        self.messages.end(Subject::AgentSetup);
        key.code == KeyCode::Esc || action == Some(Action::Leave)
    }

    fn say_that_agents_are_set_up(&mut self) {
        let is_alone = self.companion.status().agents.is_empty();
        self.say(if is_alone { messages::SET_UP_BUT_NOT_STARTED } else { messages::NOTHING_TO_SET_UP });
    }

    /// Takes the reply of the program.
    pub(crate) fn take_setup(&mut self, reply: SetupReply) {
        match reply {
            SetupReply::Offers(offers) => {
                self.setup.look = None;
                if std::mem::take(&mut self.setup.look_again) {
                    return self.look_for_agents();
                }
                let is_known = |offer: &Offer| self.setup.offers.iter().any(|known| known.id == offer.id);
                // What the last change said is not true any more.
                if self.setup.opening == Some(Opening::Asked) || !offers.iter().all(is_known) {
                    self.messages.end(Subject::AgentSetup);
                }
                self.due |= self.setup.opening.is_some() || offers != self.setup.offers;
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
                    Ok(message) => self.answer(Message::notice(message).about(Subject::AgentSetup)),
                    Err(message) => self.warn(message),
                }
                self.setup.opening = Some(Opening::Next);
                // A look that is under way may have begun before the change.
                self.setup.look_again = self.setup.look.is_some();
                self.look_for_agents();
            }
        }
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
