//! A process that exchanges JSON lines with the test: a real agent's client, or a companion that can be
//! killed.
//!
//! The process is either a child, with its stdin and stdout, or was started by a command in a terminal pane,
//! so that it has the ancestors that it has on a person's machine; then it uses a Unix socket. Requests and
//! their replies have an `id`; a line without one is an event. This module does not depend on the meaning of
//! the lines.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::UnixListener;
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot, watch};

use crate::sandbox::Sandbox;
use crate::tmux::Pane;
use crate::wait::PATIENCE;

/// The process. When this value is dropped, its input ends; the sandbox kills it at the latest.
#[derive(Debug)]
pub struct JsonLinesProcess {
    name: String,
    pid: Pid,
    log: PathBuf,
    lines: mpsc::UnboundedSender<String>,
    answers: Answers,
    events: watch::Receiver<Vec<Value>>,
    last_id: AtomicU64,
}

/// A reply that may arrive only after a person's decision.
#[derive(Debug)]
pub struct Pending {
    what: String,
    log: PathBuf,
    answer: oneshot::Receiver<Result<Value, String>>,
}

type Answers = Arc<Mutex<HashMap<u64, oneshot::Sender<Result<Value, String>>>>>;

impl JsonLinesProcess {
    /// Starts `command` as a child, and waits until the process is ready. Failure messages use `name`.
    pub async fn spawn(sandbox: &Sandbox, name: &str, command: &mut Command) -> Result<Self> {
        let log = log_file(sandbox, name);
        let stderr = std::fs::File::create(&log)?;
        let mut child = sandbox.spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr));
        let (stdin, stdout) = (
            child.stdin.take().context("the standard stream is not piped")?,
            child.stdout.take().context("the standard stream is not piped")?,
        );
        // Waits for the child, so that it does not stay a zombie. If the runtime ends first, the child is
        // killed.
        tokio::spawn(async move { child.wait().await });
        Self::connect(name, log, stdout, stdin).await
    }

    /// Types the command into a pane, with the path of a socket as another argument. Otherwise as
    /// [`spawn`](Self::spawn).
    pub async fn type_into(
        pane: &Pane,
        sandbox: &Sandbox,
        name: &str,
        command: &[impl AsRef<OsStr>],
    ) -> Result<Self> {
        let log = log_file(sandbox, name);
        let socket = log.with_extension("sock");
        let listener = UnixListener::bind(&socket)?;
        let words = command.iter().map(|word| word.as_ref().to_string_lossy().into_owned());
        let line = words.chain([socket.display().to_string()]).map(|word| quote(&word)).collect::<Vec<_>>();
        pane.enter(&format!("{} 2>{}", line.join(" "), quote(&log.display().to_string())))?;
        let accepted = tokio::time::timeout(PATIENCE, listener.accept()).await;
        let (stream, _) = accepted.map_err(|_| {
            let screen = pane.screen().unwrap_or_default();
            anyhow!("{name} did not come to its socket; its pane shows:\n{screen}\n{}", tail(&log))
        })??;
        let (read, write) = stream.into_split();
        Self::connect(name, log, read, write).await
    }

    /// Types the command into a pane, with pipes for its standard input and output. Otherwise as
    /// [`spawn`](Self::spawn).
    #[cfg(target_os = "linux")]
    pub async fn pipe_into(pane: &Pane, sandbox: &Sandbox, name: &str, command: &str) -> Result<Self> {
        use tokio::net::unix::pipe::OpenOptions;

        let log = log_file(sandbox, name);
        let pipes = ["in", "out"].map(|end| log.with_extension(end));
        for pipe in &pipes {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0)?;
        }
        // Opens both ends of each pipe, so that opening does not wait for the process.
        let to = OpenOptions::new().read_write(true).open_sender(&pipes[0])?;
        let from = OpenOptions::new().read_write(true).open_receiver(&pipes[1])?;
        let [input, output, log_words] =
            [&pipes[0], &pipes[1], &log].map(|path| quote(&path.display().to_string()));
        pane.enter(&format!("{command} <{input} >{output} 2>{log_words}"))?;
        Self::connect(name, log, from, to).await
    }

    async fn connect(
        name: &str,
        log: PathBuf,
        from: impl AsyncRead + Send + Unpin + 'static,
        to: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self> {
        let answers = Answers::default();
        let (event_sender, events) = watch::channel(Vec::new());
        tokio::spawn(read_lines(from, answers.clone(), event_sender));
        let (lines, outgoing) = mpsc::unbounded_channel();
        tokio::spawn(write_lines(to, outgoing));

        let (name, last_id, pid) = (name.to_owned(), AtomicU64::new(0), Pid::INIT);
        let mut peer = Self { name, pid, log, lines, answers, events, last_id };
        let pid = peer.wait("its being ready", |events| {
            // Alongside's desks send no `ready`; their first message with a process id counts.
            let pid_of = |event: &Value| event["params"]["pid"].as_i64();
            find(events, "ready")
                .map(|ready| ready["pid"].as_i64())
                .or_else(|| events.iter().find_map(pid_of).map(Some))
        });
        let pid = pid.await?.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        peer.pid = pid.context("the ready peer names no process")?;
        Ok(peer)
    }

    /// The process id.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a request with a new `id`. Returns the pending reply.
    pub fn ask(&self, mut request: Value) -> Pending {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let what = format!("the answer of {} to {}", self.name, shortened(&request));
        request["id"] = json!(id);
        let (answered, answer) = oneshot::channel();
        self.answers.lock().expect("held for one statement").insert(id, answered);
        // Fails if the process has ended. The wait for the reply then reports that, with the log.
        let _ = self.lines.send(request.to_string());
        Pending { what, log: self.log.clone(), answer }
    }

    /// Waits until `probe` returns a value for the events so far.
    pub async fn wait<T>(&self, what: &str, probe: impl Fn(&[Value]) -> Option<T>) -> Result<T> {
        let mut events = self.events.clone();
        let ended = match tokio::time::timeout(PATIENCE, events.wait_for(|seen| probe(seen).is_some())).await
        {
            Ok(Ok(seen)) => return probe(&seen).context("the probe changed its mind"),
            Ok(Err(_)) => "the process ended",
            Err(_) => "the time was up",
        };
        let events = self.events.borrow();
        let latest = events.iter().rev().take(5).rev().map(shortened).collect::<Vec<_>>().join("\n");
        bail!("awaited from {}: {what}, but {ended}; seen last:\n{latest}\n{}", self.name, tail(&self.log))
    }

    /// Returns all events so far, the oldest first.
    pub fn history(&self) -> Vec<Value> {
        self.events.borrow().clone()
    }

    /// Kills the process with SIGKILL, as a crash does, and waits until it has ended.
    pub async fn kill(&self) -> Result<()> {
        rustix::process::kill_process(self.pid, Signal::KILL)
            .with_context(|| format!("killing {}", self.name))?;
        let gone = async {
            while rustix::process::test_kill_process(self.pid).is_ok() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, gone).await;
        waited.with_context(|| format!("awaited the end of {} after SIGKILL, but it lives", self.name))
    }
}

impl Pending {
    /// Waits for the reply.
    pub async fn answer(self) -> Result<Value> {
        match tokio::time::timeout(PATIENCE, self.answer).await {
            Ok(Ok(Ok(answer))) => Ok(answer),
            Ok(Ok(Err(error))) => Err(anyhow!("awaited {}, got the error: {error}", self.what)),
            Ok(Err(_)) => Err(anyhow!("awaited {}, but the process ended\n{}", self.what, tail(&self.log))),
            Err(_) => {
                let waited = PATIENCE.as_secs();
                Err(anyhow!("awaited {} for {waited}s, but nothing came\n{}", self.what, tail(&self.log)))
            }
        }
    }

    /// Waits for `time`. Returns whether the reply has not arrived.
    pub async fn wait_open(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, &mut self.answer).await.is_err()
    }
}

/// Returns the newest event of this name.
pub fn find<'a>(events: &'a [Value], name: &str) -> Option<&'a Value> {
    events.iter().rev().find(|event| event["event"] == name)
}

/// Reads lines: passes replies to the tasks that wait for them, and adds all other lines to the events.
async fn read_lines(from: impl AsyncRead + Unpin, answers: Answers, events: watch::Sender<Vec<Value>>) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
            events.send_modify(|seen| seen.push(json!({ "event": "not JSON", "line": line })));
            continue;
        };
        match message["id"]
            .as_u64()
            .and_then(|id| answers.lock().expect("held for one statement").remove(&id))
        {
            Some(waiting) => {
                let answer = match message.get_mut("error") {
                    Some(error) => Err(error.as_str().map_or_else(|| error.to_string(), str::to_owned)),
                    None => Ok(message["result"].take()),
                };
                // Fails if the test waits no longer.
                let _ = waiting.send(answer);
            }
            None => events.send_modify(|seen| seen.push(message)),
        }
    }
    answers.lock().expect("held for one statement").clear();
}

async fn write_lines(mut to: impl AsyncWrite + Unpin, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if to.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Returns the path of a new log file for a process of a sandbox.
fn log_file(sandbox: &Sandbox, name: &str) -> PathBuf {
    let plain = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
    let numbered = (1..).map(|number| sandbox.run().join(format!("{plain}-{number}.log")));
    numbered.into_iter().find(|path| !path.exists()).expect("numbers do not run out")
}

fn tail(log: &std::path::Path) -> String {
    let text = String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned();
    let lines = text.lines().rev().take(30).collect::<Vec<_>>();
    format!("its log ends:\n{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
