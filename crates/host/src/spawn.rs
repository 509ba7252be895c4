//! Starts a host as a separate process, which outlives its starter. Messages to people call it the companion.

use std::process::Stdio;
use std::time::Duration;

use alongside_common::failure::{Hint, failure};
use alongside_companion::PortHold;
use alongside_platform::process::{running_program, start_apart};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use super::registry_entry::Entry;
use super::start_lock::StartLock;

/// The time limit until a host listens.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(20);

/// The line that a host writes to its standard output once it knows whether it can serve.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum StartReport {
    /// The host listens.
    Ready,
    /// The host cannot serve, for this reason. Hints say what to do.
    Failed { error: String, hints: Vec<String> },
}

/// Starts a host and returns when it listens. The host also holds the caller's `lock` until it can be
/// found. `hold` is the caller's hold on the port of the previous host, which the new host takes over.
///
/// # Errors
/// When the process cannot be started, reports that it cannot serve, or reports nothing for 20 s.
pub(super) async fn spawn(entry: &Entry, hold: Option<&PortHold>, lock: &StartLock) -> anyhow::Result<()> {
    let program = running_program().context("cannot find the path of the running program")?;
    let mut command = Command::new(&program);
    if let Some(config) = &entry.config {
        command.arg("--config").arg(config);
    }
    if let Some(log) = &entry.log {
        command.arg("--log").arg(log);
    }
    command.args(["host", "--serve", &entry.name, "--starter", &std::process::id().to_string()]);
    for editor in &entry.editors {
        command.arg("--editor").arg(serde_json::to_string(editor)?);
    }
    for party in &entry.parties {
        command.arg("--party").arg(serde_json::to_string(party)?);
    }
    let port_socket = hold.and_then(|hold| {
        let to_stdin = hold.to_stdin();
        to_stdin
            .inspect_err(|error| tracing::warn!(%error, "the hold on the port cannot be handed over"))
            .ok()
    });
    if port_socket.is_some() {
        command.arg("--holds-port");
    }
    command.arg("--holds-lock").arg("--").args(&entry.roots);
    // The new host inherits the port as its standard input and the lock as its standard error. Its directory
    // is `/`, because a detached process must keep no other directory in use.
    command
        .current_dir("/")
        .stdin(port_socket.unwrap_or_else(Stdio::null))
        .stdout(Stdio::piped())
        .stderr(lock.to_stderr().context("cannot hand the lock over to the companion")?);
    start_apart(command.as_std_mut());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let mut report = String::new();
    if let Some(out) = child.stdout.take() {
        let mut out = BufReader::new(out);
        let reading = tokio::time::timeout(START_TIMEOUT, out.read_line(&mut report)).await;
        reading.context("the companion has not started within 20 s")??;
    }
    // Waits for the child, so that it does not stay a zombie if it ends before this process.
    tokio::spawn(async move { child.wait().await });
    match serde_json::from_str(&report) {
        Ok(StartReport::Ready) => Ok(()),
        Ok(StartReport::Failed { error, hints }) => {
            // The error is reported as if it had occurred here.
            let failed = Err(anyhow::Error::msg(error));
            hints.into_iter().rev().fold(failed, |failed, hint| failed.hint(hint))
        }
        Err(_) => Err(failure("the companion ended while it started", "`alongside log` shows why")),
    }
}
