//! Agents that do not look for this editor: a message says so, and a code action for each change of their
//! settings names the change and makes it.

use alongside_desk::agent_setup::Offer;
use serde_json::{Value, json};

use super::lsp_types as lsp;
use super::{LspDesk, messages};
use crate::io::Io;

impl LspDesk {
    pub(super) fn offers_arrived(&mut self, io: &Io, offers: Vec<Offer>) {
        if let Some(agents) = Offer::unconnected(&offers)
            && !std::mem::replace(&mut self.agent_setup.is_announced, true)
        {
            self.editor
                .inform(io, &messages::ide_mode_is_off(&agents, self.editor.client().editor.actions_key));
        }
        self.agent_setup.offers = offers;
    }

    /// A code action for each change. Requests that the editor makes by itself get none, because some editors
    /// show a mark where there is one.
    pub(super) fn setup_actions(&self, params: &Value) -> Vec<lsp::Command> {
        let is_automatic = params.pointer("/context/triggerKind").and_then(Value::as_u64) == Some(2);
        let offers = self.agent_setup.offers.iter().filter(|_| !is_automatic && self.proposals.len() == 0);
        let command = |offer: &Offer| lsp::Command {
            title: messages::agent_change(offer),
            command: "alongside.setUp".to_owned(),
            arguments: vec![json!({ "offer": offer.id })],
        };
        offers.map(command).collect()
    }

    /// The person chose a change: the named one, or the first.
    pub(super) fn set_agent_up(&mut self, io: &mut Io, params: &Value) {
        let id = params.pointer("/arguments/0/offer").and_then(Value::as_str);
        let offers = &mut self.agent_setup.offers;
        match offers.iter().position(|offer| id.is_none_or(|id| offer.id == id)) {
            Some(at) => {
                let offer = offers.remove(at);
                io.set_agent_up(&offer.id, &offer.preview);
            }
            None => self.editor.inform(io, messages::NOTHING_TO_SET_UP),
        }
    }

    pub(super) fn agent_changed(&self, io: &mut Io, made: Result<String, String>) {
        match made {
            Ok(message) => self.editor.inform(io, &message),
            Err(message) => self.editor.warn(io, &message),
        }
        io.look_for_agents();
    }
}
