//! The person at the editor, who moves the cursor and accepts: through a desk's socket at a companion of
//! alongside, through the driver of `--drive` at another companion.

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

/// The person, by the way in which they act on a companion.
#[derive(Debug)]
pub(super) enum Person {
    Desk(Desk),
    /// A socket that reads an action from each line, as a JSON array of strings, and answers `ok` or `no`.
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

impl Person {
    /// Creates the person from the value of `--drive`: a command, or `unix:` and the path of a socket.
    pub(super) fn from_drive(drive: &str, sandbox: Option<&Sandbox>) -> Result<Self> {
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

    /// Moves the cursor to a line, which counts from 1. Returns the time at which the move began.
    pub(super) fn move_cursor(&mut self, file: &str, line: u32) -> Result<Instant> {
        match self {
            Self::Desk(desk) => desk.move_cursor(file, line),
            _ => self.act(&Action::Cursor { file: file.into(), line, column: 1 }),
        }
    }

    /// Accepts the proposal for a file, and returns the time at which that began. A desk first waits for the
    /// proposal.
    pub(super) fn accept(&mut self, file: &str) -> Result<Instant> {
        match self {
            Self::Desk(desk) => {
                let shown = desk.wait_for_proposal(file)?;
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
