//! The log: off unless asked for, private, capped, and about our own code only. What libraries trace may hold
//! headers, and with them the token, so nothing of theirs is ever written.

mod capped;
mod queue;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use alongside_companion::private::{self, PathTrust};
use alongside_desk::Problem;
use anyhow::Context;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::failure::Hint;
use crate::host::Registry;
use capped::Capped;
use queue::Queue;

/// How much is logged: a level such as `debug`; `ALONGSIDE_LOG_LEVEL`.
const LEVEL: &str = "ALONGSIDE_LOG_LEVEL";

/// How large a log that a person names may be, in bytes; the one before it is as large.
const NAMED: u64 = 16 << 20;
/// The same of the log of all hosts.
const HOSTS: u64 = 4 << 20;
/// The same where it lies in memory, as runtime directories do.
const IN_MEMORY: u64 = 1 << 20;
/// How long what no host has written to is kept.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Why this host's log is not where it should be.
static TROUBLE: OnceLock<Problem> = OnceLock::new();

/// A log that is being written. When it is dropped, what was logged is in the file, unless that takes more
/// than a second.
pub(crate) struct Log(Option<Queue>);

impl Drop for Log {
    fn drop(&mut self) {
        self.0.iter().for_each(Queue::flush);
    }
}

/// Starts writing to `file`, appending. Does nothing without one.
///
/// # Errors
/// When the file cannot be opened, or the level is none.
pub(crate) fn start(file: Option<&Path>) -> anyhow::Result<Log> {
    let Some(path) = file else { return Ok(Log(None)) };
    let log =
        Capped::open(path, NAMED).with_context(|| format!("cannot write the log {}", path.display())).hint(
            "give a file in a directory that exists and is yours: --log FILE, or the variable ALONGSIDE_LOG",
        )?;
    write_to(log, "debug")
}

fn write_to(log: Capped, level: &str) -> anyhow::Result<Log> {
    let level = std::env::var(LEVEL).unwrap_or_else(|_| level.to_owned());
    let Ok(level) = level.parse::<tracing::Level>() else {
        return Err(anyhow::anyhow!("{LEVEL} is {level:?}, which is no level"))
            .hint("use error, warn, info, debug or trace");
    };
    let queue = Queue::start(log).context("cannot start a thread for the log")?;
    // A target is matched by its prefix: this is every crate of ours.
    let ours = Targets::new().with_target("alongside", level);
    let lines = queue.clone();
    let written = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || lines.clone());
    tracing_subscriber::registry().with(ours).with(written).init();
    log_panics(queue.clone());
    Ok(Log(Some(queue)))
}

/// A panic may end the process at once. Where it came from is logged, not what it said, which may be of a
/// file.
fn log_panics(queue: Queue) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let at = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(at, "panicked");
        queue.flush();
        before(panic);
    }));
}

/// Where hosts log, who have no terminal; and where they do if they cannot.
pub(crate) fn directories() -> Vec<PathBuf> {
    let elsewhere = Registry::open().ok().map(|registry| registry.directory().join("log"));
    std::iter::once(directory()).chain(elsewhere).collect()
}

/// Where hosts log.
pub(crate) fn directory() -> PathBuf {
    alongside_companion::Places::of_this_process().state.join("log")
}

/// Starts a host's log: in the file that was named, or where all hosts log. Where that cannot be, the host
/// serves all the same, logs elsewhere if it can, and says so: see [`trouble`]. Whatever this process makes
/// from now on is private.
///
/// # Errors
/// When the level is none.
pub(crate) fn start_for_host(file: Option<&Path>) -> anyhow::Result<Log> {
    // Its socket, too.
    alongside_platform::private::make_all_private();
    let (wanted, level) = match file {
        Some(file) => (file.to_owned(), "debug"),
        None => (directory().join("host.log"), "info"),
    };
    let opened = match file {
        Some(file) => Capped::open(file, NAMED),
        None => open_in(&directory(), HOSTS),
    };
    let error = match opened {
        Ok(log) => return write_to(log, level),
        Err(error) => error,
    };
    let others = directories().into_iter().skip(usize::from(file.is_none()));
    let other = others.into_iter().find_map(|other| Some((open_in(&other, IN_MEMORY).ok()?, other)));
    let instead = match &other {
        Some((_, other)) => {
            format!("It logs in {} instead; `alongside log` shows that as well.", other.display())
        }
        None => "It logs nowhere.".into(),
    };
    let problem = Problem {
        what: format!("this companion cannot log in {}: {error}", wanted.display()),
        hint: Some(format!(
            "{instead} See that the file and its directory are yours, and that there is room."
        )),
    };
    // Said once, for a host starts once.
    let _ = TROUBLE.set(problem);
    other.map_or(Ok(Log(None)), |(log, _)| write_to(log, level))
}

/// Why this host's log is not where it should be, if it is not.
pub(crate) fn trouble() -> Option<&'static Problem> {
    TROUBLE.get()
}

fn open_in(directory: &Path, cap: u64) -> io::Result<Capped> {
    let above = directory.parent().unwrap_or(directory);
    private::directory(above, Path::new("log"), PathTrust::Own)?;
    for old in std::fs::read_dir(directory)?.flatten() {
        let modified = old.metadata().and_then(|found| found.modified());
        if modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT_FOR)) {
            // Another host may have done so just now.
            let _ = std::fs::remove_file(old.path());
        }
    }
    Capped::open(&directory.join("host.log"), cap)
}
