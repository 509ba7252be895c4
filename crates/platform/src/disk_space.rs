//! Free space on a disk, and files that reserve some.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// The free bytes for this user on the disk of a directory; `None` if the system does not show it.
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

/// Makes an empty file reserve `bytes` of the disk.
///
/// # Errors
/// If there is too little space; the file may then have a part of it.
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

/// Writes zeroes, because a sparse file reserves nothing.
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

/// Whether an error means that the disk or the user's quota is full.
pub fn is_short(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_file_reserves_its_bytes_on_disk() {
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
