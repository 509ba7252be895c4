//! Reads files that another user may have created, in a directory below `/tmp` or a foreign project. A pipe
//! would block the reader, a device might never end, and a huge file would fill the memory. So reading such a
//! file fails. A file may have more bytes than its size, because `/proc` reports size 0 and other files grow.
//! So the length is limited, too.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::directory::Directory;
use crate::files::{self, Links};

/// The number of bytes by which a file may exceed its size: it may grow, and files of `/proc` have size 0.
const MAX_GROWTH: u64 = 1 << 20;

/// The files that reading accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Files of this user, and no links: for directories where others can write.
    Ours,
    /// Files of any user, also through links: for names that the user gave.
    Anybodys,
}

/// An open file. Reading fails after the size at its opening plus 1 MiB.
#[derive(Debug)]
pub struct Bounded {
    file: File,
    found: Metadata,
    left: u64,
    /// The content, if it was read already.
    content: Option<Vec<u8>>,
}

impl Bounded {
    /// Checks an open file.
    fn new(file: File, limit: u64, whose: Whose) -> io::Result<Self> {
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        if whose == Whose::Ours && !files::is_ours(&found) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file belongs to another user"));
        }
        let size = found.len();
        if size > limit {
            return Err(too_large(limit));
        }
        Ok(Self { file, found, left: size.saturating_add(MAX_GROWTH).min(limit), content: None })
    }

    /// Returns the metadata at its opening.
    pub fn metadata(&self) -> &Metadata {
        &self.found
    }

    /// Whether the file has further names: see [`files::has_other_names`].
    pub fn has_other_names(&self) -> bool {
        files::has_other_names(&self.file, &self.found)
    }

    /// Returns its path: see [`files::real_path`].
    pub fn real_path(&self) -> Option<PathBuf> {
        files::real_path(&self.file)
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// If reading fails.
    pub fn whole(mut self) -> io::Result<Vec<u8>> {
        if let Some(content) = self.content {
            return Ok(content);
        }
        let size = usize::try_from(self.found.len()).unwrap_or_default();
        // If the file has its size, the first read shows its end: it returns a byte less than requested.
        let mut content = Vec::with_capacity(size + 1);
        #[cfg(unix)]
        if size > 0 {
            let read = rustix::io::retry_on_intr(|| {
                rustix::io::read(&self.file, rustix::buffer::spare_capacity(&mut content))
            })?;
            self.count(read)?;
            if read == size {
                return Ok(content);
            }
        }
        self.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Fails once more bytes were read than the limit allows.
    fn count(&mut self, read: usize) -> io::Result<()> {
        let error =
            || io::Error::new(io::ErrorKind::FileTooLarge, "the file is larger than its size, or grows");
        self.left = self.left.checked_sub(read as u64).ok_or_else(error)?;
        Ok(())
    }
}

impl io::Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.count(read)?;
        Ok(read)
    }
}

/// Reads a regular file of at most `limit` bytes. Waits only for the disk.
///
/// # Errors
/// If there is no such file, or reading fails.
pub fn read(path: &Path, limit: u64, whose: Whose) -> io::Result<Vec<u8>> {
    open(path, limit, whose)?.whole()
}

/// Reads a regular file that must be UTF-8.
///
/// # Errors
/// As [`read`], and if the file is not UTF-8.
pub fn read_text(path: &Path, limit: u64, whose: Whose) -> io::Result<String> {
    let text = String::from_utf8(read(path, limit, whose)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8"))
}

/// Reads a regular file of this user in a directory.
///
/// # Errors
/// As [`read`].
pub fn read_ours(directory: &Directory, name: &OsStr, limit: u64) -> io::Result<Vec<u8>> {
    open_in(directory, name, limit, Whose::Ours)?.whole()
}

/// Opens a regular file in a directory. Follows no link, whoever owns the file.
///
/// # Errors
/// As [`read`].
pub fn open_in(directory: &Directory, name: &OsStr, limit: u64, whose: Whose) -> io::Result<Bounded> {
    Bounded::new(directory.read(name)?, limit, whose)
}

/// Opens a regular file of at most `limit` bytes. Never waits for the writer of a pipe.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path, limit: u64, whose: Whose) -> io::Result<Bounded> {
    let links = if whose == Whose::Ours { Links::Refused } else { Links::Followed };
    Bounded::new(files::open_without_waiting(path, links)?, limit, whose)
}

/// Opens a file like [`open`] if the system has all of it in memory. Returns `None` for other files, about
/// which the function cannot know more without waiting for a disk.
///
/// # Errors
/// As [`read`].
pub fn open_cached(path: &Path, limit: u64, whose: Whose) -> Option<io::Result<Bounded>> {
    let is_elsewhere =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::FileTooLarge);
    let opened = files::open_cached(path).and_then(|file| {
        let mut bounded = Bounded::new(file, limit, whose)?;
        bounded.content = Some(content_in_memory(&bounded)?);
        Ok(bounded)
    });
    (!opened.as_ref().is_err_and(is_elsewhere)).then_some(opened)
}

/// Returns the whole content, if all of it is in memory, and the file has its size.
#[cfg(target_os = "linux")]
fn content_in_memory(bounded: &Bounded) -> io::Result<Vec<u8>> {
    use rustix::io::{ReadWriteFlags, preadv2};
    let size = usize::try_from(bounded.found.len()).unwrap_or_default();
    let mut content = vec![0; size + 1];
    let read = preadv2(&bounded.file, &mut [io::IoSliceMut::new(&mut content)], 0, ReadWriteFlags::NOWAIT)?;
    content.truncate(size);
    if read == size && size > 0 { Ok(content) } else { Err(io::ErrorKind::WouldBlock.into()) }
}

#[cfg(not(target_os = "linux"))]
fn content_in_memory(_: &Bounded) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::WouldBlock.into())
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("the file is larger than {limit} bytes"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a pipe without a writer.
    fn pipe(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "12345").unwrap();
        assert_eq!(read(&path("file"), 5, Whose::Ours).unwrap(), b"12345");
        assert!(read(&path("file"), 4, Whose::Ours).is_err());
        fs::File::create(path("huge")).unwrap().set_len(1 << 40).unwrap();
        pipe(&path("pipe"));
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        symlink("/dev/zero", path("device")).unwrap();
        for name in ["huge", "pipe", "socket", "folder", "device", "none"] {
            for whose in [Whose::Ours, Whose::Anybodys] {
                assert!(read(&path(name), 1 << 20, whose).is_err(), "{name}");
            }
        }
    }

    #[test]
    fn links_and_files_of_others_are_refused_on_request() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("file"), "1").unwrap();
        let link = directory.path().join("link");
        symlink("file", &link).unwrap();
        assert!(read(&link, 9, Whose::Ours).is_err());
        assert_eq!(read(&link, 9, Whose::Anybodys).unwrap(), b"1");
        let theirs = match rustix::process::geteuid().is_root() {
            true => {
                std::os::unix::fs::chown(directory.path().join("file"), Some(65534), None).unwrap();
                directory.path().join("file")
            }
            // All users can read the file, and root owns it.
            false => "/etc/passwd".into(),
        };
        let refused = read(&theirs, 1 << 20, Whose::Ours).unwrap_err();
        assert!(refused.to_string().contains("another user"), "{refused}");
    }

    #[test]
    fn reading_a_growing_or_endless_file_ends() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        fs::write(&path, "12345").unwrap();
        let mut file = open(&path, 1 << 30, Whose::Ours).unwrap();
        let mut log = fs::File::options().read(true).append(true).open(&path).unwrap();
        // The file grows faster than it is read.
        let mut more = vec![0; 64 << 10];
        let (mut read, mut reads) = (0, 0);
        let error = loop {
            io::Write::write_all(&mut log, &more).unwrap();
            match file.read(&mut more) {
                Ok(length) => read += length as u64,
                Err(error) => break error,
            }
            reads += 1;
            assert!(reads < 100, "{read} bytes read of 5");
        };
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(read <= 5 + MAX_GROWTH, "{read}");
        #[cfg(target_os = "linux")]
        {
            let endless = read_error(Path::new("/proc/self/pagemap"));
            assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge, "{endless}");
            let status = self::read(Path::new("/proc/self/status"), 1 << 30, Whose::Anybodys);
            assert!(!status.unwrap().is_empty());
        }
    }

    #[cfg(target_os = "linux")]
    fn read_error(path: &Path) -> io::Error {
        self::read(path, 1 << 30, Whose::Anybodys).unwrap_err()
    }
}
