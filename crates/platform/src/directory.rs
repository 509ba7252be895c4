//! An open directory. Every operation applies to that directory, even if it is renamed or replaced by a link.
//! Windows has no such calls: there the operations use the path, which lies in the user's own profile.

use std::ffi::{OsStr, OsString};
#[cfg(not(unix))]
use std::fs;
use std::fs::{File, Metadata};
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(unix)]
use std::os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

#[cfg(not(unix))]
use crate::files::{Links, open_without_waiting};
#[cfg(unix)]
use crate::{files, private};

#[cfg(unix)]
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// The kind of an entry of a directory, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A pipe, a socket or a device.
    Other,
}

/// An open directory. Names are the names of its entries, without separators.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    handle: File,
}

impl Directory {
    /// Returns the path with which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(unix)]
#[allow(
    clippy::missing_errors_doc,
    reason = "all fail as the system does: if a name is missing, or is taken"
)]
impl Directory {
    fn new(path: PathBuf, handle: OwnedFd) -> Self {
        Self { path, handle: handle.into() }
    }

    /// Opens a directory by its path. Follows links.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Some temporary directories cannot be listed, but are still usable.
        #[cfg(target_os = "linux")]
        let flags = DIRECTORY | OFlags::PATH;
        #[cfg(not(target_os = "linux"))]
        let flags = DIRECTORY;
        Ok(Self::new(path.to_owned(), rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a subdirectory. Follows no link.
    pub fn below(&self, name: &OsStr) -> io::Result<Self> {
        let flags = DIRECTORY | OFlags::NOFOLLOW;
        let handle = rustix::fs::openat(&self.handle, name, flags, Mode::empty())?;
        Ok(Self::new(self.path.join(name), handle))
    }

    /// Creates a subdirectory that is private from the start.
    pub fn make(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.handle, name, Mode::RWXU)?)
    }

    /// Creates a subdirectory with the default mode, to which the person's umask applies.
    pub fn make_usual(&self, name: &OsStr) -> io::Result<()> {
        rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o777))?;
        if let Some(mode) = private::default_mode(0o777) {
            rustix::fs::fchmod(&self.below(name)?.handle, Mode::from_raw_mode(mode))?;
        }
        Ok(())
    }

    /// Returns the metadata of the directory.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.handle.metadata()
    }

    /// Changes owner and group of the directory to those of another file. Not after [`Self::open`].
    pub fn give_to(&self, owner: &Metadata) -> io::Result<()> {
        files::give_to(&self.handle, owner)
    }

    /// Makes the directory private, if others have access to it.
    ///
    /// # Errors
    /// If it belongs to another user.
    pub fn shut(&self) -> io::Result<()> {
        match self.metadata()?.permissions().mode() & 0o077 {
            0 => Ok(()),
            _ => Ok(rustix::fs::fchmod(self.reopen()?, Mode::RWXU)?),
        }
    }

    /// Lists the names of the entries.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::new(self.reopen()?)? {
            let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Opens a file for reading. Follows no link, and never waits for the writer of a pipe.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.handle, name, flags, Mode::empty())?.into())
    }

    /// Returns the kind of the entry with this name; `None` if there is no entry.
    pub fn entry(&self, name: &OsStr) -> io::Result<Option<Entry>> {
        let found = match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            found => found?,
        };
        Ok(Some(match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => Entry::File,
            FileType::Symlink => Entry::Link,
            FileType::Directory => Entry::Directory,
            _ => Entry::Other,
        }))
    }

    /// Returns the target of a link, as it is stored.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(&self.handle, name, Vec::new())?;
        Ok(OsStr::from_bytes(target.to_bytes()).into())
    }

    /// Creates a symbolic link.
    pub fn make_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.handle, name)?)
    }

    /// Whether the name exists and is not a link.
    pub fn has(&self, name: &OsStr) -> bool {
        let found = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| !FileType::from_raw_mode(found.st_mode).is_symlink())
    }

    /// Whether the entry, or the link, with this name belongs to another user. Always false on Windows.
    pub fn is_anothers(&self, name: &OsStr) -> bool {
        let found = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| found.st_uid != rustix::process::geteuid().as_raw())
    }

    /// Creates a private file for writing.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        self.create_with(name, Mode::RUSR | Mode::WUSR)
    }

    /// Creates a file for writing with the default mode, to which the person's umask applies.
    pub fn create_usual(&self, name: &OsStr) -> io::Result<File> {
        let file = self.create_with(name, Mode::from_raw_mode(0o666))?;
        if let Some(mode) = private::default_mode(0o666) {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        Ok(file)
    }

    fn create_with(&self, name: &OsStr, mode: Mode) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.handle, name, flags, mode)?.into())
    }

    /// Links an open file under a name in this directory. Linux only.
    ///
    /// # Errors
    /// If the name exists, the file is on another file system, or the system refuses.
    #[cfg(target_os = "linux")]
    pub fn link(&self, file: &File, name: &OsStr) -> io::Result<()> {
        use std::os::fd::AsRawFd as _;
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::linkat(CWD, open, &self.handle, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Always fails on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn link(&self, _: &File, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file. Replaces the new name if it exists.
    pub fn rename(&self, name: &OsStr, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, name, &self.handle, new)?)
    }

    /// Removes a file or a link.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Removes an empty subdirectory.
    ///
    /// # Errors
    /// If it is not empty, or the system refuses.
    pub fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR)?)
    }

    /// Opens the same directory with a handle that can be listed.
    fn reopen(&self) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(&self.handle, c".", DIRECTORY, Mode::empty())?)
    }
}

/// The same operations by path.
#[cfg(not(unix))]
#[allow(missing_docs, clippy::missing_errors_doc, reason = "the implementation above has the documentation")]
impl Directory {
    pub fn open(path: &Path) -> io::Result<Self> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Self { path: path.to_owned() }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub fn below(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.path.join(name))
    }

    pub fn make(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.path.join(name))
    }

    pub fn make_usual(&self, name: &OsStr) -> io::Result<()> {
        self.make(name)
    }

    pub fn metadata(&self) -> io::Result<Metadata> {
        fs::metadata(&self.path)
    }

    pub fn give_to(&self, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    pub fn shut(&self) -> io::Result<()> {
        Ok(())
    }

    pub fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        open_without_waiting(&self.path.join(name), Links::Refused)
    }

    pub fn entry(&self, name: &OsStr) -> io::Result<Option<Entry>> {
        let found = match fs::symlink_metadata(self.path.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?.file_type(),
        };
        Ok(Some(match () {
            () if found.is_file() => Entry::File,
            () if found.is_symlink() => Entry::Link,
            () if found.is_dir() => Entry::Directory,
            () => Entry::Other,
        }))
    }

    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.path.join(name))
    }

    pub fn make_link(&self, _: &OsStr, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn has(&self, name: &OsStr) -> bool {
        fs::symlink_metadata(self.path.join(name)).is_ok_and(|found| !found.is_symlink())
    }

    pub fn is_anothers(&self, _: &OsStr) -> bool {
        false
    }

    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        File::create_new(self.path.join(name))
    }

    pub fn create_usual(&self, name: &OsStr) -> io::Result<File> {
        self.create(name)
    }

    pub fn link(&self, _: &File, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn rename(&self, name: &OsStr, new: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(name), self.path.join(new))
    }

    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    pub fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.path.join(name))
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
        ours.make_link(OsStr::new("second"), Path::new("link")).unwrap();
        assert_eq!(ours.link_target(OsStr::new("second")).unwrap(), Path::new("link"));
        let entries = ["file", "second", "nothing"].map(|name| ours.entry(OsStr::new(name)).unwrap());
        assert_eq!(entries, [Some(Entry::File), Some(Entry::Link), None]);
        assert_eq!(open.entry(OsStr::new("moved")).unwrap(), Some(Entry::Directory));
        ours.remove(OsStr::new("second")).unwrap();
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
