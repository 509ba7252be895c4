//! Reading files that somebody else may have put there: a discovery directory below `/tmp`, a project from
//! anywhere. A pipe would make the reader wait, a device would never end, and a huge file would fill the
//! memory; none of them is read. A size is only what the system says: files of `/proc` have none and may
//! never end, others grow while they are read. So reading itself is bounded.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::directory::Directory;
use crate::files::{self, Links};

/// How many bytes a file may have beyond its size: it may grow a little while it is read, and small files of
/// `/proc` say 0.
const BEYOND: u64 = 1 << 20;

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Files of this user only, under their own name: what lies in a place that others can write to.
    Ours,
    /// Files of anybody, also through links: what the user has opened by this name.
    Anybodys,
}

/// An open file that ends with an error where it has more bytes than its size when it was opened, and a
/// little.
#[derive(Debug)]
pub struct Bounded {
    file: File,
    size: u64,
    left: u64,
}

impl Bounded {
    fn new(file: File, limit: u64) -> io::Result<Self> {
        let size = file.metadata()?.len();
        if size > limit {
            return Err(too_large(limit));
        }
        Ok(Self { file, size, left: size.saturating_add(BEYOND).min(limit) })
    }

    /// All of it.
    ///
    /// # Errors
    /// As reading.
    pub fn whole(mut self) -> io::Result<Vec<u8>> {
        let mut content = Vec::with_capacity(usize::try_from(self.size).unwrap_or_default());
        self.read_to_end(&mut content)?;
        Ok(content)
    }
}

impl io::Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "it is larger than it says, or grows",
                ));
            }
        }
        Ok(read)
    }
}

/// Reads an ordinary file of at most `limit` bytes. Waits for nothing but the disk.
///
/// # Errors
/// When there is none, or what is there is no such file.
pub fn read(path: &Path, limit: u64, whose: Whose) -> io::Result<Vec<u8>> {
    open(path, limit, whose)?.whole()
}

/// The same of a file that must be text.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, limit: u64, whose: Whose) -> io::Result<String> {
    let text = String::from_utf8(read(path, limit, whose)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Reads an ordinary file of ours that lies in a directory.
///
/// # Errors
/// As [`read`].
pub fn read_ours(directory: &Directory, name: &OsStr, limit: u64) -> io::Result<Vec<u8>> {
    let file = directory.read(name)?;
    check(&file, Whose::Ours)?;
    Bounded::new(file, limit)?.whole()
}

/// Opens an ordinary file of at most `limit` bytes, without waiting for whoever would write into a pipe.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path, limit: u64, whose: Whose) -> io::Result<Bounded> {
    let links = if whose == Whose::Ours { Links::Refused } else { Links::Followed };
    let file = files::open_without_waiting(path, links)?;
    check(&file, whose)?;
    Bounded::new(file, limit)
}

fn check(file: &File, whose: Whose) -> io::Result<()> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    if whose == Whose::Ours && !files::is_ours(&found) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
    }
    Ok(())
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A pipe that nobody writes into.
    fn pipe(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn only_ordinary_files_of_a_known_size_are_read_and_nothing_is_waited_for() {
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
    fn where_others_can_write_links_and_files_of_others_are_not_read() {
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
            // Everybody can read it, and it is root's.
            false => "/etc/passwd".into(),
        };
        let refused = read(&theirs, 1 << 20, Whose::Ours).unwrap_err();
        assert!(refused.to_string().contains("another user"), "{refused}");
    }

    #[test]
    fn a_file_without_a_size_or_that_grows_is_not_read_without_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        fs::write(&path, "12345").unwrap();
        let mut file = open(&path, 1 << 30, Whose::Ours).unwrap();
        let mut log = fs::File::options().append(true).open(&path).unwrap();
        // Whatever is read, more is there.
        let mut more = vec![0; 64 << 10];
        let (mut read, mut reads) = (0, 0);
        let error = loop {
            io::Write::write_all(&mut log, &more).unwrap();
            match file.read(&mut more) {
                Ok(length) => read += length as u64,
                Err(error) => break error,
            }
            reads += 1;
            assert!(reads < 100, "{read} bytes are read of what had 5");
        };
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(read <= 5 + BEYOND, "{read}");
        #[cfg(target_os = "linux")]
        {
            let endless = read_error(Path::new("/proc/self/pagemap"));
            assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge, "{endless}");
            assert!(
                !self::read(Path::new("/proc/self/status"), 1 << 30, Whose::Anybodys).unwrap().is_empty()
            );
        }
    }

    #[cfg(target_os = "linux")]
    fn read_error(path: &Path) -> io::Error {
        self::read(path, 1 << 30, Whose::Anybodys).unwrap_err()
    }
}
