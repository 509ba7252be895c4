//! Figures of a process from Linux's `/proc`: memory, processor time and wake-ups; and the process that
//! listens on a port.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::procfs::status_field;

/// Memory in KiB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    /// The resident set. In a small program most of it are pages of the program's file, which its processes
    /// share and the system can drop.
    pub(super) resident: f64,
    /// The anonymous part, which no file backs.
    pub(super) own: f64,
}

/// The memory of a process.
pub(super) fn memory(pid: u32) -> Result<Memory> {
    let kib = |field: &str| status_field(pid, field).map(|kib| kib as f64).with_context(|| gone(pid));
    Ok(Memory { resident: kib("VmRSS")?, own: kib("RssAnon")? })
}

/// The work of a process's threads so far.
#[derive(Debug, Clone)]
pub(super) struct Activity(HashMap<PathBuf, (u64, u64)>);

impl Activity {
    pub(super) fn of(pid: u32) -> Result<Self> {
        let threads = fs::read_dir(proc_directory(pid).join("task")).with_context(|| gone(pid))?.flatten();
        let activity = |thread: &Path| -> Option<(u64, u64)> {
            let computed =
                fs::read_to_string(thread.join("schedstat")).ok()?.split(' ').next()?.parse().ok()?;
            let status = fs::read_to_string(thread.join("status")).ok()?;
            let sleeps = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok());
            Some((computed, sleeps?))
        };
        Ok(Self(threads.filter_map(|thread| Some((thread.path(), activity(&thread.path())?))).collect()))
    }

    /// The processor time in milliseconds and the wake-ups since `before`. Threads that have ended meanwhile
    /// do not count.
    pub(super) fn since(&self, before: &Self) -> (f64, f64) {
        let mut sum = (0.0, 0.0);
        for (thread, (computed, sleeps)) in &self.0 {
            let (computed_before, sleeps_before) = before.0.get(thread).copied().unwrap_or_default();
            sum.0 += computed.saturating_sub(computed_before) as f64 / 1e6;
            sum.1 += sleeps.saturating_sub(sleeps_before) as f64;
        }
        sum
    }
}

/// Finds the process that listens on this port of the loopback.
pub(super) fn listener_of(port: u16) -> Result<u32> {
    let address_end = format!(":{port:04X}");
    let sockets =
        ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().filter_map(|table| fs::read_to_string(table).ok());
    let inode = sockets.collect::<String>().lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        (words.get(1)?.ends_with(&address_end) && *words.get(3)? == "0A")
            .then(|| words.get(9).map(|inode| (*inode).to_owned()))?
    });
    let link = format!("socket:[{}]", inode.with_context(|| format!("nobody listens on port {port}"))?);
    let processes = fs::read_dir("/proc").context("there is no /proc")?.flatten();
    let found = processes
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .find(|(_, process): &(u32, PathBuf)| {
            let open = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
            open.into_iter().any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to == Path::new(&link)))
        });
    found.map(|(pid, _)| pid).with_context(|| format!("cannot tell which process listens on port {port}"))
}

fn proc_directory(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

fn gone(pid: u32) -> String {
    format!("process {pid} is gone, or not ours to look at")
}
