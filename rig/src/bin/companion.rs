//! A companion in a process of its own, controlled by JSON lines: the library without a host. A test can
//! start it in a terminal pane, stop it, and kill it.
//!
//!   companion '{"root": "…", "held": []}' [socket]
//!
//! It uses the protocol of `alongside review --json`, with a first line `{"event": "ready", …}`, and stops
//! properly on `{"id": 2, "cmd": "stop"}`.

use std::net::SocketAddr;
use std::path::PathBuf;

use alongside_companion::{Companion, PortHold};
use alongside_desk::{Desk, Request};
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

/// The options of the companion.
#[derive(Debug, Deserialize)]
struct Options {
    root: PathBuf,
    /// The predecessor's socket addresses, whose port the test holds.
    held: Vec<SocketAddr>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let options = arguments.next().context("the options are missing")?;
    let options = serde_json::from_str(&options).with_context(|| format!("in {options}"))?;
    match arguments.next() {
        Some(socket) => {
            let (read, write) = tokio::net::UnixStream::connect(socket).await?.into_split();
            run(options, read, write).await
        }
        None => run(options, tokio::io::stdin(), tokio::io::stdout()).await,
    }
}

async fn run(
    options: Options,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<()> {
    let journal = options.root.to_string_lossy().into_owned();
    let mut builder = Companion::builder().editor("rig", "The Rig").journal_as(journal).root(options.root);
    if !options.held.is_empty() {
        builder = builder.port_hold(PortHold::take(&options.held)?);
    }
    let companion = builder.start().await?;
    let mut desk = companion.join();
    let (sender, lines) = mpsc::unbounded_channel();
    let writer = tokio::spawn(write_lines(output, lines));
    sender.send(json!({
        "event": "ready",
        "pid": std::process::id(),
        "port": companion.port(),
        "token": companion.token(),
        "addresses": companion.addresses(),
    }))?;

    let mut input = BufReader::new(input).lines();
    let stop = loop {
        tokio::select! {
            event = desk.next() => sender.send(json!(event?))?,
            line = input.next_line() => match line? {
                Some(line) => {
                    let message: Value = serde_json::from_str(&line).with_context(|| format!("in {line}"))?;
                    let id = message["id"].as_u64().with_context(|| format!("no id in {line}"))?;
                    if message["cmd"] == "stop" {
                        break Some(id);
                    }
                    let request = serde_json::from_value(message).with_context(|| format!("in {line}"))?;
                    answer(&desk, &sender, id, request);
                }
                // The test has ended, so this process ends at once.
                None => break None,
            },
        }
    };
    if let Some(id) = stop {
        companion.stop().await;
        while let Ok(event) = desk.next().await {
            sender.send(json!(event))?;
        }
        sender.send(json!({ "id": id, "result": null }))?;
        drop(sender);
        writer.await?;
    }
    Ok(())
}

fn answer(desk: &Desk, sender: &mpsc::UnboundedSender<Value>, id: u64, request: Request) {
    let (reply, sender) = (desk.send(request), sender.clone());
    tokio::spawn(async move {
        let message = match reply.await {
            Ok(Ok(revised)) => json!({ "id": id, "result": revised }),
            Ok(Err(refusal)) => json!({ "id": id, "error": refusal.to_string() }),
            Err(_) => json!({ "id": id, "error": "the companion has stopped" }),
        };
        let _ = sender.send(message);
    });
}

async fn write_lines(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::UnboundedReceiver<Value>) {
    while let Some(line) = lines.recv().await {
        let written = output.write_all(format!("{line}\n").as_bytes()).await;
        if written.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
