//! Changes of files that a person may have written. They are made all or none, and keep links, modes and a
//! copy of the text before.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::failure::Hint;

/// The extension of a copy.
const BACKUP_EXTENSION: &str = "before-alongside";

/// A file and its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// `None` if the file does not exist.
    pub(crate) before: Option<String>,
    /// `None` if the file is to go.
    pub(crate) after: Option<String>,
    /// Whether a person may have written it: then its lines are shown, and a copy is kept.
    pub(crate) is_theirs: bool,
}

/// Reads a text file; `None` if it does not exist.
///
/// # Errors
/// When it cannot be read, or is not UTF-8.
pub(crate) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            anyhow::bail!("{} is not UTF-8, so alongside does not change it", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Directories and copies that were made beside the changed files.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// Outermost first.
    pub(crate) directories: Vec<PathBuf>,
    /// Copies of files as they were before.
    pub(crate) backups: Vec<PathBuf>,
}

/// Makes all changes, or none. With `copies` a copy is kept beside each file of the person.
///
/// # Errors
/// When a file has changed meanwhile or cannot be written. The files before it are restored.
pub(crate) fn make(changes: &[Change], copies: bool) -> anyhow::Result<Made> {
    let mut made = Made::default();
    for (count, change) in changes.iter().enumerate() {
        if let Err(error) = make_one(change, copies, &mut made) {
            let undone = undo(&changes[..count]);
            made.backups.iter().for_each(|path| drop(fs::remove_file(path)));
            remove_empty(&made.directories);
            return match undone {
                Ok(()) => Err(error).hint("nothing is changed"),
                Err(also) => Err(error).hint(format!("the files changed before stay changed: {also:#}")),
            };
        }
    }
    Ok(made)
}

/// Restores the files of changes that were made.
///
/// # Errors
/// When a file cannot be written; those before it in the list stay changed.
fn undo(changes: &[Change]) -> anyhow::Result<()> {
    changes.iter().rev().try_for_each(|change| put(&change.path, change.before.as_deref()))
}

fn make_one(change: &Change, copies: bool, made: &mut Made) -> anyhow::Result<()> {
    if read(&change.path)? != change.before {
        anyhow::bail!("another program has just changed {}", change.path.display());
    }
    if let (true, Some(before)) = (copies && change.is_theirs, &change.before) {
        made.backups.extend(back_up(&change.path, before)?);
    }
    if change.after.is_some() {
        make_directories(
            link_target(&change.path).parent().unwrap_or(Path::new("/")),
            &mut made.directories,
        )?;
    }
    put(&change.path, change.after.as_deref())
}

/// Replaces the text of a file in one step, or removes the file. A link stays, and its target keeps its mode.
///
/// # Errors
/// When the file is write-protected, or its directory cannot be written.
pub(crate) fn put(path: &Path, text: Option<&str>) -> anyhow::Result<()> {
    let real = link_target(path);
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
        // A new file gets the umask's mode, not the private one of a temporary file.
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

/// Longer chains of links are an error of the system, too.
const MAX_LINKS: usize = 40;

/// Where links lead, also to a file that does not exist yet. The links themselves are the person's, and stay.
fn link_target(path: &Path) -> PathBuf {
    let mut real = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&real) else { break };
        real = real.parent().unwrap_or(Path::new("/")).join(next);
    }
    real
}

/// Copies the file beside itself. An older copy stays: it is from before the first installation.
fn back_up(path: &Path, text: &str) -> anyhow::Result<Option<PathBuf>> {
    let backup = backup_of(path);
    if backup.exists() {
        return Ok(None);
    }
    // With its mode: settings may hold secrets.
    fs::copy(path, &backup).with_context(|| format!("cannot keep a copy of {}", path.display()))?;
    if read(&backup)?.as_deref() != Some(text) {
        anyhow::bail!("another program has just changed {}", path.display());
    }
    Ok(Some(backup))
}

/// The path of a file's copy.
pub(crate) fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(BACKUP_EXTENSION);
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

/// Removes the empty ones of these directories, innermost first.
pub(crate) fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        // It fails for a directory that holds files, and so keeps it.
        let _ = fs::remove_dir(directory);
    }
}
