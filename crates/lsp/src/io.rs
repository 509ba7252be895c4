//! The session's two conversations: with the editor, over queues and two threads, and with the companion.
//!
//! `lsp-server` passes one message at a time in both directions. Sending directly would block the session
//! while the editor reads slowly, so an unbounded queue is between them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::agent_setup::{AgentSetup, SetupReply};
use alongside_desk::{Desk, Refusal, Request, ReviewId, Revised};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, FuturesUnordered};
use lsp_server::{Connection, Message, Notification, RequestId, Response, ResponseError};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::editor_remote::EditorRemote;

/// The longest wait for an editor's answer to a request that needs no person.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The origin of a request to the companion, which decides who gets the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestOrigin {
    /// No party waits for the reply.
    Unawaited,
    /// The editor's plugin made the request.
    Plugin(RequestId),
    /// The person adds a file to the prompt of an agent.
    Mention,
    /// The person edited a proposal.
    Edit(ReviewId),
    /// The person gave a command about a review; the editor's request, if any, gets an answer.
    Command(Option<RequestId>, ReviewId),
}

/// The connections of a desk to the editor and to the companion.
pub(crate) struct Io {
    to_editor: std::sync::mpsc::Sender<Message>,
    /// The number of the last request to the editor.
    last_number: i32,
    /// Requests to the editor that have no answer yet.
    questions: BTreeMap<i32, OpenQuestion>,
    /// The connection to the companion.
    desk: Option<Desk>,
    /// Requests to the companion, in their order.
    requests: FuturesOrdered<BoxFuture<'static, Reply>>,
    /// Looks for agents to set up.
    agent_setup: Option<Arc<dyn AgentSetup>>,
    /// The searches for agents, and the changes of their settings, that are under way.
    setting_up: FuturesOrdered<BoxFuture<'static, SetupReply>>,
    /// The editor's own program.
    remote: Option<Arc<dyn EditorRemote>>,
    /// The files that this program is to show, by the number of the question.
    showing: FuturesUnordered<BoxFuture<'static, (i32, bool)>>,
    /// A reply that arrived, until all earlier events are handled.
    held_reply: Option<Reply>,
}

type Reply = (RequestOrigin, Result<Revised, Refusal>);

struct OpenQuestion {
    deadline: Option<Instant>,
    method: &'static str,
}

/// A message from the companion.
#[derive(Debug)]
pub(crate) enum CompanionMessage {
    Event(Box<alongside_desk::Event>),
    Reply(RequestOrigin, Result<Revised, Refusal>),
    /// The program, not the companion, replies about agents to set up.
    AgentSetup(SetupReply),
    /// The editor's own program has shown a file, or not; the number is that of the question.
    Shown(i32, bool),
    Stopped,
}

/// Messages from the editor.
pub(crate) type Inbox = mpsc::UnboundedReceiver<Message>;

/// Starts the two threads of a connection. They end with it.
pub(crate) fn open(connection: Connection) -> (Inbox, Io) {
    let Connection { sender, receiver } = connection;
    let (received, inbox) = mpsc::unbounded_channel();
    std::thread::spawn(move || receiver.into_iter().try_for_each(|message| received.send(message)));
    let (to_editor, outbox) = std::sync::mpsc::channel();
    std::thread::spawn(move || outbox.into_iter().try_for_each(|message| sender.send(message)));
    (inbox, Io::new(to_editor))
}

impl Io {
    /// Starts no threads: messages to the editor wait in the channel.
    pub(crate) fn new(to_editor: std::sync::mpsc::Sender<Message>) -> Self {
        Self {
            to_editor,
            last_number: 0,
            questions: BTreeMap::new(),
            desk: None,
            requests: FuturesOrdered::new(),
            agent_setup: None,
            setting_up: FuturesOrdered::new(),
            remote: None,
            showing: FuturesUnordered::new(),
            held_reply: None,
        }
    }

    /// Enables the set-up of agents.
    pub(crate) fn set_agents(&mut self, agents: Arc<dyn AgentSetup>) {
        self.agent_setup = Some(agents);
    }

    /// Enables the use of the editor's own program.
    pub(crate) fn set_remote(&mut self, remote: Option<Arc<dyn EditorRemote>>) {
        self.remote = remote;
    }

    pub(crate) fn remote(&self) -> Option<&dyn EditorRemote> {
        self.remote.as_deref()
    }

    /// Shows a file through the editor's own program, if there is one. Returns the number of the question.
    pub(crate) fn show_by_remote(&mut self, file: &Path, line: Option<usize>) -> Option<i32> {
        let shown = self.remote.as_ref()?.show(file, line);
        self.last_number += 1;
        let number = self.last_number;
        self.showing.push(Box::pin(async move { (number, shown.await) }));
        Some(number)
    }

    /// Looks for agents to set up.
    pub(crate) fn look_for_agents(&mut self) {
        if let Some(agents) = &self.agent_setup {
            let offers = agents.offers();
            self.setting_up.push_back(Box::pin(async { SetupReply::Offers(offers.await) }));
        }
    }

    /// Makes the change of this offer, if it is still the one that the preview shows.
    pub(crate) fn set_agent_up(&mut self, id: &str, preview: &str) {
        if let Some(agents) = &self.agent_setup {
            let made = agents.make(id, preview);
            self.setting_up.push_back(Box::pin(async { SetupReply::Made(made.await) }));
        }
    }

    /// Uses a connection to the companion from now on.
    pub(crate) fn connect(&mut self, desk: Desk) {
        self.desk = Some(desk);
    }

    /// Forgets the connection to the companion.
    pub(crate) fn disconnect(&mut self) {
        self.desk = None;
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.desk.is_some()
    }

    /// Sends a message to the editor; nothing happens if it has ended.
    pub(crate) fn send(&self, message: impl Into<Message>) {
        let _ = self.to_editor.send(message.into());
    }

    pub(crate) fn notify(&self, method: &str, params: impl Serialize) {
        // Our types hold nothing that cannot be written.
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(Notification { method: method.to_owned(), params });
    }

    pub(crate) fn reply(&self, id: RequestId, result: impl Serialize) {
        let result = serde_json::to_value(result).unwrap_or_default();
        self.send(Response { id, response_result: Ok(result) });
    }

    /// Answers a request of the editor with an error.
    pub(crate) fn refuse(&self, id: RequestId, code: i64, message: impl Into<String>, data: Option<Value>) {
        let code = i32::try_from(code).unwrap_or(lsp_server::ErrorCode::InternalError as i32);
        let error = ResponseError { code, message: message.into(), data };
        self.send(Response { id, response_result: Err(error) });
    }

    /// Sends a request to the editor and returns its number. A request that needs no person expires after 10
    /// s.
    pub(crate) fn ask(&mut self, method: &'static str, params: impl Serialize, needs_person: bool) -> i32 {
        self.last_number += 1;
        let deadline = (!needs_person).then(|| Instant::now() + ANSWER_TIMEOUT);
        self.questions.insert(self.last_number, OpenQuestion { deadline, method });
        let params = serde_json::to_value(params).unwrap_or_default();
        let id = self.last_number.into();
        self.send(lsp_server::Request { id, method: method.to_owned(), params });
        self.last_number
    }

    /// Removes the question that an answer belongs to and returns its number, if it is open.
    pub(crate) fn take_question(&mut self, id: &RequestId) -> Option<i32> {
        let number = self.questions.keys().find(|number| RequestId::from(**number) == *id).copied()?;
        self.questions.remove(&number).map(|_| number)
    }

    /// Returns the time at which the next question expires.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.questions.values().filter_map(|question| question.deadline).min()
    }

    /// Removes the expired questions and returns their numbers.
    pub(crate) fn expire_questions(&mut self, now: Instant) -> Vec<i32> {
        let is_late = |question: &OpenQuestion| question.deadline.is_some_and(|deadline| deadline <= now);
        let late = self.questions.extract_if(.., |_, question| is_late(question));
        let late = late.map(|(number, question)| {
            tracing::info!(method = question.method, "the editor does not answer");
            number
        });
        late.collect()
    }

    /// Sends a request to the companion; its reply carries `origin`. Without a connection the reply is a
    /// refusal.
    pub(crate) fn request(&mut self, origin: RequestOrigin, request: Request) {
        let reply = self.desk.as_ref().map(|desk| desk.send(request));
        self.requests.push_back(Box::pin(async move {
            let reply = match reply {
                Some(reply) => reply.await.unwrap_or(Err(Refusal::Stopped)),
                None => Err(Refusal::Interrupted),
            };
            (origin, reply)
        }));
    }

    /// Returns the next message from the companion; never returns without a connection. The event about a
    /// change comes before the reply to the request that caused it. Cancel safe.
    pub(crate) async fn next_companion_message(&mut self) -> CompanionMessage {
        let next_event = async |desk: &mut Option<Desk>| match desk {
            Some(desk) => desk.next().await.ok(),
            None => std::future::pending().await,
        };
        loop {
            if self.held_reply.is_some()
                && let Some(event) = self.desk.as_mut().and_then(Desk::try_next)
            {
                return CompanionMessage::Event(Box::new(event));
            }
            if let Some((origin, reply)) = self.held_reply.take() {
                return CompanionMessage::Reply(origin, reply);
            }
            tokio::select! {
                event = next_event(&mut self.desk) => {
                    let event = event.map(|event| CompanionMessage::Event(Box::new(event)));
                    return event.unwrap_or(CompanionMessage::Stopped);
                }
                Some(reply) = self.setting_up.next(), if !self.setting_up.is_empty() => {
                    return CompanionMessage::AgentSetup(reply);
                }
                Some((number, shown)) = self.showing.next(), if !self.showing.is_empty() => {
                    return CompanionMessage::Shown(number, shown);
                }
                Some(reply) = self.requests.next(), if !self.requests.is_empty() => {
                    self.held_reply = Some(reply);
                }
            }
        }
    }
}
