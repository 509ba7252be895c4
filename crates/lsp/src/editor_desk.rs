//! The interface between the session and the desk of its editor. Two types implement it: one for a plugin
//! that speaks the desk protocol, and one for an editor with plain LSP.

use std::path::Path;

use alongside_desk::agent_setup::SettingsOffer;
use alongside_desk::{Event, Refusal, Revised};
use lsp_server::RequestId;
use serde_json::Value;
use tokio::time::Instant;

use crate::editors::EditorKind;
use crate::io::{Io, RequestOrigin};
use crate::problems;

/// The desk of an editor. The session calls its methods, which must not block.
pub(crate) trait EditorDesk {
    /// Handles a new connection to the companion.
    fn connected(&mut self, io: &mut Io);

    /// Handles the end of the companion.
    fn disconnected(&mut self, io: &mut Io);

    /// Handles a notification of the editor.
    fn handle_notification(&mut self, io: &mut Io, method: &str, params: Value);

    /// Handles a request of the editor; false if there is no such method.
    fn handle_request(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool;

    /// Handles the editor's answer to request `number`; `None` if the request failed or was not answered in
    /// time.
    fn handle_response(&mut self, _io: &mut Io, _number: i32, _result: Option<Value>) {}

    /// Handles the editor's answer to a request that the companion sent through it; without a result if it
    /// failed.
    fn handle_forwarded_response(&mut self, _io: &mut Io, _id: &RequestId, _result: Option<Value>) {}

    /// Handles an event of the companion.
    fn handle_event(&mut self, io: &mut Io, event: Event);

    /// Handles the companion's reply to a request of this desk to change or decide a review.
    fn handle_reply(&mut self, io: &mut Io, origin: RequestOrigin, reply: Result<Revised, Refusal>);

    /// Handles the result of the search for agents: the necessary changes of their settings. The default
    /// reports a problem about them.
    fn handle_offers(&mut self, io: &mut Io, offers: Vec<SettingsOffer>, kind: &EditorKind) {
        if let Some(problem) = problems::ide_mode_is_off(&offers, kind.agents_command) {
            self.handle_event(io, Event::Problem(problem));
        }
    }

    /// Handles the result of a change of an agent's settings: a sentence for the person, or a failure.
    fn handle_settings_change(&mut self, _io: &mut Io, _result: Result<String, String>) {}

    /// Returns the time of the next call of [`Self::handle_deadline`].
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// Handles a deadline that has passed.
    fn handle_deadline(&mut self, _io: &mut Io, _now: Instant) {}

    /// Prepares for the end of the editor.
    fn shut_down(&mut self, _io: &Io) {}

    /// Whether a path is one of this desk's private files. An editor may report their folder as a project.
    fn owns_path(&self, _path: &Path) -> bool {
        false
    }
}
