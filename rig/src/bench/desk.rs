//! A desk for measuring, without a runtime. An action of the person is one write, and the time of a message
//! is taken before the message is parsed. The hooks of the bench use the same socket.

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

/// A proposal that the desk has received.
#[derive(Debug)]
pub(super) struct ShownProposal {
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

impl ShownProposal {
    pub(super) fn hunks(&self) -> usize {
        self.review.hunks.len()
    }
}

/// A desk that has joined a host.
#[derive(Debug)]
pub(super) struct Desk {
    path: PathBuf,
    socket: Arc<Mutex<UnixStream>>,
    shown: mpsc::Receiver<ShownProposal>,
}

impl Desk {
    /// Joins the host that listens on the socket `path`.
    pub(super) fn join(path: &Path) -> Result<Self> {
        let stream = UnixStream::connect(path)
            .with_context(|| format!("cannot join the companion at {}", path.display()))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let socket = Arc::new(Mutex::new(stream));
        send(
            &socket,
            &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello("bench") }),
        )?;
        let welcome: Value = serde_json::from_slice(&read_message(&mut reader)?)?;
        ensure!(welcome["result"].is_object(), "the companion lets no desk in: {welcome}");
        let (sender, shown) = mpsc::channel();
        let reply_socket = socket.clone();
        std::thread::spawn(move || while handle_message(&mut reader, &reply_socket, &sender).is_ok() {});
        Ok(Self { path: path.to_owned(), socket, shown })
    }

    /// Sends a proposal as an agent's hook. Returns the time at which that began, and the hook: its review
    /// ends when the hook is dropped.
    pub(super) fn propose(&self, proposal: &HookProposal) -> Result<(Instant, impl Sized + use<>)> {
        let hook = Mutex::new(UnixStream::connect(&self.path)?);
        let mut params = serde_json::to_value(proposal)?;
        params["protocol"] = PROTOCOL.into();
        let call = json!({ "jsonrpc": "2.0", "id": 0, "method": "alongside/propose", "params": params });
        Ok((send(&hook, &call)?, hook))
    }

    /// Grants the session of this proposal all further changes of its file.
    pub(super) fn grant(&self, shown: &ShownProposal) -> Result<()> {
        let grant = json!({ "id": shown.review.id, "scope": "file" });
        self.notify("alongside/grant", &grant).map(drop)
    }

    pub(super) fn withdraw_grants(&self) -> Result<()> {
        self.notify("alongside/withdrawGrants", &json!({})).map(drop)
    }

    /// Reports the cursor on a line, which counts from 1. Returns the time at which that began.
    pub(super) fn move_cursor(&self, file: &str, line: u32) -> Result<Instant> {
        let cursor = json!({ "line": line - 1, "character": 0 });
        let active = json!({ "path": file, "cursor": cursor });
        self.notify("alongside/didChangeContext", &json!({ "active": active }))
    }

    /// Accepts a proposal. Returns the time at which that began.
    pub(super) fn accept(&self, shown: &ShownProposal) -> Result<Instant> {
        let Review { id, revision, .. } = shown.review;
        let decision = json!({ "id": id, "revision": revision, "decision": "accept" });
        self.notify("alongside/decideReview", &decision)
    }

    /// Waits for a proposal for this file, and drops the proposals for other files.
    pub(super) fn wait_for_proposal(&self, file: &str) -> Result<ShownProposal> {
        loop {
            let shown = self.shown.recv_timeout(PATIENCE).context("a proposal is not shown")?;
            if shown.review.file == file {
                return Ok(shown);
            }
        }
    }

    fn notify(&self, method: &str, params: &Value) -> Result<Instant> {
        send(&self.socket, &json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread that reads ends when the socket is shut down.
        let _ = socket.shutdown(std::net::Shutdown::Both);
    }
}

fn send(socket: &Mutex<UnixStream>, message: &Value) -> Result<Instant> {
    let framed = framed(message);
    let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
    let since = Instant::now();
    socket.write_all(framed.as_bytes()).context("the companion has hung up on its desk")?;
    Ok(since)
}

/// Returns a message with its header, as it is sent.
pub(super) fn framed(message: &Value) -> String {
    let message = message.to_string();
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

fn read_message(reader: &mut BufReader<UnixStream>) -> Result<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        ensure!(reader.read_line(&mut line)? > 0, "the companion has hung up on its desk");
        match line.trim_end() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ").map(str::parse).transpose()?.or(length),
        }
    }
    let mut message = vec![0; length.context("a message came without its length")?];
    reader.read_exact(&mut message)?;
    Ok(message)
}

/// Reads one message of the companion: passes a proposal on with its time, and replies to a flush.
fn handle_message(
    reader: &mut BufReader<UnixStream>,
    socket: &Mutex<UnixStream>,
    sender: &mpsc::Sender<ShownProposal>,
) -> Result<()> {
    #[derive(Deserialize)]
    struct Message<'a> {
        method: Option<String>,
        #[serde(borrow)]
        params: Option<&'a RawValue>,
    }
    let message = read_message(reader)?;
    let at = Instant::now();
    let message: Message<'_> = serde_json::from_slice(&message)?;
    let params = message.params.map_or("null", RawValue::get);
    match message.method.as_deref() {
        Some("alongside/didOpenReview") => {
            sender.send(ShownProposal { at, review: serde_json::from_str(params)? })?;
        }
        // This desk holds no unsent text.
        Some("alongside/flushReview") => {
            let flushed: Value = serde_json::from_str(params)?;
            send(
                socket,
                &json!({ "jsonrpc": "2.0", "method": "alongside/didFlushReview", "params": flushed }),
            )?;
        }
        _ => {}
    }
    Ok(())
}
