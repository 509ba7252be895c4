//! The replacement of private files in one step. The files have mode 0600 from their first byte on.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;

use alongside_platform::directory::Directory;

#[cfg(test)]
use super::disk_steps::step;
use super::unfinished::UNFINISHED_PREFIX;

/// Replaces a file in one step.
///
/// # Errors
/// When the file cannot be written; the old one stays.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    create(path, content).map(drop)
}

/// Replaces a file in one step. Returns the open file, positioned behind its content.
pub(crate) fn create(path: &Path, content: &[u8]) -> io::Result<File> {
    let directory = Directory::open(path.parent().unwrap_or(Path::new(".")))?;
    replace(&directory, path.file_name().unwrap_or_default(), content)
}

/// Replaces a file in an open directory in one step. Returns the open file, positioned behind its content.
pub(crate) fn replace(directory: &Directory, name: &OsStr, content: &[u8]) -> io::Result<File> {
    in_one_step(directory, name, |unfinished| directory.create(unfinished), |file| file.write_all(content))
}

/// Returns a random number for a name. Other users can see the names that we used, and must not guess the
/// next one.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Creates a file under a temporary name with `begin`, completes it with `finish`, and renames it.
///
/// # Errors
/// When `begin`, `finish` or the renaming fails; an older file of that name stays.
pub fn in_one_step<T>(
    directory: &Directory,
    name: &OsStr,
    begin: impl Fn(&OsStr) -> io::Result<T>,
    finish: impl FnOnce(&mut T) -> io::Result<()>,
) -> io::Result<T> {
    let (unfinished, mut file) = loop {
        // The process id shows whether a process may still complete the file.
        let name = OsString::from(format!("{UNFINISHED_PREFIX}{}-{:016x}", std::process::id(), random()));
        match begin(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            begun => break (name, begun?),
        }
    };
    let finished = finish(&mut file);
    #[cfg(test)]
    step(&directory.path().join(name));
    let done = finished.and_then(|()| directory.rename(&unfinished, name));
    #[cfg(test)]
    step(&directory.path().join(name));
    if done.is_err() {
        // Fails if the file was removed already.
        let _ = directory.remove(&unfinished);
    }
    done.map(|()| file)
}
