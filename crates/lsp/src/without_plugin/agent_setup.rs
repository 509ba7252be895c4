//! Agents whose settings keep them from finding this editor: a message reports them, and a code action makes
//! each change of their settings.

use alongside_desk::agent_setup::SettingsOffer;
use serde_json::{Value, json};

use super::editor::Editor;
use super::lsp_types as lsp;
use super::messages;
use crate::io::Io;

/// The changes of agents' settings that code actions offer.
#[derive(Debug, Default)]
pub(super) struct OfferedChanges {
    offers: Vec<SettingsOffer>,
    /// Whether they were shown to the person.
    is_announced: bool,
}

impl OfferedChanges {
    pub(super) fn arrived(&mut self, io: &Io, editor: &Editor, offers: Vec<SettingsOffer>) {
        if let Some(agents) = SettingsOffer::unconnected(&offers)
            && !std::mem::replace(&mut self.is_announced, true)
        {
            editor.inform(io, &messages::ide_mode_is_off(&agents, editor.kind().actions_key));
        }
        self.offers = offers;
    }

    /// Returns a code action for each change.
    pub(super) fn actions(&self) -> impl Iterator<Item = lsp::Command> {
        self.offers.iter().map(|offer| lsp::Command {
            title: messages::agent_change(offer),
            command: "alongside.setUp".to_owned(),
            arguments: vec![json!({ "offer": offer.id })],
        })
    }

    /// Makes the change that the person chose: the named one, or the first.
    pub(super) fn make(&mut self, io: &mut Io, editor: &Editor, params: &Value) {
        let id = params.pointer("/arguments/0/offer").and_then(Value::as_str);
        match self.offers.iter().position(|offer| id.is_none_or(|id| offer.id == id)) {
            Some(at) => {
                let offer = self.offers.remove(at);
                io.set_agent_up(&offer.id, &offer.preview);
            }
            None => editor.inform(io, messages::NOTHING_TO_SET_UP),
        }
    }
}
