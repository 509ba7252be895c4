//! Reading files that somebody else may have put there: a discovery directory below `/tmp`, a project from anywhere. A
//! pipe would make the reader wait, a device would never end, and a huge file would fill the memory; none of them is read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use alongside_platform::directory::Directory;
use alongside_platform::files::{self, Links};

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Files of this user only, under their own name: what lies in a place that others can write to.
    Ours,
    /// Files of anybody, also through links: what the user has opened by this name.
    Anybodys,
}

/// Reads an ordinary file of at most `limit` bytes. Waits for nothing but the disk.
///
/// # Errors
/// When there is none, or what is there is no such file.
pub fn read(path: &Path, limit: u64, whose: Whose) -> io::Result<Vec<u8>> {
    whole(&open(path, whose)?, limit)
}

/// Reads an ordinary file of ours that lies in a directory.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_ours(directory: &Directory, name: &OsStr, limit: u64) -> io::Result<Vec<u8>> {
    let file = directory.read(name)?;
    check(&file, Whose::Ours)?;
    whole(&file, limit)
}

fn whole(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    // It may grow while it is read.
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if u64::try_from(content.len()).unwrap_or(u64::MAX) > limit || file.metadata()?.len() > limit {
        return Err(too_large(limit));
    }
    Ok(content)
}

/// Opens an ordinary file for reading, without waiting for whoever would write into a pipe.
///
/// # Errors
/// As [`read`].
pub(crate) fn open(path: &Path, whose: Whose) -> io::Result<File> {
    let links = if whose == Whose::Ours { Links::Refused } else { Links::Followed };
    let file = files::open_without_waiting(path, links)?;
    check(&file, whose)?;
    Ok(file)
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

pub(crate) fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes"))
}

#[cfg(test)]
#[cfg(unix)]
pub(crate) mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A pipe that nobody writes into.
    pub(crate) fn pipe(path: &Path) {
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
}
