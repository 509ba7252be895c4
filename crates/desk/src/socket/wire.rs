//! The messages of the desk protocol as JSON-RPC, on a socket or among the messages of LSP.

use alongside_contract::rpc::{self, ErrorObject, Id};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::compact_review::{CompactEvent, CompactReview};
use super::compact_turn::SentTurns;
use super::handshake::{GOODBYE, Goodbye};
use crate::protocol_messages::{Event, Request};
use crate::review::ReviewId;
use crate::review::decision::{Refusal, Revised};

/// LSP's code for a request that was understood and could not be carried out; its data is a [`Refusal`].
pub const REQUEST_FAILED: i64 = -32803;
const FLUSH: &str = "alongside/flushReview";
const FLUSH_ID: &str = "flush-";
const DIAGNOSTICS: &str = "alongside/getDiagnostics";
const DIAGNOSTICS_ID: &str = "diagnostics-";

/// Any message with a method; `id` makes it a request.
#[derive(Serialize)]
struct Outgoing<'a, Body> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(flatten)]
    body: &'a Body,
}

/// Writes a desk's request.
pub(super) fn request(id: u64, request: &Request) -> String {
    // Our types hold nothing that cannot be written.
    serde_json::to_string(&Outgoing { jsonrpc: "2.0", id: Some(id), body: request }).unwrap_or_default()
}

/// Reads a desk's request from its method and parameters. `None` for messages of LSP that mean nothing here.
///
/// # Errors
/// The JSON-RPC error to answer with: there is no such method, or the parameters are not its.
pub fn read_request(method: &str, params: Option<&RawValue>) -> Result<Option<Request>, ErrorObject> {
    match method {
        "initialized" | "shutdown" | "$/setTrace" | "$/cancelRequest" => return Ok(None),
        "exit" => return Ok(Some(Request::Leave)),
        "alongside/didFocus" => return Ok(Some(Request::Focus)),
        _ => {}
    }
    tagged(method, params).map(Some).map_err(|error| {
        let (code, message) = match error.to_string() {
            message if message.starts_with(&format!("unknown variant `{method}`")) => {
                (rpc::METHOD_NOT_FOUND, format!("there is no method {method:?}"))
            }
            message => (rpc::INVALID_PARAMS, message),
        };
        ErrorObject { code, message, data: None }
    })
}

/// Reads the variant of a method.
fn tagged<T: DeserializeOwned>(method: &str, params: Option<&RawValue>) -> Result<T, serde_json::Error> {
    let (method, params) = (serde_json::Value::from(method), params.map_or("{}", RawValue::get));
    serde_json::from_str(&format!("{{\"method\":{method},\"params\":{params}}}"))
}

/// Writes the answer to a desk's request.
pub fn answer(id: &Id, answer: Result<Revised, Refusal>) -> String {
    match answer {
        Ok(revised) => rpc::reply(id, &revised),
        Err(refusal) => rpc::error_with(id, REQUEST_FAILED, &refusal.to_string(), &refusal),
    }
}

/// The message to a desk whose request the companion does not know: an older program started the companion.
const OLDER_COMPANION: &str = concat!(
    "the companion of this project runs an older alongside that cannot do this: ",
    "hand over with `alongside host --replace`"
);

/// Reads the reply to a desk's request. An unknown refusal keeps the host's words.
pub(super) fn read_answer(result: Result<&RawValue, ErrorObject>) -> Result<Revised, Refusal> {
    match result {
        Ok(raw) => Ok(serde_json::from_str(raw.get()).unwrap_or_default()),
        Err(error) if error.code == rpc::METHOD_NOT_FOUND => {
            Err(Refusal::Other { words: OLDER_COMPANION.to_owned() })
        }
        Err(error) => Err(error
            .data
            .and_then(|data| serde_json::from_value(data).ok())
            .unwrap_or(Refusal::Other { words: error.message })),
    }
}

/// Writes an event. A flush and a question are requests, for the companion waits for the reply.
pub fn event(event: &Event) -> String {
    match event {
        Event::FlushReview { id } => {
            rpc::request(&Id::Text(format!("{FLUSH_ID}{id}")), FLUSH, &serde_json::json!({ "id": id }))
        }
        Event::DiagnosticsWanted { number } => {
            rpc::request(&diagnostics_id(*number), DIAGNOSTICS, &serde_json::json!({ "number": number }))
        }
        event => {
            serde_json::to_string(&Outgoing { jsonrpc: "2.0", id: None, body: event }).unwrap_or_default()
        }
    }
}

fn diagnostics_id(number: u64) -> Id {
    Id::Text(format!("{DIAGNOSTICS_ID}{number}"))
}

/// Writes the reply to a request of the companion; `None` for any other request of a desk.
pub(super) fn reply(request: &Request) -> Option<String> {
    match request {
        Request::Flushed { id } => Some(rpc::reply(&Id::Text(format!("{FLUSH_ID}{id}")), &())),
        Request::Diagnostics { number, files } => Some(rpc::reply(&diagnostics_id(*number), files)),
        _ => None,
    }
}

/// The events of one connection, in the form that the desk at its end understands.
#[derive(Debug, Default)]
pub(crate) struct EventWriter {
    /// The desk understands reviews in the [compact form](super::compact_review).
    pub(super) compact: bool,
    /// The desk understands [short forms](super::compact_turn) of these turn reviews.
    pub(super) turns: Option<SentTurns>,
}

impl EventWriter {
    /// Writes an event.
    pub(crate) fn write(&mut self, event: &Event) -> String {
        let compact = match (event, &mut self.turns) {
            (Event::Opened(review), _) if self.compact => CompactReview::of(review).map(CompactEvent::Opened),
            (Event::Turn(turn), Some(sent)) => sent.shorten(turn).map(CompactEvent::Turn),
            _ => None,
        };
        match compact {
            Some(told) => {
                serde_json::to_string(&Outgoing { jsonrpc: "2.0", id: None, body: &told }).unwrap_or_default()
            }
            None => self::event(event),
        }
    }
}

/// Reads an event in one pass, for texts of megabytes. Parsing a message of unknown kind takes three passes.
pub(super) fn read_event(message: &[u8], turns: &mut SentTurns) -> Option<Event> {
    match serde_json::from_slice(message) {
        Ok(Event::Turn(turn)) => {
            turns.remember(&turn);
            Some(Event::Turn(turn))
        }
        Ok(Event::Opened(mut review)) => {
            if review.current == review.proposed {
                // A text of megabytes is there once.
                review.current = review.proposed.clone();
            }
            Some(Event::Opened(review))
        }
        Ok(event) => Some(event),
        Err(_) => match serde_json::from_slice(message).ok()? {
            CompactEvent::Opened(review) => Some(Event::Opened(review.whole())),
            CompactEvent::Turn(update) => turns.restore(update).map(Event::Turn),
        },
    }
}

/// Returns the request of a desk that a reply to the companion stands for. A reply with an error, or one that
/// cannot be read, says that the desk has nothing to tell.
pub fn read_reply(id: &Id, result: Option<&RawValue>) -> Option<Request> {
    let Id::Text(id) = id else { return None };
    if let Some(id) = id.strip_prefix(FLUSH_ID) {
        return Some(Request::Flushed { id: ReviewId(id.parse().ok()?) });
    }
    let number = id.strip_prefix(DIAGNOSTICS_ID)?.parse().ok()?;
    let files = result.and_then(|result| serde_json::from_str(result.get()).ok()).unwrap_or_default();
    Some(Request::Diagnostics { number, files })
}

/// A message of the host that is no reply.
pub(super) enum HostMessage {
    Event(Box<Event>),
    Goodbye(Goodbye),
    /// A message of a newer host that this version does not know.
    Unknown,
}

/// Reads a message of the host to a desk.
pub(super) fn read_host_message(
    method: &str,
    params: Option<&RawValue>,
) -> Result<HostMessage, serde_json::Error> {
    if method == GOODBYE {
        return serde_json::from_str(params.map_or("{}", RawValue::get)).map(HostMessage::Goodbye);
    }
    match tagged(method, params) {
        Ok(event) => Ok(HostMessage::Event(Box::new(event))),
        Err(error) if error.to_string().starts_with("unknown variant") => Ok(HostMessage::Unknown),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommentId, ContextReport, Decision, LineRange, Review, Scope, Side, TurnId};

    fn round(request: &Request) -> Request {
        let line = super::request(7, request);
        let rpc::Message::Request { method, params, .. } =
            rpc::Message::parse(line.as_bytes()).unwrap().unwrap()
        else {
            panic!("a request")
        };
        read_request(&method, params).unwrap().unwrap()
    }

    #[test]
    fn requests_come_through() {
        let id = ReviewId(3);
        for request in [
            Request::ChangeContext(ContextReport::default()),
            Request::KeepHunks { id, revision: 2, hunks: vec![0, 4], keep: false },
            Request::RedoReview { id, revision: 2 },
            Request::DecideReview { id, revision: 2, decision: Decision::Accept },
            Request::Grant { id, scope: Scope::Folder },
            Request::WithdrawGrants {},
            Request::ReviewTurn { directory: None, since: Some("HEAD~3".into()) },
            Request::OpenTurnFile { turn: TurnId(1), revision: 2, file: 3 },
            Request::MarkTurnFile { turn: TurnId(1), revision: 2, file: 3, undo: true },
            Request::AddComment {
                turn: TurnId(1),
                revision: 2,
                file: Some(3),
                lines: Some(LineRange { first: 4, last: 5 }),
                side: Side::Old,
                text: "why?".into(),
            },
            Request::ChangeComment { turn: TurnId(1), id: CommentId(6), text: String::new() },
            Request::FinishTurn { turn: TurnId(1), revision: 2, send: true, ask_to_undo: false },
            Request::PauseContext { paused: true },
            Request::Focus,
            Request::Leave,
        ] {
            assert_eq!(round(&request), request);
        }
    }

    #[test]
    fn an_error_says_which_half_is_not_understood() {
        let params = |json: &str| RawValue::from_string(json.into()).unwrap();
        let code = |method: &str, json: &str| read_request(method, Some(&params(json))).unwrap_err().code;
        assert_eq!(code("alongside/nonsense", "{}"), rpc::METHOD_NOT_FOUND);
        assert_eq!(code("alongside/decideReview", r#"{"id":1}"#), rpc::INVALID_PARAMS);
        let maybe = r#"{"id":1,"revision":1,"decision":"maybe"}"#;
        assert_eq!(code("alongside/decideReview", maybe), rpc::INVALID_PARAMS);
        assert_eq!(read_request("initialized", Some(&params("{}"))), Ok(None));
    }

    #[test]
    fn refusals_come_through_and_foreign_ones_are_repeated() {
        let raw = |line: String| match rpc::Message::parse(line.as_bytes()).unwrap().unwrap() {
            rpc::Message::Reply { result, .. } => read_answer(result),
            _ => panic!("a reply"),
        };
        let id = Id::Number(1);
        assert_eq!(raw(answer(&id, Ok(Revised { revision: 4 }))), Ok(Revised { revision: 4 }));
        let stale = Refusal::Stale { revision: 9 };
        assert_eq!(raw(answer(&id, Err(stale.clone()))), Err(stale));
        let foreign = rpc::error(Some(&id), -1, "no such thing");
        assert_eq!(raw(foreign), Err(Refusal::Other { words: "no such thing".into() }));
    }

    #[test]
    fn a_request_that_the_companion_does_not_know_says_that_it_is_older() {
        let unknown = read_request("alongside/invented", None).unwrap_err();
        let refused = read_answer(Err(unknown)).unwrap_err().to_string();
        assert!(refused.contains("an older alongside") && refused.contains("host --replace"), "{refused}");
    }

    #[test]
    fn a_flush_is_a_request_and_its_reply_names_the_review() {
        let line = event(&Event::FlushReview { id: ReviewId(5) });
        let rpc::Message::Request { id, method, params } =
            rpc::Message::parse(line.as_bytes()).unwrap().unwrap()
        else {
            panic!("a request")
        };
        let HostMessage::Event(told) = read_host_message(&method, params).unwrap() else {
            panic!("an event")
        };
        assert_eq!(*told, Event::FlushReview { id: ReviewId(5) });
        let flushed = Request::Flushed { id: ReviewId(5) };
        assert_eq!(read_reply(&id, None), Some(flushed.clone()));
        assert_eq!(read_reply(&Id::Number(5), None), None);
        assert!(super::reply(&flushed).unwrap().contains("flush-5"));
    }

    #[test]
    fn diagnostics_are_the_reply_to_a_question() {
        let line = event(&Event::DiagnosticsWanted { number: 7 });
        let Ok(Ok(rpc::Message::Request { id, method, params })) = rpc::Message::parse(line.as_bytes())
        else {
            panic!("a request")
        };
        let HostMessage::Event(told) = read_host_message(&method, params).unwrap() else {
            panic!("an event")
        };
        assert_eq!(*told, Event::DiagnosticsWanted { number: 7 });
        let found = crate::Diagnostic { message: "no".into(), ..crate::Diagnostic::default() };
        let files = vec![crate::FileDiagnostics { path: "/a".into(), diagnostics: vec![found] }];
        let answer = Request::Diagnostics { number: 7, files };
        let line = super::reply(&answer).unwrap();
        let Ok(Ok(rpc::Message::Reply { result: Ok(result), .. })) = rpc::Message::parse(line.as_bytes())
        else {
            panic!("a reply")
        };
        assert_eq!(read_reply(&id, Some(result)), Some(answer));
        let none = Request::Diagnostics { number: 7, files: Vec::new() };
        assert_eq!(read_reply(&id, None), Some(none));
    }

    #[test]
    fn a_review_without_an_original_has_its_text_once() {
        let text = |text: &str| std::sync::Arc::<str>::from(text);
        let review = Review { proposed: text("new\n"), current: text("new\n"), ..Review::default() };
        let line = EventWriter { compact: true, turns: None }.write(&Event::Opened(review.clone()));
        let Some(Event::Opened(read)) = read_event(line.as_bytes(), &mut SentTurns::default()) else {
            panic!("a review")
        };
        assert_eq!(read, review);
        assert!(std::sync::Arc::ptr_eq(&read.current, &read.proposed));
    }

    #[test]
    fn events_of_a_newer_host_are_ignored() {
        assert!(matches!(read_host_message("alongside/didInvent", None).unwrap(), HostMessage::Unknown));
    }
}
