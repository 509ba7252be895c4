//! The real program as a host, started as desks start it, with its figures from `/proc`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use alongside_desk::Desk;
use alongside_desk::socket::{Joined, join};
use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::process::Child;

use crate::desk::hello;
use crate::procfs::status_field;
use crate::sandbox::Sandbox;
use crate::wire::Address;

const NAME: &str = "load";

/// A running host. It ends with the desk that leaves last, or with the sandbox.
#[derive(Debug)]
pub(super) struct Host {
    child: Child,
    pid: u32,
    socket: PathBuf,
}

impl Host {
    pub(super) async fn start(program: &Path, sandbox: &Sandbox) -> Result<Self> {
        let mut command = sandbox.command(program);
        command.args(["host", "--serve", NAME, "--starter", &std::process::id().to_string(), "--"]);
        command.arg(sandbox.project()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = sandbox.spawn(&mut command);
        let mut line = String::new();
        let out = child.stdout.take().context("the host has no output")?;
        BufReader::new(out).read_line(&mut line).await?;
        ensure!(line.contains("ready"), "the host does not begin: {line:?}");
        let pid = child.id().context("the host has ended")?;
        let socket = sandbox.hosts().join(NAME).with_extension("sock");
        Ok(Self { child, pid, socket })
    }

    pub(super) async fn join(&self) -> Result<(Desk, Address)> {
        let stream = UnixStream::connect(&self.socket).await.context("cannot dial the host")?;
        let Joined { desk, welcome, .. } = join(stream, &hello(NAME)).await?;
        Ok((desk, Address { port: welcome.alongside.port, token: welcome.alongside.token }))
    }

    pub(super) fn figures(&self) -> Result<Figures> {
        Figures::of(self.pid)
    }

    /// Waits for the end of the host, once its last desk has left.
    pub(super) async fn wait_for_end(mut self) -> Result<()> {
        let ended = tokio::time::timeout(crate::wire::PATIENCE, self.child.wait()).await;
        let status = ended.context("the host does not end with its last desk")??;
        ensure!(status.success(), "the host ended with {status}");
        Ok(())
    }
}

/// Figures of a process from Linux's `/proc`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    /// The resident set, in KiB.
    pub(super) resident: u64,
    /// The number of open descriptors.
    pub(super) open: u64,
    /// The processor time, in milliseconds.
    pub(super) computed: u64,
    /// The time for which its threads waited for a free processor, in milliseconds.
    pub(super) waited: u64,
}

impl Figures {
    pub(super) fn of(pid: u32) -> Result<Self> {
        let directory = PathBuf::from(format!("/proc/{pid}"));
        let read = |name: &str| {
            std::fs::read_to_string(directory.join(name))
                .with_context(|| format!("the host (process {pid}) is gone"))
        };
        let resident = status_field(pid, "VmRSS");
        // After the program's name, the twelfth and the thirteenth word are the user and the system time, in
        // ticks of 10 ms.
        let stat = read("stat")?;
        let words: Vec<_> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks = [11, 12].iter().filter_map(|index| words.get(*index)?.parse::<u64>().ok()).sum::<u64>();
        // Each line has the nanoseconds that a thread ran, then the nanoseconds that it waited for a
        // processor. Threads that have ended have no line.
        let threads = std::fs::read_dir(directory.join("task"))?.flatten();
        let lines =
            threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
        let waited = lines.filter_map(|line| line.split(' ').nth(1)?.parse::<u64>().ok()).sum::<u64>();
        let open = std::fs::read_dir(directory.join("fd"))?.count();
        Ok(Self {
            resident: resident.with_context(|| format!("the host (process {pid}) has ended"))?,
            open: u64::try_from(open)?,
            computed: ticks * 10,
            waited: waited / 1_000_000,
        })
    }
}
