//! A plugin that only presents reviews, and a companion with one review.

use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{
    Agent, Changed, Closed, Closing, Decision, Hunk, HunkState, Lines, Review, ReviewId, Seat, Status, Text,
    pair, replacement,
};
use std::sync::mpsc::Receiver;

use super::*;
use crate::io::CompanionMessage;

const FILE: &str = "/p/notes.md";

struct Stage {
    desk: PluginDesk,
    io: Io,
    seat: Seat,
    to_editor: Receiver<Message>,
    review: Review,
    decided: Option<(u64, Decision)>,
    flushed: bool,
    last: i32,
}

impl Stage {
    /// A review of `proposed` for a file with `original`, told to the plugin.
    async fn with(original: &str, proposed: &str) -> Self {
        let params =
            json!({ "initializationOptions": { "alongside": { "protocol": 1, "presentation": true } } });
        let client = Client::read(&params, std::path::Path::new("/p"));
        let (sender, to_editor) = std::sync::mpsc::channel();
        let mut io = Io::new(sender);
        let (desk, seat) = pair();
        io.connect(desk);
        let agent = Agent { number: 1, name: "Gemini CLI".into(), listening: true, ..Agent::default() };
        let line = |lines: std::ops::Range<usize>| Lines { start: lines.start, end: lines.end };
        let hunk = Hunk {
            original: line(0..1),
            proposed: line(0..1),
            current: line(0..1),
            state: HunkState::Kept,
            words: None,
            limit: None,
            reason: None,
        };
        let review = Review {
            id: ReviewId(1),
            agent: agent.clone(),
            file: FILE.into(),
            original: Some(original.into()),
            proposed: proposed.into(),
            current: proposed.into(),
            revision: 1,
            hunks: vec![hunk],
            ..Review::default()
        };
        let desk = PluginDesk::new(&client);
        let mut stage = Self {
            desk,
            io,
            seat,
            to_editor,
            review: review.clone(),
            decided: None,
            flushed: false,
            last: 0,
        };
        stage.tell(Event::Status(Status {
            roots: vec!["/p".into()],
            agents: vec![agent],
            reviews: 1,
            ..Status::default()
        }));
        stage.tell(Event::Opened(review));
        stage.run().await;
        stage
    }

    fn tell(&self, event: Event) {
        self.seat.events.send(event).unwrap();
    }

    /// The review has another text now, by anybody.
    fn set(&mut self, text: &str) {
        let changes = replacement(&self.review.current, text).into_iter().collect();
        let from = self.review.revision;
        self.review.revision += 1;
        self.review.current = text.into();
        let Review { id, revision, hunks, stale, dirty, .. } = self.review.clone();
        self.tell(Event::Changed(Changed { id, from, revision, changes, hunks, stale, dirty, reason: None }));
    }

    /// Plays the companion until nothing more happens.
    async fn run(&mut self) {
        loop {
            let mut is_busy = false;
            while let Ok(call) = self.seat.calls.try_recv() {
                is_busy = true;
                let reply = self.carry_out(call.request);
                let _ = call.answer.send(reply);
            }
            while let Ok(message) =
                tokio::time::timeout(Duration::from_millis(1), self.io.next_companion_message()).await
            {
                is_busy = true;
                match message {
                    CompanionMessage::Event(event) => self.desk.handle_event(&mut self.io, *event),
                    CompanionMessage::Reply(origin, reply) => {
                        self.desk.handle_reply(&mut self.io, origin, reply)
                    }
                    CompanionMessage::AgentSetup(_)
                    | CompanionMessage::Shown(..)
                    | CompanionMessage::Stopped => {}
                }
            }
            if !is_busy {
                return;
            }
        }
    }

    fn carry_out(&mut self, request: Request) -> Result<Revised, Refusal> {
        let now = self.review.revision;
        match request {
            Request::EditReview { revision, .. } | Request::DecideReview { revision, .. }
                if revision != now =>
            {
                return Err(Refusal::Stale { revision: now });
            }
            Request::EditReview { changes, .. } => {
                let text = Text::new(self.review.current.clone()).changed(&changes).unwrap();
                self.set(text.text());
            }
            Request::DecideReview { revision, decision, .. } => {
                self.decided = Some((revision, decision));
                let id = self.review.id;
                let closing = Closing::Accepted;
                self.tell(Event::Closed(Closed {
                    id,
                    closing,
                    decided_here: true,
                    decided_in: None,
                    draft: None,
                }));
            }
            Request::KeepHunks { .. } => {
                let original = self.review.original.clone().unwrap();
                self.set(&original);
            }
            Request::Flushed { .. } => self.flushed = true,
            _ => {}
        }
        Ok(Revised { revision: self.review.revision })
    }

    /// Sends a request of the plugin. Its number.
    fn ask(&mut self, method: &str, params: &Value) -> RequestId {
        self.last += 1;
        let id = RequestId::from(self.last);
        assert!(self.desk.forward(&mut self.io, Some(&id), method, params), "{method} is a method");
        id
    }

    /// Every message to the plugin since the last look.
    fn heard(&self) -> Vec<Message> {
        self.to_editor.try_iter().collect()
    }

    /// The parameters of the last notification of this method.
    fn last(&self, method: &str) -> Value {
        let heard = self.heard().into_iter().rev();
        let mut told = heard.filter_map(|message| match message {
            Message::Notification(told) if told.method == format!("alongside/{method}") => Some(told.params),
            _ => None,
        });
        told.next().unwrap_or_default()
    }

    /// The answer to a request.
    fn answer(&self, id: &RequestId) -> Result<Value, Value> {
        let answer = self.heard().into_iter().find_map(|message| match message {
            Message::Response(response) if response.id == *id => Some(response.response_result),
            _ => None,
        });
        answer.expect("an answer").map_err(|error| error.data.unwrap_or_default())
    }
}

fn text(revision: u64, text: &str) -> Value {
    json!({ "id": 1, "revision": revision, "text": text })
}

#[tokio::test]
async fn a_review_comes_with_its_words_and_diff() {
    let stage = Stage::with("one\ntwo\n", "ONE\ntwo\n").await;
    let display = stage.last("didOpenReview")["display"].take();
    assert_eq!(display["messages"], json!(["notes.md: Gemini CLI proposes 1 change"]));
    assert_eq!(display["title"], "notes.md (Gemini CLI, 1 change)");
    assert_eq!((&display["states"], &display["notes"]), (&json!("1 kept"), &json!([])));
    assert_eq!(display["diff"], json!(["@@ -1,2 +1,2 @@ change 1 of 1: kept\n-one\n+ONE\n two\n"]));
}

#[tokio::test]
async fn files_of_one_name_are_told_apart() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    let other = Review { id: ReviewId(2), file: "/p/below/notes.md".into(), ..stage.review.clone() };
    stage.tell(Event::Opened(other));
    stage.run().await;
    let display = stage.last("didOpenReview")["display"].take();
    assert_eq!(display["messages"], json!(["below/notes.md: Gemini CLI proposes 1 change"]));
}

#[tokio::test]
async fn a_text_is_set_and_the_answer_names_the_revision() {
    let mut stage = Stage::with("one\ntwo\n", "ONE\ntwo\n").await;
    let id = stage.ask("alongside/setReviewText", &text(1, "ONE\ntyped\n"));
    stage.run().await;
    let heard = stage.heard();
    let place = |fits: &dyn Fn(&Message) -> bool| heard.iter().position(fits);
    let changed = place(
        &|message| matches!(message, Message::Notification(told) if told.method.ends_with("didChangeReview")),
    );
    let answered = place(&|message| matches!(message, Message::Response(response) if response.id == id));
    assert!(changed < answered && changed.is_some(), "{heard:?}");
    let Some(Message::Notification(told)) = changed.map(|at| heard[at].clone()) else { panic!() };
    assert_eq!(told.params["current"], "ONE\ntyped\n");
    assert_eq!(told.params["display"]["messages"], json!([]), "the person knows what they typed");
    let Some(Message::Response(response)) = answered.map(|at| heard[at].clone()) else { panic!() };
    assert_eq!(response.response_result.unwrap(), json!({ "revision": 2 }));
    assert_eq!(&*stage.review.current, "ONE\ntyped\n");
}

#[tokio::test]
async fn a_text_is_merged_with_the_changes_of_other_desks() {
    let mut stage = Stage::with("one\ntwo\nthree\n", "ONE\ntwo\nthree\n").await;
    stage.set("ONE\ntwo\nTHREE there\n");
    // The plugin has not seen that.
    let id = stage.ask("alongside/setReviewText", &text(1, "ONE here\ntwo\nthree\n"));
    stage.run().await;
    let both = "ONE here\ntwo\nTHREE there\n";
    assert_eq!(stage.answer(&id), Ok(json!({ "revision": 3, "text": both })));
    assert_eq!(&*stage.review.current, both);
    // Based on the same revision still, the plugin types more before it shows the merged text.
    let id = stage.ask("alongside/setReviewText", &text(1, "ONE here!\ntwo\nthree\n"));
    stage.run().await;
    let both = "ONE here!\ntwo\nTHREE there\n";
    assert_eq!(stage.answer(&id), Ok(json!({ "revision": 4, "text": both })));
    stage.set("ONE elsewhere\n");
    stage.run().await;
    let told = stage.last("didChangeReview");
    let said = "notes.md: changed at another desk; this is how it stands now.";
    assert_eq!(told["display"]["messages"], json!([said]));
    assert_eq!(told["current"], "ONE elsewhere\n");
}

#[tokio::test]
async fn a_change_that_the_person_made_here_is_no_news() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    stage.ask("alongside/keepHunks", &json!({ "id": 1, "revision": 1, "hunks": [0], "keep": false }));
    stage.run().await;
    assert_eq!(stage.last("didChangeReview")["display"]["messages"], json!([]));
    stage.set("two\n");
    stage.run().await;
    assert_ne!(stage.last("didChangeReview")["display"]["messages"], json!([]), "the answer has come");
}

#[tokio::test]
async fn a_decision_is_made_on_the_text_that_the_person_sees() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    let decide =
        |revision, text: &str| json!({ "id": 1, "revision": revision, "text": text, "decision": "accept" });
    stage.set("ONE there\ntoo\n");
    let id = stage.ask("alongside/decideReview", &decide(1, "ONE\nhere\n"));
    stage.run().await;
    let refused = stage.answer(&id).unwrap_err();
    assert_eq!((&refused["why"], &refused["text"]), (&json!("stale"), &json!(&*stage.review.current)));
    assert_eq!(stage.decided, None, "the person has not seen the merged text");

    let (revision, seen) = (stage.review.revision, stage.review.current.to_string() + "seen\n");
    let id = stage.ask("alongside/decideReview", &decide(revision, &seen));
    stage.run().await;
    assert_eq!(stage.decided, Some((revision + 1, Decision::Accept)));
    assert_eq!(*stage.review.current, *seen);
    let closed = stage.heard();
    let said = closed.iter().find_map(|message| match message {
        Message::Notification(told) if told.method == "alongside/didCloseReview" => {
            Some(&told.params["display"])
        }
        _ => None,
    });
    assert_eq!(said.unwrap()["messages"], json!(["notes.md: accepted; Gemini CLI writes it."]));
    assert!(closed.iter().any(|message| matches!(message, Message::Response(answer) if answer.id == id)));
}

#[tokio::test]
async fn a_file_that_has_changed_is_accepted_only_by_who_knows() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    stage.review.stale = true;
    stage.set("ONE\n");
    let accept =
        |revision: u64| json!({ "id": 1, "revision": revision, "text": "ONE\n", "decision": "accept" });
    stage.run().await;
    let id = stage.ask("alongside/decideReview", &accept(1));
    stage.run().await;
    assert_eq!((stage.answer(&id).unwrap_err()["why"].as_str(), stage.decided), (Some("stale"), None));
    stage.ask("alongside/decideReview", &accept(2));
    stage.run().await;
    assert_eq!(stage.decided, Some((2, Decision::Accept)));
}

#[tokio::test]
async fn a_text_that_nobody_edited_is_accepted_byte_for_byte() {
    let mut stage = Stage::with("one\ntwo\r\n", "ONE\r\ntwo\r\n").await;
    stage.set("one\ntwo\r\n");
    stage.run().await;
    let shown = stage.last("didChangeReview")["current"].take();
    let accept = json!({ "id": 1, "revision": 2, "text": shown, "decision": "accept" });
    stage.ask("alongside/decideReview", &accept);
    stage.run().await;
    assert_eq!((stage.decided, &*stage.review.current), (Some((2, Decision::Accept)), "one\ntwo\r\n"));
}

#[tokio::test]
async fn texts_have_no_mark_and_plain_line_ends_in_the_editor_only() {
    let mut stage = Stage::with("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n").await;
    let told = stage.last("didOpenReview");
    assert_eq!((&told["current"], &told["original"]), (&json!("ONE\ntwo\n"), &json!("one\ntwo\n")));
    let id = stage.ask("alongside/setReviewText", &text(1, "ONE\ntwo\nthree\n"));
    stage.run().await;
    assert_eq!(stage.answer(&id), Ok(json!({ "revision": 2 })));
    assert_eq!(&*stage.review.current, "\u{feff}ONE\r\ntwo\r\nthree\r\n");
}

#[tokio::test]
async fn a_flush_waits_for_the_last_text() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    stage.ask("alongside/setReviewText", &text(1, "typed\n"));
    stage.desk.handle_forwarded_response(&mut stage.io, &RequestId::from("flush-1".to_owned()), None);
    let call = stage.seat.calls.try_recv().unwrap();
    assert!(matches!(call.request, Request::EditReview { .. }));
    assert!(stage.seat.calls.try_recv().is_err(), "the text is on its way");
    let reply = stage.carry_out(call.request);
    call.answer.send(reply).unwrap();
    stage.run().await;
    assert!(stage.flushed && &*stage.review.current == "typed\n");
}

#[tokio::test]
async fn a_flush_after_a_decision_is_answered() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    stage.ask(
        "alongside/decideReview",
        &json!({ "id": 1, "revision": 1, "text": "ONE\n", "decision": "accept" }),
    );
    stage.desk.handle_forwarded_response(&mut stage.io, &RequestId::from("flush-1".to_owned()), None);
    stage.run().await;
    assert!(stage.flushed && stage.decided.is_some());
}

#[tokio::test]
async fn a_text_for_an_ended_review_or_an_unknown_revision_is_refused() {
    let mut stage = Stage::with("one\n", "ONE\n").await;
    let id = stage.ask("alongside/setReviewText", &text(9, "x\n"));
    stage.run().await;
    assert_eq!(stage.answer(&id).unwrap_err()["why"], "stale");
    let id = stage.ask("alongside/setReviewText", &json!({ "id": 7, "revision": 1, "text": "x\n" }));
    stage.run().await;
    assert_eq!(stage.answer(&id).unwrap_err()["why"], "noSuchReview");
    let id = stage.ask("alongside/setReviewText", &json!({ "id": 1, "text": 5 }));
    stage.run().await;
    assert!(stage.answer(&id).is_err());
}

#[test]
fn every_revision_since_the_opening_is_known_for_a_while() {
    let review = Review { current: "0\n".into(), revision: 1, ..Review::default() };
    let mut presented = super::presented_review::PresentedReview::new(review);
    for revision in 2..200_u64 {
        let text = format!("{revision}\n");
        let changes = replacement(&presented.review().current, &text).into_iter().collect();
        let changed = Changed {
            id: ReviewId(0),
            from: revision - 1,
            revision,
            changes,
            hunks: Vec::new(),
            stale: false,
            dirty: false,
            reason: None,
        };
        presented.take(changed, &[], true);
    }
    assert_eq!(presented.text_at(199), Some(&Arc::from("199\n")));
    assert_eq!(presented.text_at(150), Some(&Arc::from("150\n")));
    assert_eq!((presented.text_at(2), presented.text_at(200)), (None, None));
}
