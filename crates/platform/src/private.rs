//! Files and directories that only this user can read. Unix says so with modes; on Windows, what lies below the user's
//! profile, as the temporary directory does, is the user's by inheritance, and nothing more is done.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::path::Path;

/// What a private directory is made with, for those who make one themselves; nothing where modes are not known.
pub fn directory_permissions() -> Option<Permissions> {
    permissions(0o700)
}

/// Makes one directory, private from the beginning.
///
/// # Errors
/// As [`fs::create_dir`].
pub fn create_directory(path: &Path) -> io::Result<()> {
    builder().create(path)
}

/// Makes a directory and those above it that are missing, all of them private.
///
/// # Errors
/// As [`fs::create_dir_all`].
pub fn create_directories(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// Shuts others out of a directory that is there already. One that is private is left as it is.
///
/// # Errors
/// When it is not ours.
pub fn shut_directory(path: &Path) -> io::Result<()> {
    match directory_permissions() {
        Some(private) if is_open(&fs::metadata(path)?.permissions()) => fs::set_permissions(path, private),
        _ => Ok(()),
    }
}

/// Opens a file for appending, which is private also if it was not before. A device, such as a terminal, stays as it is.
///
/// # Errors
/// When it cannot be opened, or is not ours.
pub fn open_for_appending(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    if let Some(private) = permissions(0o600)
        && file.metadata()?.is_file()
    {
        file.set_permissions(private)?;
    }
    Ok(file)
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

#[cfg(unix)]
fn is_open(permissions: &Permissions) -> bool {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open(_: &Permissions) -> bool {
    false
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn directories_are_private_from_the_beginning_or_from_now_on() {
        let base = tempfile::tempdir().unwrap();
        let path = |name: &str| base.path().join(name);
        create_directory(&path("one")).unwrap();
        create_directories(&path("two/below")).unwrap();
        fs::create_dir(path("open")).unwrap();
        fs::set_permissions(path("open"), Permissions::from_mode(0o755)).unwrap();
        shut_directory(&path("open")).unwrap();
        for name in ["one", "two", "two/below", "open"] {
            assert_eq!(mode(&path(name)), 0o700, "{name}");
        }
        fs::set_permissions(path("one"), Permissions::from_mode(0o500)).unwrap();
        shut_directory(&path("one")).unwrap();
        assert_eq!(mode(&path("one")), 0o500, "what nobody else can enter is left as it is");
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
}
