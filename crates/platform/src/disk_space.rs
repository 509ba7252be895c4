//! Free space on a disk, and files that reserve space.

use std::fs::File;
use std::io;
#[cfg(not(windows))]
use std::io::Write as _;
use std::path::Path;

/// Returns the free bytes for this user on the disk of a directory; `None` if the system does not report
/// them.
pub fn available(directory: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(directory).ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }
    #[cfg(windows)]
    return windows::available(directory);
}

/// Makes an empty file reserve `bytes` of the disk.
///
/// # Errors
/// If there is too little space. The file may then have reserved a part of it.
pub fn hold(file: &mut File, bytes: u64) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(&*file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            held => return Ok(held?),
        }
    }
    // NTFS allocates clusters for the length of a file.
    #[cfg(windows)]
    return file.set_len(bytes);
    #[cfg(not(windows))]
    write(file, bytes)
}

/// Writes zeroes, because a sparse file reserves nothing.
#[cfg(not(windows))]
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

#[cfg(windows)]
mod windows {
    use std::os::windows::ffi::OsStrExt as _;
    use std::path::Path;

    use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

    /// Returns the free bytes within this user's quota.
    #[allow(unsafe_code, reason = "no crate of ours asks for the disk of one directory alone")]
    pub(super) fn available(directory: &Path) -> Option<u64> {
        let wide: Vec<u16> = directory.as_os_str().encode_wide().chain([0]).collect();
        let (mut free, none) = (0_u64, std::ptr::null_mut());
        // SAFETY: the path ends with a zero, and the number outlives the call. The other results are not
        // requested.
        let done = unsafe { GetDiskFreeSpaceExW(wide.as_ptr(), &raw mut free, none, none) };
        (done != 0).then_some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_existing_directory_has_a_free_space() {
        let directory = tempfile::tempdir().unwrap();
        assert!(available(directory.path()).unwrap() > 1 << 20);
        assert_eq!(available(&directory.path().join("none")), None);
        let mut file = File::create(directory.path().join("held")).unwrap();
        hold(&mut file, 100_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 100_000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_reserves_its_bytes_on_disk() {
        use std::os::unix::fs::MetadataExt as _;

        let directory = tempfile::tempdir().unwrap();
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
