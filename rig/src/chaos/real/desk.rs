//! A desk in a process of its own, as a round of chaos has it: the program's desk for scripts, or its
//! language server under an editor that is one more process. It can be killed, frozen and left, and no
//! question to it is waited for longer than the asker likes.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alongside_desk::{Changed, Closed, Decision, Event, Request, Review, ReviewId};
use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin};
use tokio::sync::{mpsc, oneshot, watch};

use crate::cli::alongside_bin;
use crate::sandbox::Sandbox;

/// How a desk speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    /// `alongside review --json`: a line a message.
    Lines,
    /// `alongside lsp`, for an editor with a plugin: LSP's framing.
    Framed,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is done; the review has this revision now.
    Done(u64),
    /// It is refused, for this reason.
    Refused(String),
    /// Nothing came: the desk or its companion was in no state to answer.
    Silent,
}

/// What a desk has been told.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The reviews it shows.
    pub(super) reviews: BTreeMap<ReviewId, Review>,
    /// Where edits went that nobody took.
    pub(super) drafts: Vec<PathBuf>,
    /// The companion's process and port, once it is told.
    pub(super) host: Option<(u32, u16)>,
    /// Agents that listen.
    pub(super) listening: usize,
    /// Its output has ended.
    pub(super) ended: bool,
}

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Answer>>>>;

/// See the module. A clone is the same desk.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) speech: Speech,
    pub(super) pid: Pid,
    /// The process that an editor's server speaks for.
    pub(super) editor: Option<Pid>,
    lines: mpsc::UnboundedSender<String>,
    waiting: Waiting,
    seen: watch::Receiver<Seen>,
    last_id: Arc<AtomicU64>,
}

impl Desk {
    /// Starts one in the sandbox's project; it joins the companion there is, or starts one.
    ///
    /// # Errors
    /// When the program is not built.
    pub(super) fn start(sandbox: &Sandbox, speech: Speech) -> Result<Self> {
        let editor = match speech {
            Speech::Lines => None,
            Speech::Framed => Some(spawn(sandbox.spawn(sandbox.command("sleep").arg("3600")))?.0),
        };
        let mut command = sandbox.command(alongside_bin()?);
        match speech {
            Speech::Lines => command.args(["review", "--json"]),
            Speech::Framed => command.arg("lsp"),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (pid, input, output) = spawn(sandbox.spawn(&mut command))?;
        let (input, output) = (input.context("piped")?, output.context("piped")?);
        let waiting = Waiting::default();
        let (seen_in, seen) = watch::channel(Seen::default());
        let (lines, to_say) = mpsc::unbounded_channel();
        tokio::spawn(say(input, to_say));
        tokio::spawn(hear(speech, output, waiting.clone(), seen_in, lines.clone()));
        let desk = Self { speech, pid, editor, lines, waiting, seen, last_id: Arc::default() };
        if let Some(editor) = editor {
            desk.greet(editor, sandbox);
        }
        Ok(desk)
    }

    /// What it knows.
    pub(super) fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until what it knows satisfies `probe`; `None` when that does not come in time.
    pub(super) async fn until<T>(&self, patience: Duration, probe: impl Fn(&Seen) -> Option<T>) -> Option<T> {
        let mut seen = self.seen.clone();
        let found = tokio::time::timeout(patience, seen.wait_for(|seen| probe(seen).is_some())).await;
        probe(&*found.ok()?.ok()?)
    }

    /// Replaces the text of a review.
    pub(super) async fn edit(&self, review: &Review, text: &str, patience: Duration) -> Answer {
        let changes = vec![alongside_desk::Change { range: None, text: text.into() }];
        self.ask(&Request::EditReview { id: review.id, revision: review.revision, changes }, patience).await
    }

    /// Decides a review as it was at that revision.
    pub(super) async fn decide(
        &self,
        id: ReviewId,
        revision: u64,
        decision: Decision,
        patience: Duration,
    ) -> Answer {
        self.ask(&Request::DecideReview { id, revision, decision }, patience).await
    }

    /// Asks, and waits for the answer so long at most.
    pub(super) async fn ask(&self, request: &Request, patience: Duration) -> Answer {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (answered, answer) = oneshot::channel();
        self.waiting.lock().expect("held for one statement").insert(id, answered);
        let mut question = serde_json::to_value(request).unwrap_or_default();
        question["id"] = json!(id);
        self.say(question);
        match tokio::time::timeout(patience, answer).await {
            Ok(Ok(answer)) => answer,
            _ => Answer::Silent,
        }
    }

    /// The person leaves it properly.
    pub(super) fn leave(&self) {
        match self.speech {
            Speech::Lines => signal(self.pid, Signal::TERM),
            Speech::Framed => {
                self.say(json!({ "id": "bye", "method": "shutdown" }));
                self.say(json!({ "method": "exit" }));
            }
        }
    }

    fn say(&self, message: Value) {
        // A desk that is gone hears nothing.
        let _ = self.lines.send(framed(self.speech, message));
    }

    fn greet(&self, editor: Pid, sandbox: &Sandbox) {
        let project = sandbox.project();
        let params = json!({
            "processId": editor.as_raw_nonzero().get(),
            "clientInfo": { "name": "chaos", "version": "1" },
            "capabilities": {},
            "workspaceFolders": [{ "name": "project", "uri": format!("file://{}", project.display()) }],
            "initializationOptions": { "alongside": { "protocol": 1 } },
        });
        self.say(json!({ "id": "hello", "method": "initialize", "params": params }));
        self.say(json!({ "method": "initialized", "params": {} }));
    }
}

/// Sends a signal to a process that may be gone.
pub(super) fn signal(pid: Pid, signal: Signal) {
    let _ = kill_process(pid, signal);
}

/// Its process and its pipes; it is waited for, so that it does not stay a zombie.
fn spawn(mut child: Child) -> Result<(Pid, Option<ChildStdin>, Option<tokio::process::ChildStdout>)> {
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())).context("it has just started")?;
    let pipes = (child.stdin.take(), child.stdout.take());
    tokio::spawn(async move { child.wait().await });
    Ok((pid, pipes.0, pipes.1))
}

fn framed(speech: Speech, mut message: Value) -> String {
    match speech {
        Speech::Lines => format!("{message}\n"),
        Speech::Framed => {
            message["jsonrpc"] = json!("2.0");
            let body = message.to_string();
            format!("Content-Length: {}\r\n\r\n{body}", body.len())
        }
    }
}

async fn say(mut to: ChildStdin, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if to.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn hear(
    speech: Speech,
    from: impl AsyncRead + Unpin,
    waiting: Waiting,
    seen: watch::Sender<Seen>,
    lines: mpsc::UnboundedSender<String>,
) {
    let mut from = BufReader::new(from);
    while let Some(message) = read(speech, &mut from).await {
        if message.get("method").is_none() || message["method"] == "result" {
            answered(&message, &waiting);
        } else if message["method"] == "alongside/flushReview" {
            flush(speech, &message, &lines);
        } else {
            seen.send_modify(|seen| seen.take(message));
        }
    }
    waiting.lock().expect("held for one statement").clear();
    seen.send_modify(|seen| seen.ended = true);
}

async fn read(speech: Speech, from: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Value> {
    let mut line = String::new();
    if speech == Speech::Lines {
        return (from.read_line(&mut line).await.ok()? > 0).then(|| serde_json::from_str(&line).ok())?;
    }
    let mut length = None;
    loop {
        line.clear();
        if from.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            head => {
                length = head.strip_prefix("Content-Length: ").map_or(length, |length| length.parse().ok())
            }
        }
    }
    let mut body = vec![0; length?];
    from.read_exact(&mut body).await.ok()?;
    serde_json::from_slice(&body).ok()
}

fn answered(message: &Value, waiting: &Waiting) {
    let Some(id) = message["id"].as_u64() else { return };
    let Some(asker) = waiting.lock().expect("held for one statement").remove(&id) else { return };
    let why = |error: &Value| {
        let why = error["why"].as_str().or_else(|| error["data"]["why"].as_str());
        why.map_or_else(|| error.to_string(), str::to_owned)
    };
    let answer = match message.get("error") {
        Some(error) => Answer::Refused(why(error)),
        None => Answer::Done(message["result"]["revision"].as_u64().unwrap_or_default()),
    };
    // Whoever asked may have stopped waiting.
    let _ = asker.send(answer);
}

/// This desk holds nothing back.
fn flush(speech: Speech, message: &Value, lines: &mpsc::UnboundedSender<String>) {
    let answer = match speech {
        Speech::Lines => json!({ "method": "alongside/didFlushReview", "params": message["params"] }),
        Speech::Framed => json!({ "id": message["id"], "result": null }),
    };
    let _ = lines.send(framed(speech, answer));
}

impl Seen {
    fn take(&mut self, message: Value) {
        if message["method"] == "alongside/didChangeReview" {
            // Scripts are told all of it, editors what changed.
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
            Ok(Event::Closed(Closed { id, draft, .. })) => {
                self.reviews.remove(&id);
                self.drafts.extend(draft);
            }
            Ok(Event::Status(status)) => {
                self.host = Some((status.pid, status.port));
                self.listening = status.agents.iter().filter(|agent| agent.listening).count();
            }
            _ => {}
        }
    }
}
