//! The two threads between the editor's pipe and our loop, and the requests that an editor has still to
//! answer.
//!
//! `lsp-server` hands over one message at a time in both directions: a loop that sent directly would wait for
//! an editor that is slow to read. So what is sent goes through a queue without a bound.

use std::collections::BTreeMap;
use std::time::Duration;

use alongside_desk::{Desk, Refusal, Request, ReviewId, Revised};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use lsp_server::{Connection, Message, Notification, RequestId, Response, ResponseError};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How long an editor may take to answer what asks nothing of its person.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);

/// Why something was asked of the companion: what its answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Nobody waits for it.
    Nobody,
    /// The editor's plugin does.
    Plugin(RequestId),
    /// The person's edits of a proposal.
    Edit(ReviewId),
    /// Something the person asked for about a review; by a command, which is to be answered, or otherwise.
    Command(Option<RequestId>, ReviewId),
}

/// Everything a desk talks through.
pub(crate) struct Io {
    to_editor: std::sync::mpsc::Sender<Message>,
    last: i32,
    /// What the editor has been asked.
    waiting: BTreeMap<i32, Waiting>,
    /// The companion, once it is reached.
    pub(crate) desk: Option<Desk>,
    /// What the companion has been asked, in that order.
    answers: FuturesOrdered<BoxFuture<'static, Answer>>,
    /// An answer that is there, for when all that was told before it has been heard.
    held: Option<Answer>,
}

type Answer = (Asked, Result<Revised, Refusal>);

struct Waiting {
    until: Option<Instant>,
    method: &'static str,
}

/// The editor's messages.
pub(crate) type Inbox = mpsc::UnboundedReceiver<Message>;

/// Starts both threads. They end with the connection.
pub(crate) fn open(connection: Connection) -> (Inbox, Io) {
    let Connection { sender, receiver } = connection;
    let (received, inbox) = mpsc::unbounded_channel();
    std::thread::spawn(move || receiver.into_iter().try_for_each(|message| received.send(message)));
    let (to_editor, outbox) = std::sync::mpsc::channel();
    std::thread::spawn(move || outbox.into_iter().try_for_each(|message| sender.send(message)));
    (inbox, Io::new(to_editor))
}

impl Io {
    /// Without threads: what is sent waits for whoever takes it.
    pub(crate) fn new(to_editor: std::sync::mpsc::Sender<Message>) -> Self {
        Self {
            to_editor,
            last: 0,
            waiting: BTreeMap::new(),
            desk: None,
            answers: FuturesOrdered::new(),
            held: None,
        }
    }

    /// Sends as it is. To an editor that is gone nothing is said.
    pub(crate) fn send(&self, message: impl Into<Message>) {
        let _ = self.to_editor.send(message.into());
    }

    /// Tells the editor.
    pub(crate) fn notify(&self, method: &str, params: impl Serialize) {
        // Our types hold nothing that cannot be written.
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Answers the editor.
    pub(crate) fn reply(&self, id: RequestId, result: impl Serialize) {
        let result = serde_json::to_value(result).unwrap_or_default();
        self.send(Response { id, response_result: Ok(result) });
    }

    /// Answers the editor that it could not be done.
    pub(crate) fn refuse(&self, id: RequestId, code: i64, message: impl Into<String>, data: Option<Value>) {
        let code = i32::try_from(code).unwrap_or(lsp_server::ErrorCode::InternalError as i32);
        let error = ResponseError { code, message: message.into(), data };
        self.send(Response { id, response_result: Err(error) });
    }

    /// Asks the editor; what it answers comes back under this number, and if it does not answer within ten
    /// seconds, that it did not. A question to its person has no such limit.
    pub(crate) fn ask(&mut self, method: &'static str, params: impl Serialize, of_person: bool) -> i32 {
        self.last += 1;
        let until = (!of_person).then(|| Instant::now() + ANSWERED_WITHIN);
        self.waiting.insert(self.last, Waiting { until, method });
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(lsp_server::Request { id: self.last.into(), method: method.to_owned(), params });
        self.last
    }

    /// Which of our questions an answer is to; `None` if nobody waits for it.
    pub(crate) fn answered(&mut self, id: &RequestId) -> Option<i32> {
        let number = self.waiting.keys().find(|number| RequestId::from(**number) == *id).copied()?;
        self.waiting.remove(&number).map(|_| number)
    }

    /// When the next question counts as not answered.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.waiting.values().filter_map(|waiting| waiting.until).min()
    }

    /// The questions that count as not answered by now.
    pub(crate) fn unanswered(&mut self, now: Instant) -> Vec<i32> {
        let late = self.waiting.extract_if(.., |_, waiting| waiting.until.is_some_and(|until| until <= now));
        let late = late.map(|(number, waiting)| {
            tracing::info!(method = waiting.method, "the editor does not answer");
            number
        });
        late.collect()
    }

    /// Asks the companion, if it is there; the answer comes back with `asked`.
    pub(crate) fn request(&mut self, asked: Asked, request: Request) {
        let answer = self.desk.as_ref().map(|desk| desk.send(request));
        self.answers.push_back(Box::pin(async move {
            let answer = match answer {
                Some(answer) => answer.await.unwrap_or(Err(Refusal::Stopped)),
                None => Err(Refusal::Interrupted),
            };
            (asked, answer)
        }));
    }

    /// What the companion tells next; for good if it is not there. What has changed is told before the
    /// request is answered that changed it. Cancel safe.
    pub(crate) async fn told(&mut self) -> Told {
        let told = async |desk: &mut Option<Desk>| match desk {
            Some(desk) => desk.next().await.ok(),
            None => std::future::pending().await,
        };
        loop {
            if self.held.is_some()
                && let Some(event) = self.desk.as_mut().and_then(Desk::try_next)
            {
                return Told::Event(Box::new(event));
            }
            if let Some((asked, answer)) = self.held.take() {
                return Told::Answer(asked, answer);
            }
            tokio::select! {
                event = told(&mut self.desk) => {
                    return event.map_or(Told::Gone, |event| Told::Event(Box::new(event)));
                }
                Some(answer) = self.answers.next(), if !self.answers.is_empty() => self.held = Some(answer),
            }
        }
    }
}

/// What the companion says.
#[derive(Debug)]
pub(crate) enum Told {
    Event(Box<alongside_desk::Event>),
    Answer(Asked, Result<Revised, Refusal>),
    /// It has stopped.
    Gone,
}
