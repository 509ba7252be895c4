//! One editor from `initialize` to `exit`. A single loop owns all state and never blocks.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::agent_setup::{AgentSetup, SetupReply};
use alongside_desk::{Desk, DraftKeeper, Event, Problem};
use futures_util::FutureExt as _;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::Value;
use tokio::time::Instant;

use crate::client::Client;
use crate::connector::{Connector, sleep_until};
use crate::editor_desk::EditorDesk;
use crate::editor_remote::EditorRemote;
use crate::io::{self, CompanionMessage, Inbox, Io, RequestOrigin};
use crate::plugin_desk::PluginDesk;
use crate::without_plugin::LspDesk;
use crate::{handshake, roots};

/// The error of a request with an unknown method.
const METHOD_NOT_FOUND: i64 = ErrorCode::MethodNotFound as i64;

/// The program around the server, and its environment.
pub struct Program {
    /// The program's version.
    pub version: &'static str,
    /// The directory in which the editor started the server.
    pub here: PathBuf,
    /// The private directory of proposals' files, which has no links in its name; without it the editor
    /// cannot show proposals.
    pub review_directory: Option<PathBuf>,
    /// Keeps text that is typed into a proposal after its decision.
    pub drafts: Arc<dyn DraftKeeper>,
    /// Finds agents whose settings keep them from finding the editor.
    pub agent_setup: Arc<dyn AgentSetup>,
}

/// Serves an editor until it ends. Needs a Tokio runtime.
///
/// `recognise` finds the editor's own program, and may name an editor that has no name. `connect` finds the
/// companion of the editor's projects, or starts it. The person hears of a failure, and their next action
/// retries.
pub async fn run(
    connection: Connection,
    program: Program,
    recognise: impl FnOnce(&mut Client) -> Option<Arc<dyn EditorRemote>>,
    connect: impl AsyncFn(Client) -> Result<Desk, Problem>,
) {
    let Program { version, here, review_directory, drafts, agent_setup } = program;
    let (mut inbox, mut io) = io::open(connection);
    io.set_agents(agent_setup);
    let Some(mut client) = handshake::initialize(&mut inbox, &io, &here, version).await else { return };
    // An editor that shows a proposal may report its directory as a project.
    client.roots.retain(|root| !review_directory.as_ref().is_some_and(|own| root.starts_with(own)));
    if client.roots.is_empty() {
        client.roots = roots::repositories(vec![here]);
    }
    let remote = recognise(&mut client);
    client.has_remote = remote.is_some();
    io.set_remote(remote);
    let Client { name, version, process_id, roots, .. } = &client;
    tracing::info!(name, version, process_id, ?roots, "an editor");
    let connect = &connect;
    let connector = Connector::new(move |client| Box::pin(connect(client)));
    let mut session = Session::new(client, inbox, io, connector, review_directory, drafts);
    loop {
        let event = session.next_event().await;
        if session.handle(event).is_break() {
            return;
        }
    }
}

/// Everything that can happen to a session.
pub(crate) enum SessionEvent {
    /// The editor sends a message.
    Editor(Message),
    /// The editor has closed its pipe.
    EditorGone,
    /// An attempt to connect has ended. It served these roots.
    ConnectResult(Box<Result<Desk, Problem>>, Vec<PathBuf>),
    /// The companion sends a message.
    Companion(CompanionMessage),
    /// A deadline has passed at this time.
    Deadline(Instant),
}

/// The phase of an editor between `initialize` and `exit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialized`: LSP allows no messages to the editor.
    Initializing,
    Running,
    /// After `shutdown`.
    ShutDown,
}

pub(crate) struct Session<'a> {
    client: Client,
    editor_desk: Box<dyn EditorDesk>,
    inbox: Inbox,
    io: Io,
    connector: Connector<'a>,
    phase: Phase,
    /// The problem that was shown last, because each is shown once.
    last_problem: Option<Problem>,
    /// A problem to show at `initialized`.
    pending_problem: Option<Problem>,
    /// Whether the session has searched for agents to set up.
    has_looked_for_agents: bool,
}

impl<'a> Session<'a> {
    /// Returns a session whose editor has had its answer to `initialize`.
    pub(crate) fn new(
        client: Client,
        inbox: Inbox,
        io: Io,
        connector: Connector<'a>,
        review_directory: Option<PathBuf>,
        drafts: Arc<dyn DraftKeeper>,
    ) -> Self {
        let editor_desk: Box<dyn EditorDesk> = match client.protocol {
            Some(_) => Box::new(PluginDesk::new(&client)),
            None => Box::new(LspDesk::new(&client, review_directory, drafts)),
        };
        let (phase, last_problem, pending_problem) = (Phase::Initializing, None, None);
        Self {
            client,
            editor_desk,
            inbox,
            io,
            connector,
            phase,
            last_problem,
            pending_problem,
            has_looked_for_agents: false,
        }
    }

    /// Waits for whatever happens first.
    async fn next_event(&mut self) -> SessionEvent {
        let deadline = self.deadline();
        let is_running = self.phase == Phase::Running;
        tokio::select! {
            message = self.inbox.recv() => message.map_or(SessionEvent::EditorGone, SessionEvent::Editor),
            (result, roots) = self.connector.next_result(&self.client) => {
                SessionEvent::ConnectResult(Box::new(result), roots)
            }
            message = self.io.next_companion_message(), if is_running => SessionEvent::Companion(message),
            () = sleep_until(deadline) => SessionEvent::Deadline(Instant::now()),
        }
    }

    /// Returns the earliest deadline of the editor's desk and of unanswered requests.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        [self.editor_desk.deadline(), self.io.deadline()].into_iter().flatten().min()
    }

    /// Returns the next companion message if one is there already; `None` after `shutdown`.
    pub(crate) fn try_companion_message(&mut self) -> Option<CompanionMessage> {
        match self.phase {
            Phase::ShutDown => None,
            _ => self.io.next_companion_message().now_or_never(),
        }
    }

    /// Handles an event; breaks when the session is over.
    pub(crate) fn handle(&mut self, event: SessionEvent) -> ControlFlow<()> {
        match event {
            SessionEvent::Editor(message) => self.handle_editor_message(message)?,
            SessionEvent::EditorGone => return ControlFlow::Break(()),
            SessionEvent::ConnectResult(result, roots) => match *result {
                Ok(desk) => self.connected(desk, &roots),
                Err(problem) => self.report_problem(problem),
            },
            SessionEvent::Companion(CompanionMessage::Event(event)) => {
                self.look_for_agents(&event);
                self.editor_desk.handle_event(&mut self.io, *event);
            }
            SessionEvent::Companion(CompanionMessage::Reply(origin, reply)) => {
                self.editor_desk.handle_reply(&mut self.io, origin, reply);
            }
            SessionEvent::Companion(CompanionMessage::AgentSetup(SetupReply::Offers(offers))) => {
                self.editor_desk.handle_offers(&mut self.io, offers, self.client.kind);
            }
            SessionEvent::Companion(CompanionMessage::AgentSetup(SetupReply::NoAgent)) => {
                self.editor_desk.handle_offers(&mut self.io, Vec::new(), self.client.kind);
            }
            SessionEvent::Companion(CompanionMessage::AgentSetup(SetupReply::Made(made))) => {
                self.editor_desk.handle_settings_change(&mut self.io, made);
            }
            SessionEvent::Companion(CompanionMessage::Shown(number, shown)) => {
                let result = serde_json::json!({ "success": shown });
                self.editor_desk.handle_response(&mut self.io, number, Some(result));
            }
            SessionEvent::Companion(CompanionMessage::Stopped) => {
                self.io.disconnect();
                self.connector.connection_lost();
                self.editor_desk.disconnected(&mut self.io);
            }
            SessionEvent::Deadline(now) => {
                for number in self.io.expire_questions(now) {
                    self.editor_desk.handle_response(&mut self.io, number, None);
                }
                self.editor_desk.handle_deadline(&mut self.io, now);
            }
        }
        ControlFlow::Continue(())
    }

    fn handle_editor_message(&mut self, message: Message) -> ControlFlow<()> {
        match message {
            Message::Notification(notification) if notification.method == "exit" => {
                return ControlFlow::Break(());
            }
            Message::Notification(notification) => self.handle_notification(notification),
            Message::Request(request) => self.handle_request(request),
            Message::Response(response) => self.handle_response(response),
        }
        if !self.io.is_connected() && self.phase != Phase::ShutDown {
            self.connector.request_attempt();
        }
        ControlFlow::Continue(())
    }

    fn handle_notification(&mut self, Notification { method, params }: Notification) {
        match method.as_str() {
            "initialized" => self.initialized(),
            "workspace/didChangeWorkspaceFolders" => self.change_roots(&params),
            method => self.editor_desk.handle_notification(&mut self.io, method, params),
        }
    }

    fn handle_request(&mut self, Request { id, method, params }: Request) {
        if method == "shutdown" {
            self.phase = Phase::ShutDown;
            self.editor_desk.shut_down(&self.io);
            self.io.reply(id, Value::Null);
        } else if !self.editor_desk.handle_request(&mut self.io, &id, &method, params) {
            self.io.refuse(id, METHOD_NOT_FOUND, format!("there is no method {method:?}"), None);
        }
    }

    fn handle_response(&mut self, response: Response) {
        match self.io.take_question(&response.id) {
            Some(number) => {
                let result = response.response_result.ok();
                self.editor_desk.handle_response(&mut self.io, number, result);
            }
            None => {
                let result = response.response_result.ok();
                self.editor_desk.handle_forwarded_response(&mut self.io, &response.id, result);
            }
        }
    }

    /// Handles `initialized`: the editor accepts messages from now on.
    pub(crate) fn initialized(&mut self) {
        if self.phase == Phase::Initializing {
            self.phase = Phase::Running;
        }
        if let Some(problem) = self.pending_problem.take() {
            self.editor_desk.handle_event(&mut self.io, Event::Problem(problem));
        }
    }

    /// Handles a new connection to a companion that knows these roots.
    pub(crate) fn connected(&mut self, desk: Desk, roots: &[PathBuf]) {
        self.io.connect(desk);
        self.last_problem = None;
        self.editor_desk.connected(&mut self.io);
        if let Some(request) = roots::difference(roots, &self.client.roots) {
            self.io.request(RequestOrigin::Unawaited, request);
        }
    }

    /// Searches once for agents to set up, if no agent is connected.
    fn look_for_agents(&mut self, event: &Event) {
        if let Event::Status(status) = event
            && !std::mem::replace(&mut self.has_looked_for_agents, true)
            && status.agents.is_empty()
        {
            self.io.look_for_agents();
        }
    }

    fn change_roots(&mut self, params: &Value) {
        let folders = |pointer: &str| -> Vec<PathBuf> {
            let mut paths = roots::from_folders(params.pointer(pointer));
            paths.retain(|path| !self.editor_desk.owns_path(path));
            if self.client.protocol.is_some() { paths } else { roots::repositories(paths) }
        };
        let (added, removed) = (folders("/event/added"), folders("/event/removed"));
        let request = roots::apply_change(&mut self.client.roots, added, removed);
        if let Some(request) = request.filter(|_| self.io.is_connected()) {
            self.io.request(RequestOrigin::Unawaited, request);
        }
    }

    /// Shows the person why there is no companion, once for each reason.
    fn report_problem(&mut self, problem: Problem) {
        tracing::error!(%problem, "there is no companion");
        if self.last_problem.as_ref() != Some(&problem) {
            self.last_problem = Some(problem.clone());
            match self.phase {
                Phase::Initializing => self.pending_problem = Some(problem),
                _ => self.editor_desk.handle_event(&mut self.io, Event::Problem(problem)),
            }
        }
    }
}
