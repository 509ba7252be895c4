//! Figures of a process from Linux: its memory, what it has computed, how often it woke up, who listens on a
//! port.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::procfs::status_field;

/// Memory in KiB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    /// The resident set. Most of a small program's are pages of its file, which all who run it share and the
    /// system can drop.
    pub(super) resident: f64,
    /// The part that is shared with no other process and is in no file.
    pub(super) own: f64,
}

/// How much memory a process has.
pub(super) fn memory(pid: u32) -> Result<Memory> {
    let kib = |field: &str| status_field(pid, field).map(|kib| kib as f64).with_context(|| gone(pid));
    Ok(Memory { resident: kib("VmRSS")?, own: kib("RssAnon")? })
}

/// The work of a process's threads so far.
#[derive(Debug, Clone)]
pub(super) struct Activity(HashMap<PathBuf, (u64, u64)>);

impl Activity {
    pub(super) fn of(pid: u32) -> Result<Self> {
        let threads = fs::read_dir(place(pid).join("task")).with_context(|| gone(pid))?.flatten();
        let one = |thread: &Path| -> Option<(u64, u64)> {
            let computed =
                fs::read_to_string(thread.join("schedstat")).ok()?.split(' ').next()?.parse().ok()?;
            let status = fs::read_to_string(thread.join("status")).ok()?;
            let slept = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok());
            Some((computed, slept?))
        };
        Ok(Self(threads.filter_map(|thread| Some((thread.path(), one(&thread.path())?))).collect()))
    }

    /// Milliseconds of a processor and wake-ups since then. Threads that have ended since take theirs along.
    pub(super) fn since(&self, before: &Self) -> (f64, f64) {
        let mut sum = (0.0, 0.0);
        for (thread, (computed, slept)) in &self.0 {
            let (computed_before, slept_before) = before.0.get(thread).copied().unwrap_or_default();
            sum.0 += computed.saturating_sub(computed_before) as f64 / 1e6;
            sum.1 += slept.saturating_sub(slept_before) as f64;
        }
        sum
    }
}

/// The process that listens on this port of the loopback.
pub(super) fn listens_on(port: u16) -> Result<u32> {
    let wanted = format!(":{port:04X}");
    let sockets =
        ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().filter_map(|table| fs::read_to_string(table).ok());
    let inode = sockets.collect::<String>().lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        (words.get(1)?.ends_with(&wanted) && *words.get(3)? == "0A")
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

fn place(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

fn gone(pid: u32) -> String {
    format!("process {pid} is gone, or not ours to look at")
}
