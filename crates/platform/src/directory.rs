//! An open directory. Every operation applies to that directory, even if somebody renames it or puts a link
//! in its place. Windows has no such calls: there the operations use the path, which lies in the user's own
//! profile.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// See the module. Names are those of entries, without separators.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    handle: File,
}

impl Directory {
    /// Opens a directory by its path. Follows links.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: &Path) -> io::Result<Self> {
        system::open(path)
    }

    /// Opens a subdirectory. Follows no link.
    ///
    /// # Errors
    /// If there is none.
    pub fn below(&self, name: &OsStr) -> io::Result<Self> {
        system::below(self, name)
    }

    /// Creates a subdirectory that is private from the start.
    ///
    /// # Errors
    /// If the name exists, or the system refuses.
    pub fn make(&self, name: &OsStr) -> io::Result<()> {
        system::make(self, name)
    }

    /// The path at its opening.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The metadata of the directory.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn metadata(&self) -> io::Result<Metadata> {
        system::metadata(self)
    }

    /// Makes the directory private, if others have access.
    ///
    /// # Errors
    /// If it belongs to another user.
    pub fn shut(&self) -> io::Result<()> {
        system::shut(self)
    }

    /// The names of the entries.
    ///
    /// # Errors
    /// If reading fails.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        system::names(self)
    }

    /// Opens a file for reading. Follows no link, and never waits for the writer of a pipe.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        system::read(self, name)
    }

    /// Whether the name exists and is no link.
    pub fn has(&self, name: &OsStr) -> bool {
        system::has(self, name)
    }

    /// Whether the name exists and belongs to another user; for a link, the link itself counts. Always false
    /// on Windows.
    pub fn is_anothers(&self, name: &OsStr) -> bool {
        system::is_anothers(self, name)
    }

    /// Creates a private file for writing.
    ///
    /// # Errors
    /// If the name exists, or the system refuses.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        system::create(self, name)
    }

    /// Gives an open file another name, in this directory. Linux only.
    ///
    /// # Errors
    /// If the name exists, the file is on another file system, or the system refuses.
    pub fn link(&self, file: &File, name: &OsStr) -> io::Result<()> {
        system::link(self, file, name)
    }

    /// Renames a file and replaces the new name if it exists.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn rename(&self, name: &OsStr, new: &OsStr) -> io::Result<()> {
        system::rename(self, name, new)
    }

    /// Removes a file or a link.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        system::remove(self, name)
    }

    /// Removes an empty subdirectory.
    ///
    /// # Errors
    /// If it is not empty, or the system refuses.
    pub fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        system::remove_empty(self, name)
    }
}

#[cfg(unix)]
mod system {
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

    use super::{Directory, File, Metadata, OsStr, OsString, Path, io};

    const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    fn of(path: std::path::PathBuf, handle: OwnedFd) -> Directory {
        Directory { path, handle: handle.into() }
    }

    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        // Some temporary directories cannot be listed, but are still usable.
        #[cfg(target_os = "linux")]
        let flags = DIRECTORY | OFlags::PATH;
        #[cfg(not(target_os = "linux"))]
        let flags = DIRECTORY;
        Ok(of(path.to_owned(), rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    pub(super) fn below(directory: &Directory, name: &OsStr) -> io::Result<Directory> {
        let flags = DIRECTORY | OFlags::NOFOLLOW;
        let handle = rustix::fs::openat(&directory.handle, name, flags, Mode::empty())?;
        Ok(of(directory.path.join(name), handle))
    }

    pub(super) fn make(directory: &Directory, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&directory.handle, name, Mode::RWXU)?)
    }

    pub(super) fn metadata(directory: &Directory) -> io::Result<Metadata> {
        directory.handle.metadata()
    }

    pub(super) fn shut(directory: &Directory) -> io::Result<()> {
        match metadata(directory)?.permissions().mode() & 0o077 {
            0 => Ok(()),
            _ => Ok(rustix::fs::fchmod(reopened(directory)?, Mode::RWXU)?),
        }
    }

    /// The same directory with a handle that can be listed.
    fn reopened(directory: &Directory) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(&directory.handle, c".", DIRECTORY, Mode::empty())?)
    }

    pub(super) fn names(directory: &Directory) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::new(reopened(directory)?)? {
            let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    pub(super) fn read(directory: &Directory, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&directory.handle, name, flags, Mode::empty())?.into())
    }

    pub(super) fn has(directory: &Directory, name: &OsStr) -> bool {
        let found = rustix::fs::statat(&directory.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| !FileType::from_raw_mode(found.st_mode).is_symlink())
    }

    pub(super) fn is_anothers(directory: &Directory, name: &OsStr) -> bool {
        let found = rustix::fs::statat(&directory.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| found.st_uid != rustix::process::geteuid().as_raw())
    }

    pub(super) fn create(directory: &Directory, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(rustix::fs::openat(&directory.handle, name, flags, mode)?.into())
    }

    #[cfg(target_os = "linux")]
    pub(super) fn link(directory: &Directory, file: &File, name: &OsStr) -> io::Result<()> {
        use std::os::fd::AsRawFd as _;
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::linkat(CWD, open, &directory.handle, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn link(_: &Directory, _: &File, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn rename(directory: &Directory, name: &OsStr, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&directory.handle, name, &directory.handle, new)?)
    }

    pub(super) fn remove(directory: &Directory, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&directory.handle, name, AtFlags::empty())?)
    }

    pub(super) fn remove_empty(directory: &Directory, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&directory.handle, name, AtFlags::REMOVEDIR)?)
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs;

    use super::{Directory, File, Metadata, OsStr, OsString, Path, io};
    use crate::files::{Links, open_without_waiting};

    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Directory { path: path.to_owned() }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn below(directory: &Directory, name: &OsStr) -> io::Result<Directory> {
        open(&directory.path.join(name))
    }

    pub(super) fn make(directory: &Directory, name: &OsStr) -> io::Result<()> {
        fs::create_dir(directory.path.join(name))
    }

    pub(super) fn metadata(directory: &Directory) -> io::Result<Metadata> {
        fs::metadata(&directory.path)
    }

    pub(super) fn shut(_: &Directory) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn names(directory: &Directory) -> io::Result<Vec<OsString>> {
        fs::read_dir(&directory.path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub(super) fn read(directory: &Directory, name: &OsStr) -> io::Result<File> {
        open_without_waiting(&directory.path.join(name), Links::Refused)
    }

    pub(super) fn has(directory: &Directory, name: &OsStr) -> bool {
        fs::symlink_metadata(directory.path.join(name)).is_ok_and(|found| !found.is_symlink())
    }

    pub(super) fn is_anothers(_: &Directory, _: &OsStr) -> bool {
        false
    }

    pub(super) fn create(directory: &Directory, name: &OsStr) -> io::Result<File> {
        File::create_new(directory.path.join(name))
    }

    pub(super) fn link(_: &Directory, _: &File, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn rename(directory: &Directory, name: &OsStr, new: &OsStr) -> io::Result<()> {
        fs::rename(directory.path.join(name), directory.path.join(new))
    }

    pub(super) fn remove(directory: &Directory, name: &OsStr) -> io::Result<()> {
        fs::remove_file(directory.path.join(name))
    }

    pub(super) fn remove_empty(directory: &Directory, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(directory.path.join(name))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn shut_makes_a_directory_private() {
        let base = tempfile::tempdir().unwrap();
        for (before, after) in [(0o755, 0o700), (0o710, 0o700), (0o500, 0o500)] {
            fs::set_permissions(base.path(), fs::Permissions::from_mode(before)).unwrap();
            Directory::open(base.path()).unwrap().shut().unwrap();
            assert_eq!(fs::metadata(base.path()).unwrap().permissions().mode() & 0o777, after);
        }
    }

    #[test]
    fn operations_apply_to_the_opened_directory() {
        let base = tempfile::tempdir().unwrap();
        let path = |name: &str| base.path().join(name);
        let open = Directory::open(base.path()).unwrap();
        open.make(OsStr::new("ours")).unwrap();
        let ours = open.below(OsStr::new("ours")).unwrap();
        fs::create_dir(path("elsewhere")).unwrap();
        fs::write(path("elsewhere/file"), "theirs").unwrap();
        fs::rename(path("ours"), path("moved")).unwrap();
        symlink("elsewhere", path("ours")).unwrap();

        assert!(open.below(OsStr::new("ours")).is_err(), "a link is no directory");
        ours.create(OsStr::new("new")).unwrap().write_all(b"1").unwrap();
        ours.rename(OsStr::new("new"), OsStr::new("file")).unwrap();
        assert_eq!(ours.names().unwrap(), ["file"]);
        assert_eq!(io::read_to_string(ours.read(OsStr::new("file")).unwrap()).unwrap(), "1");
        assert!(ours.create(OsStr::new("file")).is_err(), "an existing file stays");
        symlink("file", path("moved/link")).unwrap();
        assert!(ours.read(OsStr::new("link")).is_err() && !ours.has(OsStr::new("link")));
        ours.remove(OsStr::new("file")).unwrap();
        ours.remove(OsStr::new("link")).unwrap();
        ours.make(OsStr::new("below")).unwrap();
        fs::write(path("moved/below/theirs"), "").unwrap();
        assert!(ours.remove_empty(OsStr::new("below")).is_err(), "it is not");
        fs::remove_file(path("moved/below/theirs")).unwrap();
        ours.remove_empty(OsStr::new("below")).unwrap();
        assert_eq!(fs::read_dir(path("moved")).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(path("elsewhere/file")).unwrap(), "theirs");
    }
}
