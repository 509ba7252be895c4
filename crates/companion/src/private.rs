//! Files and directories that are nobody else's business: atomic, mode 0600 in directories of mode 0700, and never
//! through a name that another user could have put there.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use alongside_platform::files;
use alongside_platform::private::{create_directory, open_for_appending, shut_directory};

/// What a file is called until it is complete.
const UNFINISHED: &str = ".alongside-";
/// How long one may take to be complete. One that is older is of somebody who was killed.
const FINISHED_WITHIN: Duration = Duration::from_secs(60);

/// How much to trust what already exists on the way to a private directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Below a directory that others may write to, such as `/tmp`: every step must be a real directory of ours.
    Shared,
    /// Below home: symbolic links are the user's own, and only the last directory is made private.
    Own,
}

/// Makes `base/below` a private directory, or says why it cannot be one.
///
/// # Errors
/// When it cannot be made, or what is there may be somebody else's.
pub fn directory(base: &Path, below: &Path, ground: Ground) -> io::Result<()> {
    if ground == Ground::Own {
        fs::create_dir_all(base).map_err(|error| naming(base, error))?;
    } else if !base.is_dir() {
        return Err(io::Error::other(format!("{} is not a directory", base.display())));
    }
    let mut path = base.to_owned();
    let mut steps = below.components().peekable();
    while let Some(step) = steps.next() {
        path.push(step);
        match create_directory(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other.map_err(|error| naming(&path, error))?,
        }
        check(&path, ground)?;
        if ground == Ground::Shared || steps.peek().is_none() {
            shut_directory(&path).map_err(|error| naming(&path, error))?;
        }
    }
    Ok(())
}

/// Replaces a file in one step. It is private from the first byte on.
///
/// # Errors
/// When the directory does not let us; the old file is there still.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    // Its error names a file that is not there; the caller knows which it is about.
    let plain = |error: io::Error| match error.get_ref().and_then(std::error::Error::source) {
        Some(source) => io::Error::new(error.kind(), source.to_string()),
        None => error,
    };
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(directory).map_err(plain)?;
    file.as_file_mut().write_all(content)?;
    #[cfg(test)]
    steps::step(path);
    file.persist(path).map_err(|error| error.error)?;
    #[cfg(test)]
    steps::step(path);
    Ok(())
}

/// What a test does between two steps on the disk: there a crash may come.
#[cfg(test)]
pub(crate) mod steps {
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};

    type Watcher = (PathBuf, Box<dyn Fn() + Send>);

    static WATCHERS: Mutex<Vec<Watcher>> = Mutex::new(Vec::new());

    /// Has this done at each step below a directory.
    pub(crate) fn watch(directory: &Path, does: impl Fn() + Send + 'static) {
        let mut watchers = WATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.push((directory.to_owned(), Box::new(does)));
    }

    pub(crate) fn step(path: &Path) {
        let watchers = WATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.iter().filter(|(directory, _)| path.starts_with(directory)).for_each(|(_, does)| does());
    }
}

/// Removes what was left unfinished in a directory by [writers](write) that were killed.
pub(crate) fn remove_unfinished(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_old = |found: fs::Metadata| {
            found.is_file()
                && found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > FINISHED_WITHIN))
        };
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) && entry.metadata().is_ok_and(is_old) {
            // Somebody else may have done so just now.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Takes the lock of this file, which is made if it is not there; `None` while somebody else has it. It is held until it is
/// dropped. Who holds it may remove the file.
///
/// # Errors
/// When the file cannot be made or locked.
pub fn try_lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = open_for_appending(path)?;
        match file.try_lock() {
            // Otherwise it was removed in between, and the next to come takes another one of that name.
            Ok(()) if leads_to(path, &file) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Whether the file is still there under this name, and no other.
pub fn leads_to(path: &Path, file: &File) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(ours)) => files::is_same(&there, &ours),
        _ => false,
    }
}

fn naming(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn check(path: &Path, ground: Ground) -> io::Result<()> {
    let refuse = |why: &str| Err(io::Error::other(format!("{} {why}", path.display())));
    let found = match ground {
        Ground::Shared => fs::symlink_metadata(path),
        Ground::Own => fs::metadata(path),
    }
    .map_err(|error| naming(path, error))?;
    if found.is_symlink() {
        return refuse("is a symbolic link, and somebody else may have put it there");
    }
    if !found.is_dir() {
        return refuse("is not a directory");
    }
    if !files::is_ours(&found) {
        return refuse("belongs to another user");
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn directories_and_files_are_private() {
        let tmp = tempfile::tempdir().unwrap();
        fs::create_dir(tmp.path().join("gemini")).unwrap();
        fs::set_permissions(tmp.path().join("gemini"), fs::Permissions::from_mode(0o755)).unwrap();
        directory(tmp.path(), Path::new("gemini/ide"), Ground::Shared).unwrap();
        for below in ["gemini", "gemini/ide"] {
            assert_eq!(fs::metadata(tmp.path().join(below)).unwrap().mode() & 0o777, 0o700);
        }
        let file = tmp.path().join("gemini/ide/x.json");
        write(&file, b"1").unwrap();
        let reading = fs::File::open(&file).unwrap();
        write(&file, b"2").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"2");
        let read = io::read_to_string(reading).unwrap();
        assert_eq!(read, "1", "who was reading the old one goes on reading it");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_lock_whose_file_was_removed_is_taken_anew_and_by_one_only() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("x.lock");
        let first = try_lock(&path).unwrap().unwrap();
        assert_eq!(first.metadata().unwrap().mode() & 0o777, 0o600);
        assert!(leads_to(&path, &first) && try_lock(&path).unwrap().is_none());
        // Who waited for it has opened it before it goes.
        let waiting = File::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        drop(first);
        let second = try_lock(&path).unwrap().unwrap();
        assert!(waiting.try_lock().is_ok() && !leads_to(&path, &waiting) && leads_to(&path, &second));
        assert!(try_lock(&path).unwrap().is_none());
    }

    #[test]
    fn what_a_killed_writer_left_goes_and_what_is_being_written_stays() {
        let tmp = tempfile::tempdir().unwrap();
        let [old, new] = [".alongside-old", ".alongside-new"].map(|name| tmp.path().join(name));
        let long_ago = std::time::SystemTime::now() - 2 * FINISHED_WITHIN;
        File::create(&old).unwrap().set_modified(long_ago).unwrap();
        File::create(&new).unwrap();
        File::create(tmp.path().join("mine")).unwrap().set_modified(long_ago).unwrap();
        remove_unfinished(tmp.path());
        assert!(!old.exists() && new.exists() && tmp.path().join("mine").exists());
    }

    #[test]
    fn a_symlink_on_shared_ground_is_refused_and_one_in_home_is_not() {
        let tmp = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), tmp.path().join("gemini")).unwrap();
        let refused = directory(tmp.path(), Path::new("gemini/ide"), Ground::Shared).unwrap_err();
        assert!(refused.to_string().contains("symbolic link"), "{refused}");
        assert!(!elsewhere.path().join("ide").exists());
        directory(tmp.path(), Path::new("gemini/ide"), Ground::Own).unwrap();
    }

    #[test]
    fn what_another_user_owns_is_refused() {
        let tmp = tempfile::tempdir().unwrap();
        // Who is not root cannot give a directory away; but this one is root's.
        let (base, below) = match rustix::process::geteuid().is_root() {
            true => {
                fs::create_dir(tmp.path().join("gemini")).unwrap();
                std::os::unix::fs::chown(tmp.path().join("gemini"), Some(65534), None).unwrap();
                (tmp.path(), "gemini/ide")
            }
            false => (Path::new("/"), "usr"),
        };
        let refused = directory(base, Path::new(below), Ground::Shared).unwrap_err();
        assert!(refused.to_string().contains("another user"), "{refused}");
    }

    #[test]
    fn a_base_that_does_not_exist_is_named() {
        let refused =
            directory(Path::new("/nonexistent/tmp"), Path::new("gemini"), Ground::Shared).unwrap_err();
        assert!(refused.to_string().contains("/nonexistent/tmp"), "{refused}");
    }
}
