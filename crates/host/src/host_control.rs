//! Requests of other processes to running hosts: hand over, end, report the status.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_common::failure::failure;
use alongside_desk::socket::{self, Report};
use alongside_platform::process;
use anyhow::Context;
use futures_util::future::join_all;

use super::port_hold::hold_port_of;
use super::registry::Registry;
use super::registry_entry::Entry;
use super::spawn::spawn;

/// The time limit for a host's status, and for an ended host to leave the process table.
const REPORT_TIMEOUT: Duration = Duration::from_secs(2);
/// The time limit for a host that was asked to end: it waits for agents that have stopped reading, up to a
/// limit.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// Replaces a host by a new one with this program's version, on the same port and with the same token.
///
/// # Errors
/// When the host does not hand over, or the new one does not start.
pub async fn replace(entry: &Entry) -> anyhow::Result<()> {
    let registry = Registry::of_this_process();
    let lock = registry.lock().await?;
    let hold = hold_port_of(&registry, entry).await;
    if let Ok(stream) = registry.dial(&entry.name).await {
        within_timeout(entry, socket::hand_over(stream)).await?.context("the host does not hand over")?;
    }
    spawn(&Entry { parties: entry.living_parties(), ..entry.clone() }, hold.as_ref(), &lock).await
}

/// Ends a host as if its last desk had left.
///
/// # Errors
/// When the host does not end.
pub async fn stop(entry: &Entry) -> anyhow::Result<()> {
    let registry = Registry::of_this_process();
    match registry.dial(&entry.name).await {
        Ok(stream) => {
            within_timeout(entry, socket::stop(stream)).await?.context("the host does not end")?;
            let _ = tokio::time::timeout(REPORT_TIMEOUT, process::ended(entry.pid)).await;
        }
        Err(_) => registry.remove(entry),
    }
    Ok(())
}

async fn within_timeout<T>(entry: &Entry, answer: impl Future<Output = T>) -> anyhow::Result<T> {
    tokio::time::timeout(END_TIMEOUT, answer).await.map_err(|_| {
        failure(
            format!(
                "the host {} (process {}) has not answered for {} s",
                entry.name,
                entry.pid,
                END_TIMEOUT.as_secs()
            ),
            "continue it with `kill -CONT` if it is stopped; else end it with `kill -KILL`, and the next \
             host frees the agents that wait",
        )
    })
}

/// Returns the reports of all hosts that answer.
pub async fn reports() -> Vec<Report> {
    let registry = Registry::of_this_process();
    let reports = registry.entries().into_iter().map(|entry| {
        let registry = registry.clone();
        async move {
            let stream = registry.dial(&entry.name).await.ok()?;
            let report = tokio::time::timeout(REPORT_TIMEOUT, socket::report(stream)).await;
            report.ok()?.ok()
        }
    });
    join_all(reports).await.into_iter().flatten().collect()
}

/// Returns the process id of the host that serves these directories, even if the host does not answer.
pub fn process_of(dirs: &[PathBuf]) -> Option<u32> {
    let lives = |entry: &Entry| process::is_alive(entry.pid);
    let entries = Registry::of_this_process().entries().into_iter();
    entries.filter(|entry| dirs.iter().all(|dir| entry.serves(dir))).find(lives).map(|entry| entry.pid)
}

/// Whether a host serves a directory. Waits for a host that is being started.
///
/// # Errors
/// When the registry cannot be opened, or another process holds its lock for 30 s.
pub async fn serves(dir: &Path) -> anyhow::Result<bool> {
    let registry = Registry::of_this_process();
    let _lock = registry.lock().await?;
    Ok(registry.entries().into_iter().any(|entry| entry.serves(dir)))
}
