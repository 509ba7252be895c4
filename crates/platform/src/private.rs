//! Files and directories that only this user can read. Unix has modes. On Windows, all files below the user's
//! profile, including the temporary directory, are private by inheritance.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::Path;

use crate::files::{self, Links};

/// Returns the permissions of a private directory; `None` on Windows.
pub fn directory_permissions() -> Option<Permissions> {
    files::permissions(0o700)
}

/// Creates a directory that is private from the start.
///
/// # Errors
/// As [`std::fs::create_dir`].
pub fn create_directory(path: &Path) -> io::Result<()> {
    builder().create(path)
}

/// Creates a directory and its missing parents, all private.
///
/// # Errors
/// As [`std::fs::create_dir_all`].
pub fn create_directories(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// The umask with which this process was started, if the process has changed it.
#[cfg(unix)]
static INHERITED_UMASK: std::sync::OnceLock<rustix::fs::RawMode> = std::sync::OnceLock::new();

/// Makes all files private that this process creates from now on, also through libraries. Exempt are the
/// files of a project or of other programs, which [`Directory`](crate::directory::Directory) creates with the
/// default mode.
pub fn make_all_private() {
    #[cfg(unix)]
    {
        let before = rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
        // The first umask is the person's.
        let _ = INHERITED_UMASK.set(before.as_raw_mode());
    }
}

/// Returns `mode` with the person's umask applied, if this process has another umask.
#[cfg(unix)]
pub(crate) fn default_mode(mode: rustix::fs::RawMode) -> Option<rustix::fs::RawMode> {
    INHERITED_UMASK.get().map(|umask| mode & !umask)
}

/// Opens a file for appending and makes it private. A device, such as a terminal, stays as it is. Follows a
/// link only if this user or root created it.
///
/// # Errors
/// If opening fails, or the file is a pipe or belongs to another user.
pub fn open_for_appending(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Windows cannot lock a file that is open only for appending.
    options.append(true).read(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let links = if is_foreign_link(path) { Links::Refused } else { Links::Followed };
    files::never_wait(&mut options, links);
    let file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        if !files::is_ours(&found) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file belongs to another user"));
        }
        if let Some(private) = files::permissions(0o600) {
            file.set_permissions(private)?;
        }
    } else if is_pipe(&found) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the file is a pipe"));
    }
    Ok(file)
}

/// Whether the path is a link that neither this user nor root created. Where others can write, it may be a
/// trap.
fn is_foreign_link(path: &Path) -> bool {
    #[cfg(unix)]
    return path.symlink_metadata().is_ok_and(|found| {
        let is_roots = std::os::unix::fs::MetadataExt::uid(&found) == 0;
        found.is_symlink() && !files::is_ours(&found) && !is_roots
    });
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether writing may wait for a reader.
fn is_pipe(found: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type());
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn directories_are_private_from_the_start() {
        let base = tempfile::tempdir().unwrap();
        let path = |name: &str| base.path().join(name);
        create_directory(&path("one")).unwrap();
        create_directories(&path("two/below")).unwrap();
        for name in ["one", "two", "two/below"] {
            assert_eq!(mode(&path(name)), 0o700, "{name}");
        }
    }

    #[test]
    fn opening_a_log_makes_it_private() {
        let base = tempfile::tempdir().unwrap();
        let (new, old) = (base.path().join("new"), base.path().join("old"));
        fs::write(&old, "before\n").unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o644)).unwrap();
        for path in [&new, &old] {
            open_for_appending(path).unwrap();
            assert_eq!(mode(path), 0o600);
        }
        assert_eq!(fs::read_to_string(old).unwrap(), "before\n");
        let device = open_for_appending(Path::new("/dev/null")).unwrap();
        assert!(!device.metadata().unwrap().is_file());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_and_foreign_links_are_refused() {
        use std::os::unix::fs::{lchown, symlink};

        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert!(open_for_appending(&path("pipe")).is_err());
        let _reader = File::options().read(true).write(true).open(path("pipe")).unwrap();
        assert!(open_for_appending(&path("pipe")).is_err(), "even with a reader");
        std::fs::write(path("file"), "ours").unwrap();
        symlink(path("file"), path("own")).unwrap();
        assert!(open_for_appending(&path("own")).is_ok());
        // Only root can create files of another user.
        symlink(path("file"), path("theirs")).unwrap();
        if rustix::process::geteuid().is_root() {
            lchown(path("theirs"), Some(65_534), None).unwrap();
            assert!(open_for_appending(&path("theirs")).is_err());
            std::os::unix::fs::chown(path("file"), Some(65_534), None).unwrap();
            assert!(open_for_appending(&path("file")).is_err(), "the file belongs to another user");
        }
    }
}
