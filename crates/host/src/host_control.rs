//! Requests of other processes to running hosts: hand over, end, report.

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

/// How long a host may take to say how it is, and how long an ended one to leave the process table.
const REPORT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a host that is told to end may take: it waits, but not for good, for agents that stopped reading.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// Has a host hand over to a new one of this program's version, with the same port and token.
///
/// # Errors
/// When the host does not hand over, or the new one does not start.
pub async fn replace(entry: &Entry) -> anyhow::Result<()> {
    let registry = Registry::of_this_process();
    let lock = registry.lock().await?;
    let hold = hold_port_of(&registry, entry).await;
    if let Ok(stream) = registry.dial(&entry.name).await {
        in_time(entry, socket::hand_over(stream)).await?.context("the host does not hand over")?;
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
            in_time(entry, socket::stop(stream)).await?.context("the host does not end")?;
            let _ = tokio::time::timeout(REPORT_TIMEOUT, process::ended(entry.pid)).await;
        }
        Err(_) => registry.remove(entry),
    }
    Ok(())
}

async fn in_time<T>(entry: &Entry, answer: impl Future<Output = T>) -> anyhow::Result<T> {
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

/// The report of every host that answers.
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

/// The process of the host that serves these directories, also of one that does not answer.
pub fn process_of(dirs: &[PathBuf]) -> Option<u32> {
    let lives = |entry: &Entry| process::is_alive(entry.pid);
    let entries = Registry::of_this_process().entries().into_iter();
    entries.filter(|entry| dirs.iter().all(|dir| entry.serves(dir))).find(lives).map(|entry| entry.pid)
}

/// Whether a host serves a directory, or is being started for it.
///
/// # Errors
/// When the registry cannot be opened, or another process holds its lock for 30 s.
pub async fn serves(dir: &Path) -> anyhow::Result<bool> {
    let registry = Registry::of_this_process();
    let _lock = registry.lock().await?;
    Ok(registry.entries().into_iter().any(|entry| entry.serves(dir)))
}
