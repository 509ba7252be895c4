//! Changes to files that a person may have written: shown before they are made, made all or none, and so that
//! links, modes and what was there before are kept.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use alongside_desk::harmless;
use anyhow::Context;
use similar::ChangeTag;

use super::machine::Machine;
use crate::failure::Hint;
use crate::unified::hunks;

/// What a backup's name ends in.
const BACKUP: &str = "before-alongside";

/// A file that is to hold something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// What it holds; `None` if it is not there.
    pub(crate) before: Option<String>,
    /// What it is to hold; `None` if it is to go.
    pub(crate) after: Option<String>,
    /// Whether a person may have written it, so that it is shown line by line and kept beside.
    pub(crate) is_theirs: bool,
}

/// Reads a text file; `None` if it is not there.
///
/// # Errors
/// When it cannot be read, or is no text.
pub(crate) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            anyhow::bail!("{} is not UTF-8, so nothing in it is changed", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Lines that are ours: those that come when something is installed, and those that go when it is taken out.
/// Many of them in a row are counted; a person's own lines are all shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ours {
    Come,
    Go,
}

/// What a person reads before they agree. Files of theirs are shown line by line, files of ours are named;
/// many of them together, unless `all` is asked for.
pub(crate) fn shown(changes: &[Change], machine: &Machine, ours_are: Ours, all: bool) -> String {
    let (theirs, ours): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.is_theirs || all);
    let folded = (!all).then_some(ours_are);
    let mut text: String = theirs.iter().map(|change| unified(change, folded)).collect();
    for (what, is_it) in WHAT {
        let paths: Vec<&Path> =
            ours.iter().filter(|change| is_it(change)).map(|change| change.path.as_path()).collect();
        let together = common(&paths).filter(|_| paths.len() > FEW);
        let inside =
            paths.iter().filter(|path| together.is_some_and(|directory| path.starts_with(directory)));
        if let Some(directory) = together {
            text.push_str(&format!("  {what} {}: {} files\n", machine.shown(directory), inside.count()));
        }
        for path in paths.iter().filter(|path| !together.is_some_and(|directory| path.starts_with(directory)))
        {
            text.push_str(&format!("  {what} {}\n", machine.shown(path)));
        }
    }
    text
}

/// Whether a change is of a kind.
type Is = fn(&Change) -> bool;

/// What can happen to a file, and how to tell.
const WHAT: [(&str, Is); 3] = [
    ("new     ", |change| change.before.is_none()),
    ("replace ", |change| change.before.is_some() && change.after.is_some()),
    ("remove  ", |change| change.before.is_some() && change.after.is_none()),
];

/// So many files of ours are named one by one.
const FEW: usize = 4;

/// The deepest directory that holds more than half of the files.
fn common<'p>(paths: &[&'p Path]) -> Option<&'p Path> {
    let directories = paths.iter().flat_map(|path| path.ancestors().skip(1));
    let holds_most = |directory: &&Path| {
        paths.iter().filter(|path| path.starts_with(directory)).count() * 10 > paths.len() * 9
    };
    directories.filter(holds_most).max_by_key(|directory| directory.components().count())
}

/// From so many of our lines in a row, the first few are shown.
const MANY: usize = 12;
const FIRST: usize = 6;

/// So many lines are shown around what changes.
const AROUND: usize = 3;

fn unified(change: &Change, folded: Option<Ours>) -> String {
    let [before, after] = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or_default());
    // Not below `~`: whose that is, is what one wants to be sure of here.
    let path = harmless::path(&change.path);
    let name = |text: &Option<String>| if text.is_some() { path.as_str() } else { "/dev/null" };
    let mut unified = format!("--- {}\n+++ {}\n", name(&change.before), name(&change.after));
    for hunk in hunks(before, after, AROUND) {
        unified.push_str(&format!("{}\n", hunk.header));
        for run in hunk.lines.chunk_by(|one, next| one.tag() == next.tag()) {
            let is_ours = run.first().is_some_and(|line| match folded {
                Some(Ours::Come) => line.tag() == ChangeTag::Insert,
                Some(Ours::Go) => line.tag() == ChangeTag::Delete,
                None => false,
            });
            let shown = if is_ours && run.len() > MANY { FIRST } else { run.len() };
            for line in &run[..shown] {
                let end = if line.value().ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
                unified.push_str(&format!("{}{}{end}", line.tag(), line.value()));
            }
            if shown < run.len() {
                let (tag, more) = (run[0].tag(), run.len() - shown);
                unified.push_str(&format!("{tag}… {more} more lines like these (--verbose shows them)\n"));
            }
        }
    }
    harmless::text(&unified).into_owned()
}

/// What was written, so that it can be taken back.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// The directories that were made, outermost first.
    pub(crate) directories: Vec<PathBuf>,
    /// Copies of what was there before.
    pub(crate) backups: Vec<PathBuf>,
}

/// Makes all changes, or none; with a copy beside each file of the person's, if `copies` says so.
///
/// # Errors
/// When a file has changed meanwhile or cannot be written. What was changed until then is as it was.
pub(crate) fn make(changes: &[Change], copies: bool) -> anyhow::Result<Done> {
    let mut done = Done::default();
    for (count, change) in changes.iter().enumerate() {
        if let Err(error) = make_one(change, copies, &mut done) {
            let undone =
                changes[..count].iter().rev().try_for_each(|made| put(&made.path, made.before.as_deref()));
            done.backups.iter().for_each(|path| drop(fs::remove_file(path)));
            remove_empty(&done.directories);
            return match undone {
                Ok(()) => Err(error).hint("nothing is changed"),
                Err(also) => {
                    Err(error).hint(format!("what was changed before could not be changed back: {also:#}"))
                }
            };
        }
    }
    Ok(done)
}

fn make_one(change: &Change, copies: bool, done: &mut Done) -> anyhow::Result<()> {
    if read(&change.path)? != change.before {
        anyhow::bail!("{} has just been changed by something else", change.path.display());
    }
    if let (true, Some(before)) = (copies && change.is_theirs, &change.before) {
        done.backups.extend(back_up(&change.path, before)?);
    }
    if change.after.is_some() {
        make_directories(led_to(&change.path).parent().unwrap_or(Path::new("/")), &mut done.directories)?;
    }
    put(&change.path, change.after.as_deref())
}

/// Makes the file hold `text`, in one step, or removes it. A link stays one, and its target keeps its mode.
///
/// # Errors
/// When its directory or the file does not let us.
pub(crate) fn put(path: &Path, text: Option<&str>) -> anyhow::Result<()> {
    let real = led_to(path);
    let Some(text) = text else {
        return match fs::remove_file(&real) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", path.display()))
            }
            _ => Ok(()),
        };
    };
    let write = || -> std::io::Result<()> {
        let old = match fs::metadata(&real) {
            Ok(found) => Some(found.permissions()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if old.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(std::io::Error::new(ErrorKind::PermissionDenied, "it is write-protected"));
        }
        let directory = real.parent().unwrap_or(Path::new("/"));
        // As every new file of this user, until it gets the mode of the one it replaces.
        let mut file = tempfile::Builder::new()
            .prefix(".alongside-")
            .make_in(directory, |path| fs::File::create_new(path))?;
        if let Some(permissions) = old {
            file.as_file().set_permissions(permissions)?;
        }
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&real).map_err(|error| error.error)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// How many links may follow one upon the other, as the system counts them.
const LINKS: usize = 40;

/// Where links lead, also to what is not there yet. The links themselves are the person's, and stay.
fn led_to(path: &Path) -> PathBuf {
    let mut real = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&real) else { break };
        real = real.parent().unwrap_or(Path::new("/")).join(next);
    }
    real
}

/// Copies the file beside itself, once: an older copy is what was there before we came.
fn back_up(path: &Path, text: &str) -> anyhow::Result<Option<PathBuf>> {
    let backup = backup_of(path);
    if backup.exists() {
        return Ok(None);
    }
    // With its mode: settings may hold secrets.
    fs::copy(path, &backup).with_context(|| format!("cannot keep a copy of {}", path.display()))?;
    if read(&backup)?.as_deref() != Some(text) {
        anyhow::bail!("{} has just been changed by something else", path.display());
    }
    Ok(Some(backup))
}

/// Where the copy of a file is.
pub(crate) fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(BACKUP);
    path.with_file_name(name)
}

fn make_directories(directory: &Path, made: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let missing: Vec<&Path> = directory.ancestors().take_while(|path| !path.exists()).collect();
    for path in missing.into_iter().rev() {
        fs::create_dir(path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        made.push(path.to_owned());
    }
    Ok(())
}

/// Removes those of the directories that hold nothing, innermost first. One that holds something is
/// somebody's by now.
pub(crate) fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        // It fails for one that is not empty, which is what is wanted.
        let _ = fs::remove_dir(directory);
    }
}
