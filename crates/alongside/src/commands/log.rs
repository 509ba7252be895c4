//! `alongside log`.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use super::{note, print};
use crate::logging;
use alongside_desk::harmless;

/// Show what companions wrote into their log
///
/// Companions run as processes of their own, without a terminal; this is where they say what happened. The log never holds the token, nor
/// what is in your files. It is kept for a week.
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
        print(&format!("{}\n", harmless::path(&directory)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let files = files()?;
    let (mut text, mut newest) = (String::new(), None);
    // From the newest back, until there is enough.
    for file in files.iter().rev() {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        newest.get_or_insert_with(|| (file.clone(), bytes.len() as u64));
        text.insert_str(0, &String::from_utf8_lossy(&bytes));
        if text.lines().count() >= args.lines {
            break;
        }
    }
    let skipped = text.lines().count().saturating_sub(args.lines);
    let shown: String =
        text.lines().skip(skipped).map(|line| format!("{}\n", harmless::line(line))).collect();
    print(&shown)?;
    if files.is_empty() && !args.follow {
        note(&format!("nothing was logged in {} yet", directory.display()));
        return Ok(ExitCode::FAILURE);
    }
    if args.follow {
        follow(newest).await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The log's files, oldest first: their names hold the date.
fn files() -> anyhow::Result<Vec<PathBuf>> {
    let directory = logging::directory();
    let entries = match fs::read_dir(&directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.with_context(|| format!("cannot read {}", directory.display()))?,
    };
    let mut files: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

/// Goes on from where the newest file was read to, in bytes.
async fn follow(newest: Option<(PathBuf, u64)>) -> anyhow::Result<()> {
    let mut read = newest.as_ref().map_or(0, |(_, read)| *read);
    let mut at = newest.map(|(file, _)| file);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let newest = self::files()?.pop();
        if newest != at {
            // A new day.
            (at, read) = (newest, 0);
        }
        let Some(path) = &at else { continue };
        let mut file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        file.seek(SeekFrom::Start(read))?;
        let mut bytes = Vec::new();
        read += file.read_to_end(&mut bytes)? as u64;
        print(&harmless::text(&String::from_utf8_lossy(&bytes)))?;
    }
}
