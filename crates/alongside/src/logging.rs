//! The log: off unless asked for, private, and about our own code only. What libraries trace may hold headers, and
//! with them the token, so nothing of theirs is ever written.

use std::path::{Path, PathBuf};

use alongside_companion::private::{self, Ground};
use alongside_platform::private::open_for_appending;
use anyhow::Context;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::failure::Hint;

/// How much is logged: a level such as `debug`; `ALONGSIDE_LOG_LEVEL`.
const LEVEL: &str = "ALONGSIDE_LOG_LEVEL";

/// Starts writing to `file`, appending. Does nothing without one.
///
/// # Errors
/// When the file cannot be opened, or the level is none.
pub(crate) fn start(file: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = file else { return Ok(()) };
    let log =
        open_for_appending(path).with_context(|| format!("cannot write the log {}", path.display())).hint(
            "give a file in a directory that exists and is yours: --log FILE, or the variable ALONGSIDE_LOG",
        )?;
    write_to(log, "debug")
}

fn write_to<W>(log: W, level: &str) -> anyhow::Result<()>
where
    W: for<'w> tracing_subscriber::fmt::MakeWriter<'w> + Send + Sync + 'static,
{
    let level = std::env::var(LEVEL).unwrap_or_else(|_| level.to_owned());
    let Ok(level) = level.parse::<tracing::Level>() else {
        return Err(anyhow::anyhow!("{LEVEL} is {level:?}, which is no level"))
            .hint("use error, warn, info, debug or trace");
    };
    // A target is matched by its prefix: this is every crate of ours.
    let ours = Targets::new().with_target("alongside", level);
    let written = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log);
    tracing_subscriber::registry().with(ours).with(written).init();
    Ok(())
}

/// Where hosts log, who have no terminal.
pub(crate) fn directory() -> PathBuf {
    alongside_companion::Places::of_this_process().state.join("log")
}

/// Starts a host's log: a file a day, kept for a week. Whatever this process makes from now on is private.
///
/// # Errors
/// When the directory cannot be made, or the level is none.
pub(crate) fn start_for_host() -> anyhow::Result<()> {
    let directory = directory();
    let state = directory.parent().unwrap_or(&directory);
    private::directory(state, Path::new("log"), Ground::Own)
        .with_context(|| format!("cannot make the log's directory {}", directory.display()))?;
    // The library that makes a file at midnight takes no mode.
    alongside_platform::private::make_all_private();
    let log = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("host")
        .filename_suffix("log")
        .max_log_files(7)
        .build(&directory)
        .with_context(|| format!("cannot write a log in {}", directory.display()))?;
    write_to(std::sync::Mutex::new(log), "info")
}
