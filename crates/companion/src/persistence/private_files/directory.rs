//! Private directories: mode 0700, created and opened without following links of another user.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use alongside_platform::directory::Directory;
use alongside_platform::files;

/// The words of the error about a directory of another user.
pub(crate) const FOREIGN_OWNER: &str = "belongs to another user";

/// The trust in what already exists on the way to a private directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathTrust {
    /// Below a directory to which others may write, such as `/tmp`: every step must be a directory of ours.
    Shared,
    /// Below home: symbolic links are the user's own, and only the last directory is made private.
    Own,
}

/// Creates `base/below` as a private directory, or makes it one.
///
/// # Errors
/// When the directory cannot be created, or when an existing one may belong to another user.
pub fn directory(base: &Path, below: &Path, trust: PathTrust) -> io::Result<()> {
    create_private(base, below, trust).map(drop)
}

/// Creates `base/below` as a private directory, or makes it one, and opens it. The checks use the open
/// directory, not its name.
pub(crate) fn create_private(base: &Path, below: &Path, trust: PathTrust) -> io::Result<Directory> {
    if trust == PathTrust::Own {
        refuse_root_in_users_home(base)?;
        fs::create_dir_all(base).map_err(|error| error_with_path(base, error))?;
    }
    let mut directory = open(base)?;
    let mut steps = below.components().peekable();
    while let Some(step) = steps.next() {
        let path = directory.path().join(step);
        match directory.make(step.as_os_str()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other.map_err(|error| error_with_path(&path, error))?,
        }
        directory = next(&directory, step.as_os_str(), trust)?;
        if trust == PathTrust::Shared || steps.peek().is_none() {
            directory.shut().map_err(|error| error_with_path(&path, error))?;
        }
    }
    Ok(directory)
}

/// Refuses to create anything as root in the home of another user, as with `sudo`: that user could never use
/// it.
fn refuse_root_in_users_home(base: &Path) -> io::Result<()> {
    let existing = base.ancestors().find_map(|path| Some((path, path.metadata().ok()?)));
    match existing.filter(|(_, found)| files::is_roots_visit(found)) {
        Some((path, _)) => Err(io::Error::other(format!("{} {FOREIGN_OWNER}", path.display()))),
        None => Ok(()),
    }
}

/// Opens `base/below` if it is a directory that [`create_private`] accepts.
pub(crate) fn open_private(base: &Path, below: &Path, trust: PathTrust) -> io::Result<Directory> {
    below.components().try_fold(open(base)?, |directory, step| next(&directory, step.as_os_str(), trust))
}

/// Removes `base/below` and its ancestors up to the base, as far as they are ours and empty.
pub(crate) fn remove_empty(base: &Path, below: &Path) {
    for path in below.ancestors().filter(|path| path.file_name().is_some()) {
        let above = path.parent().unwrap_or(Path::new(""));
        let removed = open_private(base, path, PathTrust::Shared)
            .and_then(|_| open_private(base, above, PathTrust::Shared))
            .and_then(|above| above.remove_empty(path.file_name().unwrap_or_default()));
        if removed.is_err() {
            // Another process uses the directory, or it never existed.
            return;
        }
    }
}

fn open(base: &Path) -> io::Result<Directory> {
    Directory::open(base).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => io::Error::other(format!("{} is not a directory", base.display())),
        _ => error_with_path(base, error),
    })
}

/// Opens the directory of the next step, if it is ours.
fn next(directory: &Directory, step: &OsStr, trust: PathTrust) -> io::Result<Directory> {
    let path = directory.path().join(step);
    let refuse = |why: &str| Err(io::Error::other(format!("{} {why}", path.display())));
    let found = match trust {
        PathTrust::Shared => directory.below(step),
        PathTrust::Own => Directory::open(&path),
    };
    match found {
        Ok(found) if files::is_ours(&found.metadata()?) => Ok(found),
        Ok(_) => refuse(FOREIGN_OWNER),
        Err(_) if trust == PathTrust::Shared && path.is_symlink() => {
            refuse("is a symbolic link, and somebody else may have put it there")
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => refuse("is not a directory"),
        Err(error) => Err(error_with_path(&path, error)),
    }
}

/// Adds the path to the message of an error.
fn error_with_path(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
