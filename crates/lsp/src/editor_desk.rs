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
    /// The companion is connected.
    fn connected(&mut self, io: &mut Io);

    /// The companion has stopped.
    fn disconnected(&mut self, io: &mut Io);

    /// The editor sends a notification.
    fn handle_notification(&mut self, io: &mut Io, method: &str, params: Value);

    /// The editor sends a request; false if there is no such method.
    fn handle_request(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool;

    /// The editor answers request `number`; `None` if it failed or did not answer in time.
    fn handle_response(&mut self, _io: &mut Io, _number: i32, _result: Option<Value>) {}

    /// The editor answers a request that the companion sent through it; without a result if it failed.
    fn handle_forwarded_response(&mut self, _io: &mut Io, _id: &RequestId, _result: Option<Value>) {}

    /// The companion sends an event.
    fn handle_event(&mut self, io: &mut Io, event: Event);

    /// The companion replies to a request of this desk to change or decide a review.
    fn handle_reply(&mut self, io: &mut Io, origin: RequestOrigin, reply: Result<Revised, Refusal>);

    /// The search for installed agents ended with the changes of their settings that it found necessary.
    /// Without an implementation of its own, a desk reports a problem about them.
    fn handle_offers(&mut self, io: &mut Io, offers: Vec<SettingsOffer>, kind: &EditorKind) {
        if let Some(problem) = problems::ide_mode_is_off(&offers, kind.agents_command) {
            self.handle_event(io, Event::Problem(problem));
        }
    }

    /// A change of an agent's settings was made, with a sentence for the person, or failed.
    fn handle_settings_change(&mut self, _io: &mut Io, _result: Result<String, String>) {}

    /// When [`Self::handle_deadline`] is to be called next.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// A deadline has passed.
    fn handle_deadline(&mut self, _io: &mut Io, _now: Instant) {}

    /// The editor is about to end.
    fn shut_down(&mut self, _io: &Io) {}

    /// Whether a path is one of this desk's private files. An editor may report their folder as a project.
    fn owns_path(&self, _path: &Path) -> bool {
        false
    }
}
