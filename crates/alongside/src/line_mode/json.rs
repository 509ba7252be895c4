//! The desk for programs: one JSON object per line. Events go to standard output, requests come from standard
//! input. The desk protocol defines the messages; `docs/review-json.md` shows a session.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;

use alongside_common::signals::Signals;
use alongside_desk::{Desk, Event, Refusal, Request, Review, ReviewId, Revised};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::ending::{Ending, LEAVE_TIMEOUT, unless_ended};
use super::line_reader::{InputLine, LineReader};
use alongside_desk::harmless;

/// The desk for programs, on standard input and output.
pub(crate) struct JsonDesk {
    desk: Desk,
    /// The waiting reviews, and the open files of turns. A program gets the whole review at each change.
    reviews: BTreeMap<ReviewId, Review>,
    /// The request for a turn review, if the program reviews a turn. The desk then ends with its input.
    turn_request: Option<Request>,
    input: LineReader,
    out: std::io::Stdout,
}

impl JsonDesk {
    /// Creates a desk, which writes nothing before [`run`](Self::run). `turn_request`: the request for a turn
    /// review, if the program reviews a turn.
    pub(crate) fn new(desk: Desk, turn_request: Option<Request>) -> Self {
        let (input, out) = (LineReader::stdin(), std::io::stdout());
        Self { desk, reviews: BTreeMap::new(), turn_request, input, out }
    }

    /// Runs until a signal, the companion or a closed output ends the desk. The end of input ends only a turn
    /// review: a proposal can still be decided in the agent.
    pub(crate) async fn run(&mut self, signals: &mut Signals) -> Ending {
        if let Some(request) = self.turn_request.clone() {
            let reply = tokio::select! {
                signal = signals.next() => return Ending::Signal(signal),
                answer = self.desk.request(request) => result(None, answer),
            };
            if self.write(&reply).is_err() {
                return Ending::OutputClosed;
            }
        }
        loop {
            let written = tokio::select! {
                signal = signals.next() => return Ending::Signal(signal),
                event = self.desk.next() => match event {
                    Ok(event) => self.write_event(event),
                    Err(alongside_desk::Gone) => return Ending::Gone,
                },
                input = self.input.next() => match input {
                    InputLine::Line(line) if line.trim().is_empty() => Ok(()),
                    InputLine::Line(line) => match unless_ended(signals, false, self.take_line(&line)).await {
                        ControlFlow::Continue(written) => written,
                        ControlFlow::Break(ending) => return ending,
                    },
                    InputLine::End if self.turn_request.is_some() => return Ending::Left,
                    InputLine::CtrlD | InputLine::Unfinished(_) | InputLine::Redraw(_) | InputLine::End => {
                        Ok(())
                    }
                },
            };
            if written.is_err() {
                return Ending::OutputClosed;
            }
        }
    }

    /// Leaves the companion, and writes the events that come meanwhile.
    pub(crate) async fn finish(&mut self) {
        self.desk.send(Request::Leave);
        while let Ok(Ok(event)) = timeout(LEAVE_TIMEOUT, self.desk.next()).await {
            if self.write_event(event).is_err() {
                return;
            }
        }
    }

    fn write_event(&mut self, event: Event) -> std::io::Result<()> {
        match event {
            Event::Opened(review) => {
                self.write(&Event::Opened(review.clone()))?;
                self.reviews.insert(review.id, review);
                Ok(())
            }
            Event::TurnFile(opened) => {
                self.write(&Event::TurnFile(opened.clone()))?;
                self.reviews.insert(opened.review.id, opened.review);
                Ok(())
            }
            Event::Changed(changed) => {
                let Some(review) = self.reviews.get_mut(&changed.id) else { return Ok(()) };
                if let Err(out_of_step) = review.take(changed) {
                    tracing::error!(%out_of_step);
                }
                let message = json!({ "method": "alongside/didChangeReview", "params": review });
                self.write(&message)
            }
            Event::Closed(closed) => {
                self.reviews.remove(&closed.id);
                self.write(&Event::Closed(closed))
            }
            // The environment has the token, and programs may log the output.
            Event::Status(mut status) => {
                status.environment = alongside_desk::Environment::default();
                self.write(&Event::Status(status))
            }
            other => self.write(&other),
        }
    }

    /// Sends the request on a line, and writes the reply.
    async fn take_line(&mut self, line: &str) -> std::io::Result<()> {
        let mut message: Value = match serde_json::from_str(line) {
            Ok(message) => message,
            Err(error) => return self.write(&not_understood(None, &format!("this is not JSON: {error}"))),
        };
        let id = message.as_object_mut().and_then(|message| message.remove("id"));
        let result = match serde_json::from_value::<Request>(message) {
            Ok(request) => result(id, self.desk.request(request).await),
            Err(error) => not_understood(id, &format!("this is no request: {error}")),
        };
        self.write(&result)
    }

    fn write(&mut self, message: &impl Serialize) -> std::io::Result<()> {
        let line = serde_json::to_string(message)?;
        let mut out = self.out.lock();
        writeln!(out, "{}", harmless::json(&line))?;
        out.flush()
    }
}

/// Returns the reply to a request.
fn result(id: Option<Value>, outcome: Result<Revised, Refusal>) -> Value {
    let mut reply = match outcome {
        Ok(revised) => json!({ "method": "result", "result": revised }),
        Err(refusal) => {
            let mut error = serde_json::to_value(&refusal).unwrap_or_default();
            error["message"] = refusal.to_string().into();
            json!({ "method": "result", "error": error })
        }
    };
    if let Some(id) = id {
        reply["id"] = id;
    }
    reply
}

/// Returns the reply to a line that is not a request.
fn not_understood(id: Option<Value>, why: &str) -> Value {
    let mut reply = json!({ "method": "result", "error": { "why": "notUnderstood", "message": why } });
    if let Some(id) = id {
        reply["id"] = id;
    }
    reply
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Hunk, HunkState, Reasons, TurnId};

    use super::*;

    #[test]
    fn a_reason_is_a_request_and_a_review_has_it() {
        let line = r#"{"method":"alongside/setReason","params":{"id":1,"revision":2,"reason":"too early"}}"#;
        let request: Request = serde_json::from_str(line).unwrap();
        let (id, reason) = (ReviewId(1), "too early".to_owned());
        assert_eq!(request, Request::SetReason { id, revision: 2, hunk: None, reason: reason.clone() });
        let hunk = Hunk { state: HunkState::Dropped, reason: Some(reason.clone()), ..Hunk::default() };
        let reasons = Reasons::WithRejection;
        let review = Review { reasons, reason: Some(reason), hunks: vec![hunk], ..Review::default() };
        let written = serde_json::to_value(&review).unwrap();
        assert_eq!((&written["reasons"], &written["reason"]), (&json!("withRejection"), &json!("too early")));
        assert_eq!(written["hunks"][0]["reason"], "too early");
        let refused = result(None, Err(Refusal::NoReason));
        assert_eq!(refused["error"]["why"], "noReason");
    }

    #[test]
    fn files_of_a_turn_are_opened_marked_and_undone_by_requests() {
        let parsed = |method: &str, params: Value| {
            let line = json!({ "method": format!("alongside/{method}"), "params": params });
            serde_json::from_value::<Request>(line).unwrap()
        };
        let (turn, revision) = (TurnId(1), 2);
        assert_eq!(
            parsed("openTurnFile", json!({ "turn": 1, "revision": 2, "file": 0 })),
            Request::OpenTurnFile { turn, revision, file: 0 }
        );
        assert_eq!(
            parsed("markTurnFile", json!({ "turn": 1, "revision": 2, "file": 3, "undo": true })),
            Request::MarkTurnFile { turn, revision, file: 3, undo: true }
        );
        let finish = parsed("finishTurn", json!({ "turn": 1, "revision": 2 }));
        assert_eq!(finish, Request::FinishTurn { turn, revision, send: false, ask_to_undo: false });
        let look = Request::ReviewTurn { directory: None, since: Some("HEAD~2".into()) };
        assert_eq!(parsed("reviewTurn", json!({ "since": "HEAD~2" })), look);
        let refused = result(None, Err(Refusal::TurnUnknown { reason: "there is no git".into() }));
        assert_eq!(refused["error"]["why"], "turnUnknown");
        assert_eq!(refused["error"]["message"], "the changes cannot be told: there is no git");
    }

    #[test]
    fn replies_repeat_the_id_and_the_reason() {
        insta::assert_snapshot!(
            result(Some(json!("a")), Ok(Revised { revision: 3 })),
            @r#"{"id":"a","method":"result","result":{"revision":3}}"#
        );
        let message = "the review has changed: look at it again";
        assert_eq!(
            result(Some(json!(7)), Err(Refusal::Stale { revision: 4 })).to_string(),
            format!(
                r#"{{"error":{{"message":"{message}","revision":4,"why":"stale"}},"id":7,"method":"result"}}"#
            )
        );
        insta::assert_snapshot!(
            not_understood(None, "this is not JSON"),
            @r#"{"error":{"message":"this is not JSON","why":"notUnderstood"},"method":"result"}"#
        );
    }
}
