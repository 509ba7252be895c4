//! The consequence of a message, for the relay to carry out.

use alongside_desk::{Refusal, Request, ReviewId, Revised};
use serde_json::Value;

/// A step that the relay has to take. `Id` names a request of the plugin.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect<Id> {
    /// The plugin gets this message, which is JSON-RPC.
    Tell(Value),
    /// The plugin gets the answer to its request.
    Answer(Id, Result<Revised, Refusal>),
    /// The companion gets the request. Its reply goes to the plugin's request, if there is one.
    PassOn(Option<Id>, Request),
    /// The companion gets the text of a review. Its reply goes to
    /// [`Presentation::on_text_reply`](crate::Presentation::on_text_reply).
    SendText(ReviewId, Request),
}
