//! The log: off by default, private, limited in size, and only about our own code. Libraries may trace
//! headers, and with them the token, so their lines are never written.

mod capped_file;
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
use crate::runtime_dirs::RuntimeDirs;
use capped_file::CappedFile;
use queue::Queue;

/// The variable that sets the level, such as `debug`.
const LEVEL: &str = "ALONGSIDE_LOG_LEVEL";

/// The size limit, in bytes, of a log that a person names. The previous file may be as large.
const NAMED_LIMIT: u64 = 16 << 20;
/// The size limit of the hosts' common log, in bytes.
const HOST_LIMIT: u64 = 4 << 20;
/// The size limit, in bytes, of that log in a runtime directory, which is in memory.
const MEMORY_LIMIT: u64 = 1 << 20;
/// The time for which a file is kept to which no host writes.
const RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The problem of this host's log: see [`problem`].
static PROBLEM: OnceLock<Problem> = OnceLock::new();

/// A running log. Dropping it writes all pending lines, unless that takes more than a second.
pub struct Log(Option<Queue>);

impl Drop for Log {
    fn drop(&mut self) {
        self.0.iter().for_each(Queue::flush);
    }
}

/// Starts a log that appends to `file`. Without a file there is no log.
///
/// # Errors
/// When the file cannot be opened, or the level is unknown.
pub fn start(file: Option<&Path>) -> anyhow::Result<Log> {
    let Some(path) = file else { return Ok(Log(None)) };
    let log = CappedFile::open(path, NAMED_LIMIT)
        .with_context(|| format!("cannot write the log {}", path.display()))
        .hint(
            "give a file in a directory that exists and is yours: --log FILE, or the variable ALONGSIDE_LOG",
        )?;
    write_to(log, "debug")
}

fn write_to(log: CappedFile, level: &str) -> anyhow::Result<Log> {
    let level = std::env::var(LEVEL).unwrap_or_else(|_| level.to_owned());
    let Ok(level) = level.parse::<tracing::Level>() else {
        return Err(anyhow::anyhow!("{LEVEL} is {level:?}, which is no level"))
            .hint("use error, warn, info, debug or trace");
    };
    let queue = Queue::start(log).context("cannot start a thread for the log")?;
    // A target is matched by prefix: this one matches every crate of ours.
    let ours = Targets::new().with_target("alongside", level);
    let written = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(queue.clone());
    tracing_subscriber::registry().with(ours).with(written).init();
    log_panics(queue.clone());
    Ok(Log(Some(queue)))
}

/// Logs the location of a panic, because the panic may end the process. Omits its message, which may quote a
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

/// Lists the directories in which hosts may have logged: the usual one, and the alternatives if it fails.
pub fn directories() -> Vec<PathBuf> {
    let runtime = RuntimeDirs::of_this_process();
    let elsewhere = runtime.existing().map(|runtime| runtime.path().join("log"));
    std::iter::once(directory()).chain(elsewhere).collect()
}

/// Returns the directory in which hosts usually log.
pub fn directory() -> PathBuf {
    alongside_companion::AppDirs::of_this_process().state.join("log")
}

/// Starts a host's log: in `file`, or in the hosts' common log. If that fails, the host still serves, logs
/// elsewhere if possible, and reports the problem: see [`problem`]. Every file that this process creates from
/// now on is private.
///
/// # Errors
/// When the level is unknown.
pub fn start_for_host(file: Option<&Path>) -> anyhow::Result<Log> {
    // The host's socket is private, too.
    alongside_platform::private::make_all_private();
    let (wanted, level) = match file {
        Some(file) => (file.to_owned(), "debug"),
        None => (directory().join("host.log"), "info"),
    };
    let opened = match file {
        Some(file) => CappedFile::open(file, NAMED_LIMIT),
        None => open_in(&directory(), HOST_LIMIT),
    };
    let error = match opened {
        Ok(log) => return write_to(log, level),
        Err(error) => error,
    };
    let runtime = RuntimeDirs::of_this_process();
    let private = runtime.own().iter().filter(|directory| directory.make().is_ok());
    let others =
        file.map(|_| directory()).into_iter().chain(private.map(|runtime| runtime.path().join("log")));
    let other = others.into_iter().find_map(|other| Some((open_in(&other, MEMORY_LIMIT).ok()?, other)));
    let instead = match &other {
        Some((_, other)) => {
            format!("It logs in {} instead; `alongside log` shows that as well.", other.display())
        }
        None => "It logs nowhere.".into(),
    };
    let problem = Problem::new(
        format!("this companion cannot log in {}: {error}", wanted.display()),
        format!("{instead} Make room, and see that the file and its directory are yours."),
    );
    let _ = PROBLEM.set(problem);
    other.map_or(Ok(Log(None)), |(log, _)| write_to(log, level))
}

/// Returns the reason why this host logs elsewhere, or not at all; `None` if it logs as intended.
pub fn problem() -> Option<&'static Problem> {
    PROBLEM.get()
}

fn open_in(directory: &Path, cap: u64) -> io::Result<CappedFile> {
    let above = directory.parent().unwrap_or(directory);
    private::directory(above, Path::new("log"), PathTrust::Own)?;
    for old in std::fs::read_dir(directory)?.flatten() {
        let modified = old.metadata().and_then(|found| found.modified());
        if modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > RETENTION)) {
            // Another host may have removed it.
            let _ = std::fs::remove_file(old.path());
        }
    }
    CappedFile::open(&directory.join("host.log"), cap)
}
