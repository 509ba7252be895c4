//! Files and directories that only this user can read. Unix says so with modes; on Windows, what lies below
//! the user's profile, as the temporary directory does, is the user's by inheritance, and nothing more is
//! done.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::Path;

use crate::files::{self, Links};

/// What a private directory is made with, for those who make one themselves; nothing where modes are not
/// known.
pub fn directory_permissions() -> Option<Permissions> {
    permissions(0o700)
}

/// Makes one directory, private from the beginning.
///
/// # Errors
/// As [`std::fs::create_dir`].
pub fn create_directory(path: &Path) -> io::Result<()> {
    builder().create(path)
}

/// Makes a directory and those above it that are missing, all of them private.
///
/// # Errors
/// As [`std::fs::create_dir_all`].
pub fn create_directories(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// Makes everything private from now on that this process makes, also what a library makes.
pub fn make_all_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Opens a file for appending, which is private also if it was not before. A device, such as a terminal,
/// stays as it is. A link leads there only if we or the system made it.
///
/// # Errors
/// When it cannot be opened, is a pipe, or is not ours.
pub fn open_for_appending(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let links = if is_link_of_a_stranger(path) { Links::Refused } else { Links::Followed };
    files::never_wait(&mut options, links);
    let file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        if !files::is_ours(&found) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
        }
        if let Some(private) = permissions(0o600) {
            file.set_permissions(private)?;
        }
    } else if is_pipe(&found) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe"));
    }
    Ok(file)
}

/// Where others may write, a link may be there for us to follow.
fn is_link_of_a_stranger(path: &Path) -> bool {
    #[cfg(unix)]
    return path.symlink_metadata().is_ok_and(|found| {
        let is_the_systems = std::os::unix::fs::MetadataExt::uid(&found) == 0;
        found.is_symlink() && !files::is_ours(&found) && !is_the_systems
    });
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether nobody may read what is written there, so that writing waits.
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

#[cfg(unix)]
fn permissions(mode: u32) -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions(_: u32) -> Option<Permissions> {
    None
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
    fn directories_are_private_from_the_beginning() {
        let base = tempfile::tempdir().unwrap();
        let path = |name: &str| base.path().join(name);
        create_directory(&path("one")).unwrap();
        create_directories(&path("two/below")).unwrap();
        for name in ["one", "two", "two/below"] {
            assert_eq!(mode(&path(name)), 0o700, "{name}");
        }
    }

    #[test]
    fn a_log_is_private_also_if_it_was_not() {
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
    fn no_pipe_is_waited_for_and_nobody_leads_us_elsewhere() {
        use std::os::unix::fs::{lchown, symlink};

        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert!(open_for_appending(&path("pipe")).is_err());
        let _reader = File::options().read(true).write(true).open(path("pipe")).unwrap();
        assert!(open_for_appending(&path("pipe")).is_err(), "also where somebody reads it");
        std::fs::write(path("file"), "ours").unwrap();
        symlink(path("file"), path("own")).unwrap();
        assert!(open_for_appending(&path("own")).is_ok());
        // Only root can play somebody else.
        symlink(path("file"), path("theirs")).unwrap();
        if rustix::process::geteuid().is_root() {
            lchown(path("theirs"), Some(65_534), None).unwrap();
            assert!(open_for_appending(&path("theirs")).is_err());
            std::os::unix::fs::chown(path("file"), Some(65_534), None).unwrap();
            assert!(open_for_appending(&path("file")).is_err(), "it belongs to another user");
        }
    }
}
