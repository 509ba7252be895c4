//! The lock file, by which some agents find the companion. Such an agent connects only if exactly one lock
//! file names its directory. So a root that another editor's lock file covers stays out of ours until the
//! other file is removed. Meanwhile agents find the companion by the port variable, for which the lock file
//! needs no folder. If the roots of two companions of ours contain each other, the inner root is in a lock
//! file and the outer one in none.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::discovery::WRITER;
use alongside_contract::lock_file::{self, LockFile, TRANSPORT};
use alongside_platform::directory::Directory;
use alongside_platform::{process, untrusted};

use super::liveness::{CompanionKey, is_listening};
use crate::endpoint::Endpoint;
use crate::persistence::private_files::LinkedCopies;
use crate::real_path;

/// The largest lock file that is read, in bytes. A usual one has a few hundred.
const MAX_BYTES: u64 = 1 << 20;

/// A lock file, and its content.
#[derive(Debug, Clone)]
pub(super) struct Lock {
    /// The open directory of the file, because the directory's path may lead elsewhere by now.
    directory: Arc<Directory>,
    port: u16,
    content: LockFile,
}

/// The content that the companion's lock file is to have.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedLock<'w> {
    /// The process of the editor.
    pub(super) pid: u32,
    /// The editor's name for people.
    pub(super) ide_name: &'w str,
    pub(super) endpoint: &'w Endpoint,
    pub(super) roots: &'w [PathBuf],
    /// Whether the person uses this companion now, so that it precedes other companions of ours.
    pub(super) focused: bool,
}

impl Lock {
    /// Writes the lock file into an open directory, unless an equal one exists. Blocks.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn publish(directory: Directory, wanted: WantedLock<'_>) -> io::Result<Self> {
        let directory = Arc::new(directory);
        let port = wanted.endpoint.port();
        let other_locks = other_locks(&directory, port);
        let is_covered = |root: &Path| {
            other_locks.iter().any(|other| other.precedes(root, wanted.focused) && other.is_live())
        };
        let roots = wanted.roots.iter().filter(|root| !is_covered(root));
        let content = LockFile {
            pid: wanted.pid,
            workspace_folders: roots.filter_map(|root| root.to_str()).map(str::to_owned).collect(),
            ide_name: wanted.ide_name.to_owned(),
            transport: TRANSPORT.to_owned(),
            auth_token: wanted.endpoint.token.to_string(),
            writer: Some(WRITER.to_owned()),
        };
        let lock = Self { directory, port, content };
        if read(&lock.directory, &lock.name()).is_none_or(|there| there.content != lock.content) {
            LinkedCopies::default().put(&lock.directory, &lock.name(), serde_json::to_vec(&lock.content)?)?;
        }
        Ok(lock)
    }

    fn name(&self) -> OsString {
        lock_file::name(self.port).into()
    }

    /// Removes the file if it still leads to this companion.
    pub(super) fn remove(&self) {
        let now = read(&self.directory, &self.name());
        if now.is_some_and(|now| now.companion() == self.companion()) {
            // Another process may have removed the file meanwhile.
            let _ = self.directory.remove(&self.name());
        }
    }

    fn is_ours(&self) -> bool {
        self.content.writer.as_deref() == Some(WRITER)
    }

    /// Whether a root stays out of the lock file of another companion, which may be `focused`, because of
    /// this lock file: an agent in some directory would find both.
    fn precedes(&self, root: &Path, focused: bool) -> bool {
        let root = real_path::canonical(root);
        let mut folders =
            self.content.workspace_folders.iter().map(|folder| real_path::canonical(Path::new(folder)));
        folders.any(|folder| match (self.is_ours(), folder == root) {
            (true, true) => !focused,
            (true, false) => folder.starts_with(&root),
            (false, _) => folder.starts_with(&root) || root.starts_with(&folder),
        })
    }

    /// Whether agents accept the lock file: its editor lives, and if it is ours, its companion answers.
    /// Blocks for half a second at most.
    fn is_live(&self) -> bool {
        process::is_alive(self.content.pid) && (!self.is_ours() || is_listening(&self.companion()))
    }

    /// Returns the process of its editor.
    pub(super) fn pid(&self) -> u32 {
        self.content.pid
    }

    pub(super) fn companion(&self) -> CompanionKey {
        (self.port, Some(self.content.auth_token.clone()))
    }
}

/// Returns the lock files of all editors but that of the companion at this port.
fn other_locks(directory: &Arc<Directory>, port: u16) -> Vec<Lock> {
    let names = directory.names().unwrap_or_default();
    let locks = names.iter().filter_map(|name| read(directory, name));
    locks.filter(|other| other.port != port).collect()
}

fn read(directory: &Arc<Directory>, name: &OsStr) -> Option<Lock> {
    let port = name.to_str().and_then(lock_file::port_in)?;
    let json = untrusted::read_ours(directory, name, MAX_BYTES).ok()?;
    Some(Lock { directory: directory.clone(), port, content: serde_json::from_slice(&json).ok()? })
}

/// Reads a lock file if a companion of ours wrote it.
pub(super) fn read_ours(directory: &Arc<Directory>, name: &OsStr) -> Option<Lock> {
    read(directory, name).filter(Lock::is_ours)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn directory() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("p/sub")).unwrap();
        directory
    }

    fn write(directory: &Path, port: u16, folder: &str, pid: u32) {
        let lock = serde_json::json!({ "pid": pid, "workspaceFolders": [directory.join(folder)] });
        fs::write(directory.join(format!("{port}.lock")), lock.to_string()).unwrap();
    }

    fn folders(directory: &Path) -> Vec<String> {
        let roots = [directory.join("p")];
        let endpoint = Endpoint::at(1, "t");
        let wanted =
            WantedLock { pid: 7, ide_name: "Neovim", endpoint: &endpoint, roots: &roots, focused: false };
        let lock = Lock::publish(Directory::open(directory).unwrap(), wanted).unwrap();
        lock.content.workspace_folders
    }

    #[test]
    fn a_root_that_another_live_editor_covers_stays_out() {
        let me = std::process::id();
        for (folder, pid, is_covered) in
            [("p", me, true), ("p/sub", me, true), (".", me, true), ("q", me, false), ("p", 4_194_305, false)]
        {
            let directory = directory();
            write(directory.path(), 2, folder, pid);
            assert_eq!(folders(directory.path()).is_empty(), is_covered, "{folder} {pid}");
            fs::remove_file(directory.path().join("2.lock")).unwrap();
            assert_eq!(folders(directory.path()).len(), 1);
        }
    }

    #[test]
    fn of_two_nested_roots_only_the_inner_one_is_in_a_lock_file() {
        for (folder, precedes, precedes_focused) in
            [("p/sub", true, true), ("p", true, false), (".", false, false), ("q", false, false)]
        {
            let directory = directory();
            let lock =
                serde_json::json!({ "workspaceFolders": [directory.path().join(folder)], "writer": WRITER });
            fs::write(directory.path().join("2.lock"), lock.to_string()).unwrap();
            let other = other_locks(&Arc::new(Directory::open(directory.path()).unwrap()), 1).remove(0);
            let root = directory.path().join("p");
            let found = [false, true].map(|focused| other.precedes(&root, focused));
            assert_eq!(found, [precedes, precedes_focused], "{folder}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_lock_is_private_and_only_ours_is_removed() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = directory();
        folders(directory.path());
        let path = directory.path().join("1.lock");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let lock = other_locks(&Arc::new(Directory::open(directory.path()).unwrap()), 0).remove(0);
        assert_eq!((lock.name(), lock.is_ours()), ("1.lock".into(), true));
        write(directory.path(), 1, "p", 7);
        lock.remove();
        assert!(path.exists(), "another program has the name now");
        folders(directory.path());
        lock.remove();
        assert!(!path.exists());
    }
}
