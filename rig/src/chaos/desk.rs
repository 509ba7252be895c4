//! A desk in a process of its own: the program's desk for scripts, or its language server below an editor,
//! which is one more process. The script can kill, freeze and leave it; every request to it has a timeout.

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
    /// The companion took it.
    Done,
    /// The companion refused it, for this reason.
    Refused(String),
    /// No reply came in time.
    Missing,
}

/// Everything that a desk has received.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The open reviews.
    pub(super) reviews: BTreeMap<ReviewId, Review>,
    /// The companion's process and port, once known.
    pub(super) host: Option<(u32, u16)>,
    /// Its output has ended.
    pub(super) ended: bool,
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
    seen: watch::Receiver<Seen>,
    last_id: Arc<AtomicU64>,
}

impl Desk {
    /// Starts a desk in the sandbox's project. It joins the running companion, or starts one.
    pub(super) fn start(sandbox: &Sandbox, transport: Transport) -> Result<Self> {
        let mut command = sandbox.command(alongside_bin()?);
        match transport {
            Transport::Lines => {
                command.args(["review", "--json"]);
                Self::of(sandbox, command, transport, None)
            }
            Transport::Lsp => {
                command.arg("lsp");
                let editor = spawn(sandbox.spawn(sandbox.command("sleep").arg("3600")))?.0;
                let desk = Self::of(sandbox, command, transport, Some(editor))?;
                desk.initialize(editor, sandbox);
                Ok(desk)
            }
        }
    }

    /// Starts the desk for scripts by this command, which has no arguments yet.
    pub(super) fn start_by(sandbox: &Sandbox, mut command: Command) -> Result<Self> {
        command.args(["review", "--json"]);
        Self::of(sandbox, command, Transport::Lines, None)
    }

    fn of(
        sandbox: &Sandbox,
        mut command: Command,
        transport: Transport,
        editor: Option<Pid>,
    ) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (pid, input, output) = spawn(sandbox.spawn(&mut command))?;
        let (input, output) = (input.context("piped")?, output.context("piped")?);
        let pending = PendingRequests::default();
        let (seen_in, seen) = watch::channel(Seen::default());
        let (sender, messages) = mpsc::unbounded_channel();
        tokio::spawn(write(input, messages));
        tokio::spawn(receive(transport, output, pending.clone(), seen_in, sender.clone()));
        Ok(Self { transport, pid, editor, output: sender, pending, seen, last_id: Arc::default() })
    }

    /// Everything that it has received.
    pub(super) fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until its state satisfies `probe`; `None` after the timeout.
    pub(super) async fn until<T>(&self, timeout: Duration, probe: impl Fn(&Seen) -> Option<T>) -> Option<T> {
        let mut seen = self.seen.clone();
        let found = tokio::time::timeout(timeout, seen.wait_for(|seen| probe(seen).is_some())).await;
        probe(&*found.ok()?.ok()?)
    }

    /// Replaces the text of a review.
    pub(super) async fn edit(&self, review: &Review, text: &str, timeout: Duration) -> DeskReply {
        let changes = vec![alongside_desk::Change { range: None, text: text.into() }];
        self.ask(&Request::EditReview { id: review.id, revision: review.revision, changes }, timeout).await
    }

    /// Decides a review as it was at that revision.
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

    /// The person ends it properly.
    pub(super) fn leave(&self) {
        match self.transport {
            Transport::Lines => signal(self.pid, Signal::TERM),
            Transport::Lsp => {
                self.send(json!({ "id": "bye", "method": "shutdown" }));
                self.send(json!({ "method": "exit" }));
            }
        }
    }

    /// Kills it, and its editor.
    pub(super) fn kill(&self) {
        signal(self.pid, Signal::KILL);
        if let Some(editor) = self.editor {
            signal(editor, Signal::KILL);
        }
    }

    fn send(&self, message: Value) {
        // The desk may be gone.
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

/// A child's process and pipes. A task waits for the child, so that no zombie stays.
fn spawn(mut child: Child) -> Result<(Pid, Option<ChildStdin>, Option<tokio::process::ChildStdout>)> {
    let pid = child
        .id()
        .and_then(|pid| Pid::from_raw(pid.cast_signed()))
        .context("a child that has just started")?;
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
    seen: watch::Sender<Seen>,
    output: mpsc::UnboundedSender<String>,
) {
    let mut from = BufReader::new(from);
    while let Some(message) = transport.read(&mut from).await {
        if message.get("method").is_none() || message["method"] == "result" {
            settle(&message, &pending);
        } else if message["method"] == "alongside/flushReview" {
            let _ = output.send(transport.flush_answer(&message));
        } else {
            seen.send_modify(|seen| seen.take(message));
        }
    }
    pending.lock().expect("held for one statement").clear();
    seen.send_modify(|seen| seen.ended = true);
}

/// Hands a reply to the task that waits for it.
fn settle(message: &Value, pending: &PendingRequests) {
    let Some(id) = message["id"].as_u64() else { return };
    let Some(sender) = pending.lock().expect("held for one statement").remove(&id) else { return };
    let why = |error: &Value| {
        let why = error["why"].as_str().or_else(|| error["data"]["why"].as_str());
        why.map_or_else(|| error.to_string(), str::to_owned)
    };
    let reply = match message.get("error") {
        Some(error) => DeskReply::Refused(why(error)),
        None => DeskReply::Done,
    };
    // The task may have stopped waiting.
    let _ = sender.send(reply);
}

impl Seen {
    fn take(&mut self, message: Value) {
        if message["method"] == "alongside/didChangeReview" {
            // Scripts receive the whole review, editors only the change.
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
