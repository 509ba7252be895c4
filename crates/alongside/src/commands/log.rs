//! `alongside log`: prints the log of companions.

use std::fs;
use std::io::{ErrorKind, Read as _, Seek as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use alongside_common::logging;
use anyhow::Context;

use super::{note, print};
use alongside_companion::private::leads_to;
use alongside_desk::harmless;
use alongside_platform::files::is_absent;

/// Show the log of companions
///
/// Companions run as processes of their own, without a terminal, and write a log. It never holds the token or
/// the text of your files. It is kept for a week, and at most its last 4 to 8 MiB.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0; 1 if there is no log yet.")]
pub(crate) struct Args {
    /// Number of lines
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,

    /// Keep showing new lines until Ctrl-C
    #[arg(short, long)]
    follow: bool,

    /// Print the directories of the log files instead
    #[arg(long, conflicts_with = "follow")]
    path: bool,
}

/// The time between two reads of the log with `--follow`.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let directory = logging::directory();
    if args.path {
        let shown = logging::directories().into_iter().filter(|other| *other == directory || other.is_dir());
        let shown: String = shown.map(|directory| format!("{}\n", harmless::path(&directory))).collect();
        print(&shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut log = OpenLog::default();
    let text = log.read_new()?;
    let skipped = text.lines().count().saturating_sub(args.lines);
    let shown: String =
        text.lines().skip(skipped).map(|line| format!("{}\n", harmless::line(line))).collect();
    print(&shown)?;
    if log.0.is_empty() && !args.follow {
        note(&format!("there is no log in {} yet", directory.display()));
        return Ok(ExitCode::FAILURE);
    }
    if args.follow {
        log.follow().await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The open log files, each read up to its position. A renamed file stays open.
#[derive(Debug, Default)]
struct OpenLog(Vec<fs::File>);

impl OpenLog {
    /// Prints new lines until reading or writing fails.
    async fn follow(mut self) -> anyhow::Result<()> {
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            print(&harmless::text(&self.read_new()?))?;
        }
    }

    /// Reads the new text of all files, the oldest file first.
    fn read_new(&mut self) -> anyhow::Result<String> {
        let files = files()?;
        for path in &files {
            if self.0.iter().any(|file| leads_to(path, file)) {
                continue;
            }
            match fs::File::open(path) {
                // The file was renamed after the directory was read.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                opened => self.0.push(opened.with_context(|| format!("cannot read {}", path.display()))?),
            }
        }
        let mut bytes = Vec::new();
        for file in &mut self.0 {
            if file.metadata()?.len() < file.stream_position()? {
                // The file was truncated.
                file.rewind()?;
            }
            file.read_to_end(&mut bytes)?;
        }
        self.0.retain(|file| files.iter().any(|path| leads_to(path, file)));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Returns the log files, the newest last.
fn files() -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for directory in logging::directories() {
        let entries = match fs::read_dir(&directory) {
            Err(error) if is_absent(&error) => continue,
            other => other.with_context(|| format!("cannot read {}", directory.display()))?,
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if let Ok(found) = fs::symlink_metadata(&path)
                && found.is_file()
            {
                // Both files may have the same time, because the clock of a file system is coarse.
                let is_newer = path.extension().is_none_or(|extension| extension != "1");
                files.push((found.modified().ok(), is_newer, path));
            }
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(.., path)| path).collect())
}
