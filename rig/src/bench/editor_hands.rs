//! The person at the editor: moves the cursor, accepts. At ours over the desk's socket; at another companion
//! as `--drive` says.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use alongside_conformance::Action;
use anyhow::{Context as _, Result, bail, ensure};

use super::desk::Desk;
use super::plan::PATIENCE;
use crate::sandbox::Sandbox;

/// The way by which the person acts on a companion.
#[derive(Debug)]
pub(super) enum Hands {
    Desk(Desk),
    /// A socket that takes one action a line, as a JSON array of strings, and answers `ok` or `no`.
    Socket {
        write: UnixStream,
        read: BufReader<UnixStream>,
    },
    /// A command that runs once for each action, as for `alongside check`.
    Command {
        command: String,
        environment: Vec<(&'static str, std::ffi::OsString)>,
    },
}

impl Hands {
    /// As `--drive` says: a command, or `unix:` and the path of a socket.
    pub(super) fn of(drive: &str, sandbox: Option<&Sandbox>) -> Result<Self> {
        let Some(path) = drive.strip_prefix("unix:") else {
            let environment = sandbox.map(Sandbox::env).unwrap_or_default();
            return Ok(Self::Command { command: drive.to_owned(), environment });
        };
        Self::dial(Path::new(path))
    }

    pub(super) fn dial(path: &Path) -> Result<Self> {
        let write = UnixStream::connect(path)
            .with_context(|| format!("nobody hears what to do in the editor at {}", path.display()))?;
        write.set_read_timeout(Some(PATIENCE))?;
        let read = BufReader::new(write.try_clone()?);
        Ok(Self::Socket { write, read })
    }

    /// Puts the cursor on a line, which counts from 1. Returns when that began.
    pub(super) fn cursor(&mut self, file: &str, line: u32) -> Result<Instant> {
        match self {
            Self::Desk(desk) => desk.cursor(file, line),
            _ => self.act(&Action::Cursor { file: file.into(), line, column: 1 }),
        }
    }

    /// Accepts the proposal for a file. Returns when that began: our desk accepts what it has been shown.
    pub(super) fn accept(&mut self, file: &str) -> Result<Instant> {
        match self {
            Self::Desk(desk) => {
                let shown = desk.shown(file)?;
                desk.accept(&shown)
            }
            _ => self.act(&Action::Accept { path: file.to_owned() }),
        }
    }

    fn act(&mut self, action: &Action) -> Result<Instant> {
        match self {
            Self::Desk(_) => bail!("a desk of ours has no need to be driven"),
            Self::Socket { write, read } => {
                let words: Vec<String> =
                    std::iter::once(action.name().to_owned()).chain(action.arguments()).collect();
                let line = serde_json::to_string(&words)? + "\n";
                let since = Instant::now();
                write.write_all(line.as_bytes()).context("whoever drives the editor is gone")?;
                let mut answer = String::new();
                read.read_line(&mut answer).context("whoever drives the editor does not answer")?;
                ensure!(answer.trim_end() == "ok", "{} is not done: {answer:?}", action.name());
                Ok(since)
            }
            Self::Command { command, environment } => {
                let mut shell = std::process::Command::new("sh");
                shell
                    .args(["-c", &format!("{command} \"$@\""), "sh", action.name()])
                    .args(action.arguments());
                shell.envs(environment.iter().map(|(name, value)| (name, value)));
                shell.stdin(Stdio::null()).stdout(Stdio::null());
                let since = Instant::now();
                let status = shell.status().context("cannot run the command of --drive")?;
                ensure!(status.success(), "the command of --drive ended with {status} at {}", action.name());
                Ok(since)
            }
        }
    }
}
