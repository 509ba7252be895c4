//! Unfinished files. They have temporary names until they are complete; those of killed processes are
//! removed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use alongside_platform::directory::Directory;
use alongside_platform::files;

/// The beginning of a temporary name; the process id and a random number follow.
pub(super) const UNFINISHED_PREFIX: &str = ".alongside-";
/// The longest time for writing a file. The process that wrote an older unfinished file was killed.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Whether no process has this id, which is part of an unfinished file's name.
pub(crate) fn is_of_dead_process(pid: &str) -> bool {
    pid.parse().is_ok_and(|pid| !alongside_platform::process::is_alive(pid))
}

/// Whether an unfinished file is so old that no process will complete it.
pub(crate) fn is_old(found: &fs::Metadata) -> bool {
    found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > WRITE_TIMEOUT))
}

/// Removes the unfinished files that killed processes left in a directory.
pub(crate) fn remove_unfinished(directory: &Path) {
    if let Ok(directory) = Directory::open(directory) {
        remove_unfinished_in(&directory);
    }
}

/// Removes the unfinished files of this user that killed processes left in an open directory.
pub(crate) fn remove_unfinished_in(directory: &Directory) {
    for name in directory.names().unwrap_or_default() {
        let shown = name.to_string_lossy();
        let Some(rest) = shown.strip_prefix(UNFINISHED_PREFIX) else { continue };
        let is_dead = rest.split_once('-').is_some_and(|(pid, _)| is_of_dead_process(pid));
        let is_left_behind =
            |found: fs::Metadata| found.is_file() && files::is_ours(&found) && (is_dead || is_old(&found));
        if directory.read(&name).and_then(|file| file.metadata()).is_ok_and(is_left_behind) {
            // Another process may have removed the file just now.
            let _ = directory.remove(&name);
        }
    }
}
