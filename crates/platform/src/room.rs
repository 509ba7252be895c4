//! Room on a disk: how much there is, and files that hold some for later.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// How many bytes this user may still write where a directory is; `None` where the system does not say.
pub fn available(directory: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(directory).ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        None
    }
}

/// Has an empty file hold so many bytes of the disk.
///
/// # Errors
/// When there is no room; the file may hold a part then.
pub fn hold(file: &mut File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(&*file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            held => return Ok(held?),
        }
    }
    write(file, bytes)
}

/// Zeroes, written out: a file system that only notes the length holds nothing.
fn write(file: &mut File, bytes: u64) -> io::Result<()> {
    let zeroes = [0; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        let part = usize::try_from(left).unwrap_or(zeroes.len()).min(zeroes.len());
        file.write_all(&zeroes[..part])?;
        left -= part as u64;
    }
    file.sync_data()
}

/// Whether this is what a disk without room says, or a user without quota.
pub fn is_short(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_file_holds_as_much_of_the_disk_as_it_is_to() {
        let directory = tempfile::tempdir().unwrap();
        assert!(available(directory.path()).unwrap() > 1 << 20);
        assert_eq!(available(&directory.path().join("none")), None);
        type Way = fn(&mut File, u64) -> io::Result<()>;
        for (name, way) in [("held", hold as Way), ("written", write)] {
            let mut file = File::create(directory.path().join(name)).unwrap();
            way(&mut file, 100_000).unwrap();
            let found = file.metadata().unwrap();
            assert_eq!(found.len(), 100_000, "{name}");
            assert!(found.blocks() * 512 >= 100_000, "{name} has {} blocks", found.blocks());
        }
    }
}
