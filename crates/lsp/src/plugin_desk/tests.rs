//! The messages of a presenting plugin on their way through the server. `crates/presentation` tests their
//! meaning.

use std::path::Path;
use std::sync::mpsc::Receiver;

use alongside_desk::{Review, ReviewId, Seat, pair};

use super::*;
use crate::io::CompanionMessage;

/// The name of the file of the review, with the separators of the system.
const NAME: &str = if cfg!(windows) { r"\p\a" } else { "/p/a" };

struct Stage {
    desk: PluginDesk,
    io: Io,
    seat: Seat,
    to_editor: Receiver<Message>,
}

impl Stage {
    /// Returns a plugin that only presents, and has heard of a review with the text "one".
    fn new() -> Self {
        Self::with(&json!({ "protocol": 1, "presentation": true }))
    }

    /// Returns a stage with a plugin that gives these options.
    fn with(options: &Value) -> Self {
        let params = json!({ "initializationOptions": { "alongside": options } });
        let (sender, to_editor) = std::sync::mpsc::channel();
        let (mut io, (connection, seat)) = (Io::new(sender), pair());
        io.connect(connection);
        let mut desk = PluginDesk::new(&Client::read(&params, Path::new("/p")));
        let current = "one\n".into();
        let review =
            Review { id: ReviewId(1), file: "/p/a".into(), current, revision: 1, ..Review::default() };
        desk.handle_event(&mut io, Event::Opened(review));
        Self { desk, io, seat, to_editor }
    }

    fn ask(&mut self, number: i32, method: &str, params: &Value) {
        assert!(self.desk.forward(&mut self.io, Some(&RequestId::from(number)), method, params));
    }

    /// Answers the only request to the companion.
    async fn answered(&mut self, reply: Result<Revised, Refusal>) -> Request {
        let call = self.seat.calls.try_recv().unwrap();
        call.answer.send(reply).unwrap();
        let CompanionMessage::Reply(origin, reply) = self.io.next_companion_message().await else {
            panic!("a reply")
        };
        self.desk.handle_reply(&mut self.io, origin, reply);
        call.request
    }

    /// Returns the next message to the plugin, as JSON.
    fn heard(&self) -> Value {
        serde_json::to_value(self.to_editor.try_recv().unwrap()).unwrap()
    }
}

#[tokio::test]
async fn a_text_goes_to_the_companion_and_the_answer_to_the_plugin() {
    let mut stage = Stage::new();
    assert_eq!(stage.heard()["params"]["display"]["name"], NAME);
    let replacement = json!({ "lines": { "start": 0, "end": 1 }, "text": "two\n" });
    let text = json!({ "id": 1, "revision": 1, "from": 1, "replacement": replacement });
    stage.ask(1, "alongside/setReviewText", &text);
    let request = stage.answered(Err(Refusal::Unchanged)).await;
    assert!(matches!(request, Request::EditReview { revision: 1, .. }));
    let answer = stage.heard();
    assert_eq!((&answer["id"], &answer["error"]["data"]), (&json!(1), &json!({ "why": "unchanged" })));

    let decision = json!({ "id": 1, "revision": 1, "from": 1, "decision": "reject" });
    stage.ask(2, "alongside/decideReview", &decision);
    let request = stage.answered(Ok(Revised { revision: 1 })).await;
    assert!(matches!(request, Request::DecideReview { revision: 1, .. }));
    let answer = stage.heard();
    assert_eq!((&answer["id"], &answer["result"]), (&json!(2), &json!({ "revision": 1 })));

    stage.ask(3, "alongside/setReviewText", &json!({ "id": 1, "revision": "x" }));
    assert_eq!(stage.heard()["error"]["code"], rpc::INVALID_PARAMS);
    stage.desk.handle_forwarded_response(&mut stage.io, &RequestId::from("flush-1".to_owned()), None);
    assert!(matches!(stage.seat.calls.try_recv().unwrap().request, Request::Flushed { .. }));
}

#[tokio::test]
async fn a_plugin_that_shows_texts_side_by_side_sends_exact_ones() {
    let options = json!({ "protocol": 1, "display": true });
    let params = json!({ "initializationOptions": { "alongside": options } });
    let ours = &capabilities(&Client::read(&params, Path::new("/p")))["experimental"]["alongside"];
    assert_eq!(*ours, json!({ "protocol": 1, "display": true }));
    let mut stage = Stage::with(&options);
    assert_eq!(stage.heard()["params"]["display"]["name"], NAME);
    let replacement = json!({ "lines": { "start": 0, "end": 1 }, "text": "\u{feff}two\r\n" });
    let text = json!({ "id": 1, "revision": 1, "from": 1, "replacement": replacement });
    stage.ask(1, "alongside/setReviewText", &text);
    let request = stage.answered(Ok(Revised { revision: 2 })).await;
    let Request::EditReview { revision: 1, changes, .. } = request else { panic!("an edit: {request:?}") };
    assert_eq!(changes[0].text, "\u{feff}two\r\n");
    assert_eq!(stage.heard()["result"], json!({ "revision": 1 }), "the event has not come");
}
