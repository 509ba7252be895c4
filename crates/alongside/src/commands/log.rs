//! `alongside log`.

use std::fs;
use std::io::{ErrorKind, Read as _, Seek as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use super::{note, print};
use crate::logging;
use alongside_companion::private::leads_to;
use alongside_desk::harmless;

/// Show what companions wrote into their log
///
/// Companions run as processes of their own, without a terminal; this is where they say what happened. The
/// log never holds the token, nor what is in your files. It is kept for a week, and no more than the last 4
/// to 8 MiB of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0; 1 if nothing was ever logged.")]
pub(crate) struct Args {
    /// How many lines
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,

    /// Go on showing what is written, until Ctrl-C
    #[arg(short, long)]
    follow: bool,

    /// Print where the files are instead
    #[arg(long, conflicts_with = "follow")]
    path: bool,
}

/// How often the end of the log is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let directory = logging::directory();
    if args.path {
        let shown = logging::directories().into_iter().filter(|other| *other == directory || other.is_dir());
        let shown: String = shown.map(|directory| format!("{}\n", harmless::path(&directory))).collect();
        print(&shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut known = Known::default();
    let text = known.read()?;
    let skipped = text.lines().count().saturating_sub(args.lines);
    let shown: String =
        text.lines().skip(skipped).map(|line| format!("{}\n", harmless::line(line))).collect();
    print(&shown)?;
    if known.0.is_empty() && !args.follow {
        note(&format!("nothing was logged in {} yet", directory.display()));
        return Ok(ExitCode::FAILURE);
    }
    if args.follow {
        known.follow().await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The log's files as far as they were read. A file stays itself when it gets another name.
#[derive(Debug, Default)]
struct Known(Vec<fs::File>);

impl Known {
    /// Shows what is written from now on, until it cannot be shown.
    async fn follow(mut self) -> anyhow::Result<()> {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            print(&harmless::text(&self.read()?))?;
        }
    }

    /// What has been written since, oldest first.
    fn read(&mut self) -> anyhow::Result<String> {
        let files = files()?;
        for path in &files {
            if self.0.iter().any(|file| leads_to(path, file)) {
                continue;
            }
            match fs::File::open(path) {
                // It has got another name in this moment.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                opened => self.0.push(opened.with_context(|| format!("cannot read {}", path.display()))?),
            }
        }
        let mut bytes = Vec::new();
        for file in &mut self.0 {
            if file.metadata()?.len() < file.stream_position()? {
                // It was emptied.
                file.rewind()?;
            }
            file.read_to_end(&mut bytes)?;
        }
        self.0.retain(|file| files.iter().any(|path| leads_to(path, file)));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The log's files, the one that was written last at the end.
fn files() -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for directory in logging::directories() {
        let entries = match fs::read_dir(&directory) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            other => other.with_context(|| format!("cannot read {}", directory.display()))?,
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if let Ok(found) = fs::symlink_metadata(&path)
                && found.is_file()
            {
                // Both may have been written within one tick of the clock.
                let is_newer = path.extension().is_none_or(|extension| extension != "1");
                files.push((found.modified().ok(), is_newer, path));
            }
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(.., path)| path).collect())
}
