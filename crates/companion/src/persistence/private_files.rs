//! Files and directories that are nobody else's business: atomic, mode 0600 in directories of mode 0700, and
//! never through a name that another user could have put there.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use alongside_platform::directory::Directory;
use alongside_platform::files;
use alongside_platform::private::open_for_appending;

/// What a file is called until it is complete.
const UNFINISHED: &str = ".alongside-";
/// How long one may take to be complete. One that is older is of somebody who was killed.
const FINISHED_WITHIN: Duration = Duration::from_secs(60);

/// Said of a directory that another user has made.
pub(crate) const ANOTHERS: &str = "belongs to another user";

/// How much to trust what already exists on the way to a private directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Below a directory that others may write to, such as `/tmp`: every step must be a real directory of
    /// ours.
    Shared,
    /// Below home: symbolic links are the user's own, and only the last directory is made private.
    Own,
}

/// Makes `base/below` a private directory, or says why it cannot be one.
///
/// # Errors
/// When it cannot be made, or what is there may be somebody else's.
pub fn directory(base: &Path, below: &Path, ground: Ground) -> io::Result<()> {
    made(base, below, ground).map(drop)
}

/// The same, and opens it. What is checked is what is open, not what has its name.
///
/// # Errors
/// As [`directory`].
pub(crate) fn made(base: &Path, below: &Path, ground: Ground) -> io::Result<Directory> {
    if ground == Ground::Own {
        fs::create_dir_all(base).map_err(|error| naming(base, error))?;
    }
    let mut directory = open(base)?;
    let mut steps = below.components().peekable();
    while let Some(step) = steps.next() {
        let path = directory.path().join(step);
        match directory.make(step.as_os_str()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other.map_err(|error| naming(&path, error))?,
        }
        directory = next(&directory, step.as_os_str(), ground)?;
        if ground == Ground::Shared || steps.peek().is_none() {
            directory.shut().map_err(|error| naming(&path, error))?;
        }
    }
    Ok(directory)
}

/// Opens `base/below`, where that is a directory that [`made`] would take.
///
/// # Errors
/// When it is not there, or may be somebody else's.
pub(crate) fn existing(base: &Path, below: &Path, ground: Ground) -> io::Result<Directory> {
    below.components().try_fold(open(base)?, |directory, step| next(&directory, step.as_os_str(), ground))
}

/// Removes `base/below` and what is above it up to the base, as far as they are ours and empty.
pub(crate) fn remove_empty(base: &Path, below: &Path) {
    for path in below.ancestors().filter(|path| path.file_name().is_some()) {
        let above = path.parent().unwrap_or(Path::new(""));
        let removed = existing(base, path, Ground::Shared)
            .and_then(|_| existing(base, above, Ground::Shared))
            .and_then(|above| above.remove_empty(path.file_name().unwrap_or_default()));
        if removed.is_err() {
            // Somebody uses it, or it was never there.
            return;
        }
    }
}

fn open(base: &Path) -> io::Result<Directory> {
    Directory::open(base).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => io::Error::other(format!("{} is not a directory", base.display())),
        _ => naming(base, error),
    })
}

/// The next step below a directory, if it is ours.
fn next(directory: &Directory, step: &OsStr, ground: Ground) -> io::Result<Directory> {
    let path = directory.path().join(step);
    let refuse = |why: &str| Err(io::Error::other(format!("{} {why}", path.display())));
    let found = match ground {
        Ground::Shared => directory.below(step),
        Ground::Own => Directory::open(&path),
    };
    match found {
        Ok(found) if files::is_ours(&found.metadata()?) => Ok(found),
        Ok(_) => refuse(ANOTHERS),
        Err(_) if ground == Ground::Shared && path.is_symlink() => {
            refuse("is a symbolic link, and somebody else may have put it there")
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => refuse("is not a directory"),
        Err(error) => Err(naming(&path, error)),
    }
}

/// Replaces a file in one step. It is private from the first byte on.
///
/// # Errors
/// When the directory does not let us; the old file is there still.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = Directory::open(path.parent().unwrap_or(Path::new(".")))?;
    replace(&directory, path.file_name().unwrap_or_default(), content).map(drop)
}

/// The same for a file in a directory that is open. Returns the file.
///
/// # Errors
/// As [`write`].
pub(crate) fn replace(directory: &Directory, name: &OsStr, content: &[u8]) -> io::Result<File> {
    in_one_step(directory, name, |unfinished| directory.create(unfinished), |file| file.write_all(content))
}

/// Begins a file under a name that nobody looks for, finishes it, and puts it in place.
fn in_one_step<T>(
    directory: &Directory,
    name: &OsStr,
    begin: impl Fn(&OsStr) -> io::Result<T>,
    finish: impl FnOnce(&mut T) -> io::Result<()>,
) -> io::Result<T> {
    // Others may see which names we take, and must not know the next one.
    let random = || RandomState::new().build_hasher().finish();
    let (unfinished, mut file) = loop {
        // Whose it is tells whether it will ever be finished.
        let name = OsString::from(format!("{UNFINISHED}{}-{:016x}", std::process::id(), random()));
        match begin(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            begun => break (name, begun?),
        }
    };
    let finished = finish(&mut file);
    #[cfg(test)]
    steps::step(&directory.path().join(name));
    let done = finished.and_then(|()| directory.rename(&unfinished, name));
    #[cfg(test)]
    steps::step(&directory.path().join(name));
    if done.is_err() {
        // There may be nothing left of it.
        let _ = directory.remove(&unfinished);
    }
    done.map(|()| file)
}

/// Files of the same content in many dirs: one file with many names where the system has that. Agents look
/// for some forty names, and on a busy disk ext4 takes 0.2 to 0.4 ms to create a file, but 0.03 to name it
/// once more.
#[derive(Debug, Default)]
pub(crate) struct Copies(Vec<(Vec<u8>, File)>);

impl Copies {
    /// Replaces a file in a directory with this content, in one step.
    ///
    /// # Errors
    /// As [`write`].
    pub(crate) fn put(&mut self, directory: &Directory, name: &OsStr, content: Vec<u8>) -> io::Result<()> {
        // Home and temporary directory may lie on different file systems: there is one for each.
        let mut known = self.0.iter().filter(|(known, _)| *known == content);
        let is_named = known.any(|(_, file)| {
            in_one_step(directory, name, |unfinished| directory.link(file, unfinished), |()| Ok(())).is_ok()
        });
        if is_named {
            return Ok(());
        }
        let file = replace(directory, name, &content)?;
        self.0.push((content, file));
        Ok(())
    }
}

/// Adds to a file that is there and stays within so many bytes; false if it is not there, or has no room.
/// Somebody who is killed may have added a part.
///
/// # Errors
/// When the disk does not let us; a part may be there then.
pub(crate) fn append(path: &Path, content: &[u8], room: u64) -> io::Result<bool> {
    let Ok(mut file) = File::options().append(true).open(path) else { return Ok(false) };
    if file.metadata()?.len().saturating_add(content.len() as u64) > room {
        return Ok(false);
    }
    #[cfg(test)]
    let content = {
        let (part, rest) = content.split_at(content.len() / 2);
        file.write_all(part)?;
        steps::step(path);
        rest
    };
    file.write_all(content)?;
    #[cfg(test)]
    steps::step(path);
    Ok(true)
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

/// Whether the process of this number, as the name of something unfinished has it, is no more.
pub(crate) fn is_of_the_dead(pid: &str) -> bool {
    pid.parse().is_ok_and(|pid| alongside_platform::process::look_up(pid).is_none())
}

/// Removes what was left unfinished in a directory by [writers](write) that were killed.
pub(crate) fn remove_unfinished(directory: &Path) {
    if let Ok(directory) = Directory::open(directory) {
        remove_unfinished_in(&directory);
    }
}

/// The same in a directory that is open; only files of ours go.
pub(crate) fn remove_unfinished_in(directory: &Directory) {
    let is_old = |found: &fs::Metadata| {
        found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > FINISHED_WITHIN))
    };
    for name in directory.names().unwrap_or_default() {
        let shown = name.to_string_lossy();
        let Some(rest) = shown.strip_prefix(UNFINISHED) else { continue };
        let is_dead = rest.split_once('-').is_some_and(|(pid, _)| is_of_the_dead(pid));
        let goes =
            |found: fs::Metadata| found.is_file() && files::is_ours(&found) && (is_dead || is_old(&found));
        if directory.read(&name).and_then(|file| file.metadata()).is_ok_and(goes) {
            // Somebody else may have done so just now.
            let _ = directory.remove(&name);
        }
    }
}

/// Takes the lock of this file, which is made if it is not there; `None` while somebody else has it. It is
/// held until it is dropped. Who holds it may remove the file.
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
        // No process has this number.
        let dead = tmp.path().join(format!(".alongside-{}-0", i32::MAX));
        let alive = tmp.path().join(format!(".alongside-{}-0", std::process::id()));
        for path in [&dead, &alive] {
            File::create(path).unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * FINISHED_WITHIN;
        File::create(&old).unwrap().set_modified(long_ago).unwrap();
        File::create(&new).unwrap();
        File::create(tmp.path().join("mine")).unwrap().set_modified(long_ago).unwrap();
        remove_unfinished(tmp.path());
        assert!(!old.exists() && new.exists() && tmp.path().join("mine").exists());
        assert!(!dead.exists() && alive.exists());
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
