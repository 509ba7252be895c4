//! A process that speaks JSON lines with the test: a real agent's client, or a companion that can be killed.
//!
//! It is either a direct child, on its stdin and stdout, or was typed into a terminal pane, so that its
//! ancestors are a person's, and then talks over a Unix socket. Requests carry an `id`; what comes without
//! one is an event. It knows nothing of what the lines mean.

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

/// The process. It ends when this is dropped: its input ends, and its sandbox kills it.
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

/// An answer that may take as long as a person takes to decide.
#[derive(Debug)]
pub struct Pending {
    what: String,
    log: PathBuf,
    answer: oneshot::Receiver<Result<Value, String>>,
}

type Answers = Arc<Mutex<HashMap<u64, oneshot::Sender<Result<Value, String>>>>>;

impl JsonLinesProcess {
    /// Starts `command` as a child and waits until it says that it is ready. `name` is what failures call it.
    pub async fn spawn(sandbox: &Sandbox, name: &str, command: &mut Command) -> Result<Self> {
        let log = log_file(sandbox, name);
        let stderr = std::fs::File::create(&log)?;
        let mut child = sandbox.spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr));
        let (stdin, stdout) = (child.stdin.take().context("piped")?, child.stdout.take().context("piped")?);
        // Waits for it, so that it does not stay a zombie; and kills it should the runtime end first.
        tokio::spawn(async move { child.wait().await });
        Self::greet(name, log, stdout, stdin).await
    }

    /// Types the command into a pane; it gets one more argument, the socket to talk over. Otherwise as
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
        Self::greet(name, log, read, write).await
    }

    /// Starts `command` in a pane, by typing it, and talks over its standard input and output.
    #[cfg(target_os = "linux")]
    pub async fn pipe_into(pane: &Pane, sandbox: &Sandbox, name: &str, command: &str) -> Result<Self> {
        use tokio::net::unix::pipe::OpenOptions;

        let log = log_file(sandbox, name);
        let pipes = ["in", "out"].map(|end| log.with_extension(end));
        for pipe in &pipes {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0)?;
        }
        // Both ends at once, so that nobody waits for the other to open it.
        let to = OpenOptions::new().read_write(true).open_sender(&pipes[0])?;
        let from = OpenOptions::new().read_write(true).open_receiver(&pipes[1])?;
        let [input, output, log_words] =
            [&pipes[0], &pipes[1], &log].map(|path| quote(&path.display().to_string()));
        pane.enter(&format!("{command} <{input} >{output} 2>{log_words}"))?;
        Self::greet(name, log, from, to).await
    }

    async fn greet(
        name: &str,
        log: PathBuf,
        from: impl AsyncRead + Send + Unpin + 'static,
        to: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self> {
        let answers = Answers::default();
        let (events_in, events) = watch::channel(Vec::new());
        tokio::spawn(hear(from, answers.clone(), events_in));
        let (lines, to_say) = mpsc::unbounded_channel();
        tokio::spawn(say(to, to_say));

        let (name, last_id, pid) = (name.to_owned(), AtomicU64::new(0), Pid::INIT);
        let mut peer = Self { name, pid, log, lines, answers, events, last_id };
        let pid = peer.wait("its being ready", |events| {
            // Our own desks send no `ready`; their first message with their process id counts.
            let named = |event: &Value| event["params"]["pid"].as_i64();
            find(events, "ready")
                .map(|ready| ready["pid"].as_i64())
                .or_else(|| events.iter().find_map(named).map(Some))
        });
        let pid = pid.await?.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        peer.pid = pid.context("a ready peer names its process")?;
        Ok(peer)
    }

    /// Its process id.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Asks; the answer is awaited apart. The question gets its `id` here.
    pub fn ask(&self, mut question: Value) -> Pending {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let what = format!("the answer of {} to {}", self.name, shortened(&question));
        question["id"] = json!(id);
        let (answered, answer) = oneshot::channel();
        self.answers.lock().expect("held for one statement").insert(id, answered);
        // A peer that is gone never answers; the deadline says so, with its log.
        let _ = self.lines.send(question.to_string());
        Pending { what, log: self.log.clone(), answer }
    }

    /// Waits until what was heard so far satisfies `probe`.
    pub async fn wait<T>(&self, what: &str, probe: impl Fn(&[Value]) -> Option<T>) -> Result<T> {
        let mut events = self.events.clone();
        let ended = match tokio::time::timeout(PATIENCE, events.wait_for(|seen| probe(seen).is_some())).await
        {
            Ok(Ok(seen)) => return probe(&seen).context("the probe changed its mind"),
            Ok(Err(_)) => "it ended",
            Err(_) => "the time was up",
        };
        let seen = self.events.borrow();
        let latest = seen.iter().rev().take(5).rev().map(shortened).collect::<Vec<_>>().join("\n");
        bail!("awaited from {}: {what}, but {ended}; seen last:\n{latest}\n{}", self.name, tail(&self.log))
    }

    /// Everything that was heard and answered no question, oldest first.
    pub fn history(&self) -> Vec<Value> {
        self.events.borrow().clone()
    }

    /// Ends it without warning, as a crash does, and waits until it is gone.
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
    /// The answer.
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

    /// Waits for `time`. True if the answer has not come.
    pub async fn wait_open(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, &mut self.answer).await.is_err()
    }
}

/// The newest event of that name.
pub fn find<'a>(events: &'a [Value], name: &str) -> Option<&'a Value> {
    events.iter().rev().find(|event| event["event"] == name)
}

async fn hear(from: impl AsyncRead + Unpin, answers: Answers, events: watch::Sender<Vec<Value>>) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(mut said) = serde_json::from_str::<Value>(&line) else {
            events.send_modify(|seen| seen.push(json!({ "event": "not JSON", "line": line })));
            continue;
        };
        match said["id"].as_u64().and_then(|id| answers.lock().expect("held for one statement").remove(&id)) {
            Some(asker) => {
                let answer = match said.get_mut("error") {
                    Some(error) => Err(error.as_str().map_or_else(|| error.to_string(), str::to_owned)),
                    None => Ok(said["result"].take()),
                };
                // The test may have stopped waiting.
                let _ = asker.send(answer);
            }
            None => events.send_modify(|seen| seen.push(said)),
        }
    }
    answers.lock().expect("held for one statement").clear();
}

async fn say(mut to: impl AsyncWrite + Unpin, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if to.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A file of its own for each peer of a sandbox.
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
