//! A desk in a process of its own: the program's desk for scripts, or the program's language server below an
//! editor, which is another process. The script can kill, freeze and end the desk; every request has a
//! timeout.

use std::collections::{BTreeMap, HashMap};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alongside_desk::{Changed, Decision, Event, Request, Review, ReviewId};
use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot, watch};

use super::desk_transport::Transport;
use super::processes::signal;
use crate::program::alongside_bin;
use crate::sandbox::Sandbox;

/// The reply to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeskReply {
    /// The companion accepted the request.
    Done,
    /// The companion refused the request, for this reason.
    Refused(String),
    /// No reply arrived in time.
    Missing,
}

/// The state of a desk, from the messages that it has received.
#[derive(Debug, Clone, Default)]
pub(super) struct DeskState {
    /// The open reviews.
    pub(super) reviews: BTreeMap<ReviewId, Review>,
    /// The companion's process and port, once known.
    pub(super) host: Option<(u32, u16)>,
    /// Whether the desk's output has ended.
    pub(super) has_ended: bool,
}

type PendingRequests = Arc<Mutex<HashMap<u64, oneshot::Sender<DeskReply>>>>;

/// A desk's process. A clone is the same desk.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) transport: Transport,
    pub(super) pid: Pid,
    /// The editor's process, if the desk is a language server.
    pub(super) editor: Option<Pid>,
    output: mpsc::UnboundedSender<String>,
    pending: PendingRequests,
    state: watch::Receiver<DeskState>,
    last_id: Arc<AtomicU64>,
}

impl Desk {
    /// Starts a desk in the sandbox's project. The desk joins the running companion, or starts one.
    pub(super) fn start(sandbox: &Sandbox, transport: Transport) -> Result<Self> {
        let mut command = sandbox.command(alongside_bin()?);
        match transport {
            Transport::Lines => {
                command.args(["review", "--json"]);
                Self::spawn(sandbox, command, transport, None)
            }
            Transport::Lsp => {
                command.arg("lsp");
                let editor = reap(sandbox.spawn(sandbox.command("sleep").arg("3600")))?.0;
                let desk = Self::spawn(sandbox, command, transport, Some(editor))?;
                desk.initialize(editor, sandbox);
                Ok(desk)
            }
        }
    }

    /// Starts the desk for scripts with this command, which has no arguments yet.
    pub(super) fn start_by(sandbox: &Sandbox, mut command: Command) -> Result<Self> {
        command.args(["review", "--json"]);
        Self::spawn(sandbox, command, Transport::Lines, None)
    }

    fn spawn(
        sandbox: &Sandbox,
        mut command: Command,
        transport: Transport,
        editor: Option<Pid>,
    ) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (pid, input, output) = reap(sandbox.spawn(&mut command))?;
        let (input, output) = (
            input.context("the standard stream is not piped")?,
            output.context("the standard stream is not piped")?,
        );
        let pending = PendingRequests::default();
        let (state_sender, state) = watch::channel(DeskState::default());
        let (sender, messages) = mpsc::unbounded_channel();
        tokio::spawn(write(input, messages));
        tokio::spawn(receive(transport, output, pending.clone(), state_sender, sender.clone()));
        Ok(Self { transport, pid, editor, output: sender, pending, state, last_id: Arc::default() })
    }

    /// Returns the present state.
    pub(super) fn state(&self) -> DeskState {
        self.state.borrow().clone()
    }

    /// Waits until `probe` returns a value for the state; `None` after the timeout.
    pub(super) async fn until<T>(
        &self,
        timeout: Duration,
        probe: impl Fn(&DeskState) -> Option<T>,
    ) -> Option<T> {
        let mut state = self.state.clone();
        let found = tokio::time::timeout(timeout, state.wait_for(|state| probe(state).is_some())).await;
        probe(&*found.ok()?.ok()?)
    }

    /// Replaces the text of a review.
    pub(super) async fn edit(&self, review: &Review, text: &str, timeout: Duration) -> DeskReply {
        let changes = vec![alongside_desk::Change { range: None, text: text.into() }];
        self.ask(&Request::EditReview { id: review.id, revision: review.revision, changes }, timeout).await
    }

    /// Decides a review, in the state of this revision.
    pub(super) async fn decide(
        &self,
        id: ReviewId,
        revision: u64,
        decision: Decision,
        timeout: Duration,
    ) -> DeskReply {
        self.ask(&Request::DecideReview { id, revision, decision }, timeout).await
    }

    /// Sends a request and waits for the reply.
    pub(super) async fn ask(&self, request: &Request, timeout: Duration) -> DeskReply {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, reply) = oneshot::channel();
        self.pending.lock().expect("held for one statement").insert(id, sender);
        let mut message = serde_json::to_value(request).unwrap_or_default();
        message["id"] = json!(id);
        self.send(message);
        match tokio::time::timeout(timeout, reply).await {
            Ok(Ok(reply)) => reply,
            _ => DeskReply::Missing,
        }
    }

    /// Ends the desk properly, as a person does.
    pub(super) fn leave(&self) {
        match self.transport {
            Transport::Lines => signal(self.pid, Signal::TERM),
            Transport::Lsp => {
                self.send(json!({ "id": "bye", "method": "shutdown" }));
                self.send(json!({ "method": "exit" }));
            }
        }
    }

    /// Kills the desk and its editor.
    pub(super) fn kill(&self) {
        signal(self.pid, Signal::KILL);
        if let Some(editor) = self.editor {
            signal(editor, Signal::KILL);
        }
    }

    fn send(&self, message: Value) {
        // Fails if the desk has ended.
        let _ = self.output.send(self.transport.encode(message));
    }

    fn initialize(&self, editor: Pid, sandbox: &Sandbox) {
        let project = sandbox.project();
        let params = json!({
            "processId": editor.as_raw_nonzero().get(),
            "clientInfo": { "name": "chaos", "version": "1" },
            "capabilities": {},
            "workspaceFolders": [{ "name": "project", "uri": format!("file://{}", project.display()) }],
            "initializationOptions": { "alongside": { "protocol": 1 } },
        });
        self.send(json!({ "id": "hello", "method": "initialize", "params": params }));
        self.send(json!({ "method": "initialized", "params": {} }));
    }
}

/// Returns a child's process id and pipes. Spawns a task that waits for the child, so that no zombie stays.
fn reap(mut child: Child) -> Result<(Pid, Option<ChildStdin>, Option<tokio::process::ChildStdout>)> {
    let pid = child
        .id()
        .and_then(|pid| Pid::from_raw(pid.cast_signed()))
        .context("the child that has just started has no process id")?;
    let pipes = (child.stdin.take(), child.stdout.take());
    tokio::spawn(async move { child.wait().await });
    Ok((pid, pipes.0, pipes.1))
}

async fn write(mut to: ChildStdin, mut messages: mpsc::UnboundedReceiver<String>) {
    while let Some(message) = messages.recv().await {
        if to.write_all(message.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn receive(
    transport: Transport,
    from: impl AsyncRead + Unpin,
    pending: PendingRequests,
    state: watch::Sender<DeskState>,
    output: mpsc::UnboundedSender<String>,
) {
    let mut from = BufReader::new(from);
    while let Some(message) = transport.read(&mut from).await {
        if message.get("method").is_none() || message["method"] == "result" {
            resolve(&message, &pending);
        } else if message["method"] == "alongside/flushReview" {
            let _ = output.send(transport.flush_answer(&message));
        } else {
            state.send_modify(|state| state.apply(message));
        }
    }
    pending.lock().expect("held for one statement").clear();
    state.send_modify(|state| state.has_ended = true);
}

/// Passes a reply to the task that waits for it.
fn resolve(message: &Value, pending: &PendingRequests) {
    let Some(id) = message["id"].as_u64() else { return };
    let Some(sender) = pending.lock().expect("held for one statement").remove(&id) else { return };
    let reason = |error: &Value| {
        let why = error["why"].as_str().or_else(|| error["data"]["why"].as_str());
        why.map_or_else(|| error.to_string(), str::to_owned)
    };
    let reply = match message.get("error") {
        Some(error) => DeskReply::Refused(reason(error)),
        None => DeskReply::Done,
    };
    // Fails if the task waits no longer.
    let _ = sender.send(reply);
}

impl DeskState {
    fn apply(&mut self, message: Value) {
        if message["method"] == "alongside/didChangeReview" {
            // Desks for scripts receive the whole review, plugins of editors only the change.
            if let Ok(review) = serde_json::from_value::<Review>(message["params"].clone()) {
                self.reviews.insert(review.id, review);
            } else if let Ok(changed) = serde_json::from_value::<Changed>(message["params"].clone())
                && let Some(review) = self.reviews.get_mut(&changed.id)
            {
                let _ = review.take(changed);
            }
            return;
        }
        match serde_json::from_value(message) {
            Ok(Event::Opened(review)) => drop(self.reviews.insert(review.id, review)),
            Ok(Event::Closed(closed)) => drop(self.reviews.remove(&closed.id)),
            Ok(Event::Status(status)) => self.host = Some((status.pid, status.port)),
            _ => {}
        }
    }
}
