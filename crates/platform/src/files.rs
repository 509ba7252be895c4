//! Opens files that another user may have created, and determines their owner.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

/// The treatment of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Opens the target.
    Followed,
    /// Fails.
    Refused,
}

/// Opens a file for reading. Never waits for the writer of a pipe, and never acquires a controlling terminal.
///
/// # Errors
/// As [`File::open`].
pub fn open_without_waiting(path: &Path, links: Links) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    never_wait(&mut options, links);
    let file = options.open(path)?;
    // Windows has no such option, but shows afterwards which file was opened.
    if cfg!(windows) && links == Links::Refused && !leads_to(path, &file) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the file is a link"));
    }
    Ok(file)
}

/// Opens a file like [`open_without_waiting`], following links, but only if the system has all required data
/// in memory. Otherwise fails with [`io::ErrorKind::WouldBlock`], as it always does on systems other than
/// Linux.
///
/// # Errors
/// As [`File::open`], and if opening might wait for a disk.
pub(crate) fn open_cached(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
        use rustix::io::Errno;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED) {
            // Kernels before 5.12 do not support this flag, and a container may forbid the call.
            Err(Errno::NOSYS | Errno::INVAL | Errno::PERM) => Err(io::ErrorKind::WouldBlock.into()),
            opened => Ok(opened?.into()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        Err(io::ErrorKind::WouldBlock.into())
    }
}

#[cfg(unix)]
pub(crate) fn never_wait(options: &mut OpenOptions, links: Links) {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let links = if links == Links::Refused { OFlags::NOFOLLOW } else { OFlags::empty() };
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY | links).bits().cast_signed());
}

#[cfg(not(unix))]
pub(crate) fn never_wait(_: &mut OpenOptions, _: Links) {}

/// Whether an error means that there is no file at a path.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the path of an open file, with links resolved and in the system's spelling; `None` if the system
/// cannot report it, or the file was removed.
pub fn real_path(file: &File) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
        let has_lost_its_name = path.as_os_str().as_encoded_bytes().ends_with(b" (deleted)");
        (path.is_absolute() && !has_lost_its_name).then_some(path)
    }
    #[cfg(target_os = "macos")]
    {
        let path = rustix::fs::getpath(file).ok()?;
        Some(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(path.into_bytes()).into())
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = file;
        None
    }
}

/// Whether this user owns a file. Always true on Windows, where the temporary directory is private.
pub fn is_ours(found: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    {
        let _ = found;
        true
    }
}

/// Whether this user, root or the owner of `beside` owns a file. Always true on Windows.
pub fn is_of_nobody_else(found: &Metadata, beside: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        is_ours(found) || found.uid() == 0 || found.uid() == beside.uid()
    }
    #[cfg(not(unix))]
    {
        let _ = (found, beside);
        true
    }
}

/// Whether root works with a file of another user, as with `sudo`. Always false on Windows.
pub fn is_roots_visit(found: &Metadata) -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root() && !is_ours(found);
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// Changes owner and group of an open file to those of another file, if they differ.
///
/// # Errors
/// If this user may not do that: only root can change the owner.
pub fn give_to(file: &File, owner: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let found = file.metadata()?;
        let uid = (found.uid() != owner.uid()).then_some(owner.uid());
        let gid = (found.gid() != owner.gid()).then_some(owner.gid());
        if uid.is_some() || gid.is_some() {
            fchown(file, uid, gid)?;
        }
    }
    #[cfg(not(unix))]
    let _ = (file, owner);
    Ok(())
}

/// Whether this path, which is not a link, still names this file. Follows no link.
pub fn leads_to(path: &Path, file: &File) -> bool {
    #[cfg(unix)]
    return matches!(
        (std::fs::symlink_metadata(path), file.metadata()),
        (Ok(there), Ok(ours)) if numbers(&there) == numbers(&ours)
    );
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;

        use windows_sys::Win32::Storage::FileSystem::{
            FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES,
        };
        let mut itself = File::options();
        itself.access_mode(FILE_READ_ATTRIBUTES);
        itself.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
        let there = itself.open(path).ok().as_ref().and_then(numbers);
        there.is_some() && numbers(file) == there
    }
}

/// Returns the device of a file and its inode number, which all its names share; `None` if there is no file.
/// Follows links.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    return std::fs::metadata(path).ok().as_ref().map(numbers);
    #[cfg(windows)]
    return numbers(&File::open(path).ok()?);
}

#[cfg(unix)]
fn numbers(found: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (found.dev(), found.ino())
}

#[cfg(windows)]
fn numbers(file: &File) -> Option<(u64, u64)> {
    let found = winapi_util::file::information(file).ok()?;
    Some((found.volume_serial_number(), found.file_index()))
}

/// Whether an open file with this metadata has further names (hard links).
pub fn has_other_names(file: &File, found: &Metadata) -> bool {
    #[cfg(unix)]
    {
        let _ = file;
        std::os::unix::fs::MetadataExt::nlink(found) > 1
    }
    #[cfg(windows)]
    {
        let _ = found;
        winapi_util::file::information(file).is_ok_and(|found| found.number_of_links() > 1)
    }
}

/// Returns the permission bits; `None` on Windows.
pub fn mode(found: &Metadata) -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777);
    #[cfg(not(unix))]
    {
        let _ = found;
        None
    }
}

/// Returns the permissions with these bits; `None` on Windows.
pub fn permissions(mode: u32) -> Option<Permissions> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    {
        let _ = mode;
        None
    }
}

/// Returns the change time (ctime) of a file, which no program can choose; on Windows, the time at which its
/// content last changed.
pub fn changed_at(found: &Metadata) -> Option<SystemTime> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let seconds = u64::try_from(found.ctime()).ok()?;
        let nanos = u32::try_from(found.ctime_nsec()).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
    }
    #[cfg(not(unix))]
    found.modified().ok()
}

/// Whether the owner may execute a file. Always false on Windows.
pub fn is_executable(found: &Metadata) -> bool {
    mode(found).is_some_and(|mode| mode & 0o100 != 0)
}

/// Returns the permissions of a file with the right to execute for all who may read it, or for no user. On
/// Windows, returns them unchanged.
pub fn with_execution(found: &Metadata, executable: bool) -> Permissions {
    let permissions = found.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = permissions.mode();
        let mode = if executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
        Permissions::from_mode(mode)
    }
    #[cfg(not(unix))]
    {
        let _ = executable;
        permissions
    }
}

#[cfg(test)]
mod names {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_distinguished_from_a_later_one_of_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("one"), "1").unwrap();
        let file = File::options().read(true).append(true).open(path("one")).unwrap();
        assert!(leads_to(&path("one"), &file) && !leads_to(&path("none"), &file));
        assert!(!has_other_names(&file, &file.metadata().unwrap()));
        fs::hard_link(path("one"), path("other")).unwrap();
        assert!(has_other_names(&file, &file.metadata().unwrap()));
        assert!(identity(&path("one")).is_some() && identity(&path("one")) == identity(&path("other")));
        fs::rename(path("one"), path("two")).unwrap();
        fs::write(path("one"), "1").unwrap();
        assert!(!leads_to(&path("one"), &file) && leads_to(&path("two"), &file));
        assert_ne!(identity(&path("one")), identity(&path("two")));
    }

    #[test]
    fn a_link_is_not_its_target() {
        #[cfg(unix)]
        use std::os::unix::fs::symlink;
        #[cfg(windows)]
        use std::os::windows::fs::symlink_file as symlink;

        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "1").unwrap();
        let file = open_without_waiting(&path("file"), Links::Refused).unwrap();
        // Some users of Windows may not create links.
        if symlink(path("file"), path("link")).is_err() {
            return;
        }
        assert!(leads_to(&path("file"), &file) && !leads_to(&path("link"), &file));
        assert!(open_without_waiting(&path("link"), Links::Refused).is_err());
        assert!(open_without_waiting(&path("link"), Links::Followed).is_ok());
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::{MetadataExt as _, chown, symlink};

    use super::*;

    #[test]
    fn opening_a_pipe_never_waits_and_links_are_followed_on_request() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert!(!open_without_waiting(&path("pipe"), Links::Refused).unwrap().metadata().unwrap().is_file());
        fs::write(path("file"), "1").unwrap();
        symlink("file", path("link")).unwrap();
        let mut text = String::new();
        let mut file = open_without_waiting(&path("link"), Links::Followed).unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "1");
        assert!(open_without_waiting(&path("link"), Links::Refused).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_file_has_a_path_until_it_is_removed() {
        use crate::paths::Canonical as _;

        let directory = tempfile::tempdir().unwrap();
        let real = directory.path().canonical().unwrap().join("a b");
        fs::write(&real, "1").unwrap();
        symlink("a b", directory.path().join("link")).unwrap();
        let file = open_without_waiting(&directory.path().join("link"), Links::Followed).unwrap();
        assert_eq!(real_path(&file), Some(real.clone()));
        fs::remove_file(&real).unwrap();
        assert_eq!(real_path(&file), None);
    }

    #[test]
    fn a_file_of_another_user_is_not_ours() {
        let directory = tempfile::tempdir().unwrap();
        assert!(is_ours(&directory.path().metadata().unwrap()));
        // Only root can change the owner of a file. Other users test with a file of root.
        let theirs = match rustix::process::geteuid().is_root() {
            true => {
                chown(directory.path(), Some(65534), None).unwrap();
                directory.path()
            }
            false => Path::new("/etc/passwd"),
        };
        assert!(!is_ours(&theirs.metadata().unwrap()));
        assert_eq!(is_roots_visit(&theirs.metadata().unwrap()), rustix::process::geteuid().is_root());
    }

    #[test]
    fn all_who_may_read_may_execute() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join("file")).unwrap();
        for (mode, executable, after) in
            [(0o640, true, 0o750), (0o600, true, 0o700), (0o755, false, 0o644), (0o644, false, 0o644)]
        {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
            let found = file.metadata().unwrap();
            file.set_permissions(with_execution(&found, executable)).unwrap();
            let found = file.metadata().unwrap();
            assert_eq!((super::mode(&found), is_executable(&found)), (Some(after), executable));
        }
        let before = changed_at(&file.metadata().unwrap()).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(changed_at(&file.metadata().unwrap()).unwrap() >= before, "nobody can turn it back");
    }

    #[test]
    fn only_root_gives_files_away() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(directory.path().join("file")).unwrap();
        give_to(&file, &file.metadata().unwrap()).unwrap();
        let root = Path::new("/").metadata().unwrap();
        if !rustix::process::geteuid().is_root() {
            assert!(give_to(&file, &root).is_err());
            return;
        }
        chown(directory.path(), Some(65_534), Some(65_533)).unwrap();
        give_to(&file, &directory.path().metadata().unwrap()).unwrap();
        let given = file.metadata().unwrap();
        assert_eq!((given.uid(), given.gid()), (65_534, 65_533));
    }
}
