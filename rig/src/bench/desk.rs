//! A desk of ours for measuring, without a runtime. An act of the person is one write, and the time of a
//! message is noted before the message is parsed. Hooks use the same socket in the same way.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

use alongside_desk::HookProposal;
use alongside_desk::socket::PROTOCOL;
use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::plan::PATIENCE;
use crate::desk::hello;

/// A proposal that the companion has shown to the desk.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) at: Instant,
    review: Review,
}

#[derive(Debug, Deserialize)]
struct Review {
    id: u64,
    revision: u64,
    file: String,
    hunks: Vec<IgnoredAny>,
}

impl Shown {
    pub(super) fn hunks(&self) -> usize {
        self.review.hunks.len()
    }
}

/// A desk that has joined a host.
#[derive(Debug)]
pub(super) struct Desk {
    path: PathBuf,
    socket: Arc<Mutex<UnixStream>>,
    shown: mpsc::Receiver<Shown>,
}

impl Desk {
    /// Joins the host that listens there.
    pub(super) fn join(path: &Path) -> Result<Self> {
        let stream = UnixStream::connect(path)
            .with_context(|| format!("cannot join the companion at {}", path.display()))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let socket = Arc::new(Mutex::new(stream));
        say(
            &socket,
            &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello("bench") }),
        )?;
        let welcome: Value = serde_json::from_slice(&read(&mut reader)?)?;
        ensure!(welcome["result"].is_object(), "the companion lets no desk in: {welcome}");
        let (tell, shown) = mpsc::channel();
        let answers = socket.clone();
        std::thread::spawn(move || while attend(&mut reader, &answers, &tell).is_ok() {});
        Ok(Self { path: path.to_owned(), socket, shown })
    }

    /// An agent's hook brings a proposal. Returns when that began, and the hook, with which its review ends.
    pub(super) fn propose(&self, proposal: &HookProposal) -> Result<(Instant, impl Sized + use<>)> {
        let hook = Mutex::new(UnixStream::connect(&self.path)?);
        let mut params = serde_json::to_value(proposal)?;
        params["protocol"] = PROTOCOL.into();
        let call = json!({ "jsonrpc": "2.0", "id": 0, "method": "alongside/propose", "params": params });
        Ok((say(&hook, &call)?, hook))
    }

    /// The person accepts all that the agent of this proposal still proposes for its file.
    pub(super) fn grant(&self, shown: &Shown) -> Result<()> {
        let grant = json!({ "id": shown.review.id, "scope": "file" });
        self.notify("alongside/grant", &grant).map(drop)
    }

    pub(super) fn withdraw_grants(&self) -> Result<()> {
        self.notify("alongside/withdrawGrants", &json!({})).map(drop)
    }

    /// The person has moved the cursor to a line, which counts from 1. Returns when that began.
    pub(super) fn cursor(&self, file: &str, line: u32) -> Result<Instant> {
        let cursor = json!({ "line": line - 1, "character": 0 });
        let active = json!({ "path": file, "cursor": cursor });
        self.notify("alongside/didChangeContext", &json!({ "active": active }))
    }

    /// The person accepts. Returns when that began.
    pub(super) fn accept(&self, shown: &Shown) -> Result<Instant> {
        let Review { id, revision, .. } = shown.review;
        let decision = json!({ "id": id, "revision": revision, "decision": "accept" });
        self.notify("alongside/decideReview", &decision)
    }

    /// Waits for the proposal for this file, and drops those for others.
    pub(super) fn shown(&self, file: &str) -> Result<Shown> {
        loop {
            let shown = self.shown.recv_timeout(PATIENCE).context("a proposal is not shown")?;
            if shown.review.file == file {
                return Ok(shown);
            }
        }
    }

    fn notify(&self, method: &str, params: &Value) -> Result<Instant> {
        say(&self.socket, &json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        // Its thread ends with it.
        let _ = socket.shutdown(std::net::Shutdown::Both);
    }
}

fn say(socket: &Mutex<UnixStream>, message: &Value) -> Result<Instant> {
    let framed = framed(message);
    let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
    let since = Instant::now();
    socket.write_all(framed.as_bytes()).context("the companion has hung up on its desk")?;
    Ok(since)
}

/// A message as it is sent.
pub(super) fn framed(message: &Value) -> String {
    let message = message.to_string();
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

fn read(reader: &mut BufReader<UnixStream>) -> Result<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        ensure!(reader.read_line(&mut line)? > 0, "the companion has hung up on its desk");
        match line.trim_end() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ").map(str::parse).transpose()?.or(length),
        }
    }
    let mut message = vec![0; length.context("a message without its length")?];
    reader.read_exact(&mut message)?;
    Ok(message)
}

/// Reads one message of the companion, and notes when it came.
fn attend(
    reader: &mut BufReader<UnixStream>,
    socket: &Mutex<UnixStream>,
    tell: &mpsc::Sender<Shown>,
) -> Result<()> {
    #[derive(Deserialize)]
    struct Message<'a> {
        method: Option<String>,
        #[serde(borrow)]
        params: Option<&'a RawValue>,
    }
    let message = read(reader)?;
    let at = Instant::now();
    let message: Message<'_> = serde_json::from_slice(&message)?;
    let params = message.params.map_or("null", RawValue::get);
    match message.method.as_deref() {
        Some("alongside/didOpenReview") => tell.send(Shown { at, review: serde_json::from_str(params)? })?,
        // This desk holds no unsent text.
        Some("alongside/flushReview") => {
            let flushed: Value = serde_json::from_str(params)?;
            say(
                socket,
                &json!({ "jsonrpc": "2.0", "method": "alongside/didFlushReview", "params": flushed }),
            )?;
        }
        _ => {}
    }
    Ok(())
}
