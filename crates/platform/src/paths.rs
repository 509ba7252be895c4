//! Whether a path lies below another one. On macOS and Windows, case makes no difference.

use std::path::{Path, PathBuf};

use crate::Os;

/// A path from the bytes that git writes, with `/` between names. On Windows they are UTF-8; `None` if they
/// are not.
pub fn from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into());
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(|text| text.replace('/', "\\").into())
}

/// The bytes by which git names a path. On Windows, what is no text is replaced.
pub fn to_bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// The real path, or the given one if nothing exists there.
pub fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether `path` is `root` or lies below it. Does not read the disk: see [`real`].
pub fn is_within(os: Os, path: &Path, root: &Path) -> bool {
    if os == Os::Linux {
        return path.starts_with(root);
    }
    let (path, root) = (folded(os, path), folded(os, root));
    path.strip_prefix(&root).is_some_and(|rest| rest.is_empty() || rest.starts_with(separator(os)))
}

const fn separator(os: Os) -> char {
    match os {
        Os::Windows => '\\',
        Os::Linux | Os::MacOs => '/',
    }
}

/// A spelling that all names of a path share, without a trailing separator.
fn folded(os: Os, path: &Path) -> String {
    let mut text = path.to_string_lossy().to_lowercase();
    if os == Os::Windows {
        text = text.replace('/', r"\");
        // Windows adds this prefix to real paths only.
        if let Some(share) = text.strip_prefix(r"\\?\unc\") {
            text = format!(r"\\{share}");
        } else if let Some(plain) = text.strip_prefix(r"\\?\") {
            text = plain.to_owned();
        }
    }
    text.trim_end_matches(separator(os)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(os: Os, path: &str, root: &str) -> bool {
        is_within(os, Path::new(path), Path::new(root))
    }

    #[test]
    fn a_root_contains_itself_and_below_but_no_neighbour() {
        for os in [Os::Linux, Os::MacOs] {
            assert!(within(os, "/a/b", "/a/b") && within(os, "/a/b/c", "/a/b/") && within(os, "/a", "/"));
            assert!(!within(os, "/a/bc", "/a/b") && !within(os, "/a", "/a/b"), "{os:?}");
        }
        let windows = |path, root| within(Os::Windows, path, root);
        assert!(windows(r"C:\a\b", r"C:\a") && windows(r"C:\a", r"C:\") && windows(r"C:\a\b", "C:/a"));
        assert!(!windows(r"C:\ab", r"C:\a") && !windows(r"D:\a", r"C:\a"));
    }

    #[test]
    fn bytes_become_a_path_and_the_same_bytes_again() {
        for bytes in [b"a/b".as_slice(), "é/\u{1F600}".as_bytes()] {
            assert_eq!(from_bytes(bytes).map(|path| to_bytes(&path)).as_deref(), Some(bytes));
        }
        assert_eq!(
            from_bytes(b"a/\xff\n").map(|path| to_bytes(&path)),
            cfg!(unix).then(|| b"a/\xff\n".to_vec())
        );
    }

    #[test]
    fn case_matters_on_linux_only() {
        assert!(!within(Os::Linux, "/Users/Dev/x", "/users/dev"));
        assert!(within(Os::MacOs, "/Users/Dev/x", "/users/dev"));
        assert!(within(Os::Windows, r"c:\users\dev\x", r"C:\Users\Dev"));
    }

    #[test]
    fn windows_real_and_written_paths_are_equal() {
        assert!(within(Os::Windows, r"\\?\C:\work\x", r"C:\work"));
        assert!(within(Os::Windows, r"\\?\UNC\server\share\x", r"\\server\share"));
        assert!(!within(Os::Windows, r"\\?\UNC\server\share\x", r"\\other\share"));
    }
}
