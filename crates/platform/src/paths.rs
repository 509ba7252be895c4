//! Paths: their canonical forms, and whether a path lies below another one. Case is ignored on macOS and
//! Windows, and on macOS also the Unicode normalisation form.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Os, spelling};

/// The canonical path of an existing file, in the form that people, agents and editors use.
pub trait Canonical {
    /// Returns the path with links resolved, in the system's spelling. On Windows, omits the prefix `\\?\`
    /// where possible, because no URI has it, and few programs accept it.
    ///
    /// # Errors
    /// As [`std::fs::canonicalize`].
    fn canonical(&self) -> io::Result<PathBuf>;
}

impl Canonical for Path {
    fn canonical(&self) -> io::Result<PathBuf> {
        dunce::canonicalize(self)
    }
}

/// Converts the bytes that git writes to a path. Git separates names by `/`, and writes UTF-8 on Windows;
/// `None` if the bytes are not UTF-8 there.
pub fn from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into());
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(|text| text.replace('/', "\\").into())
}

/// Returns the bytes by which git names a path. On Windows, invalid Unicode is replaced.
pub fn to_bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// Returns the canonical path, or the given one if there is no such file.
pub fn real(path: &Path) -> PathBuf {
    path.canonical().unwrap_or_else(|_| path.to_owned())
}

/// Returns a path, whose links are resolved, in the system's spelling, if the system accepts several ones:
/// another case, another Unicode normalisation form, `PROJEC~1`. A path that does not exist keeps its
/// spelling. Blocks, except on Linux, where a name has only one spelling.
pub fn spelled(os: Os, path: PathBuf) -> PathBuf {
    if os == Os::Linux {
        return path;
    }
    let there = path.ancestors().find_map(|above| Some((above, above.canonical().ok()?)));
    match there {
        Some((above, real)) => match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => path,
    }
}

/// Returns the part of an absolute path below the top of its file system, which may be `/`, a drive or a
/// share. On Windows, invalid Unicode in the path is replaced.
pub fn below_top(os: Os, path: &Path) -> Cow<'_, Path> {
    if os != Os::Windows {
        return path.strip_prefix("/").unwrap_or(path).into();
    }
    match path.to_string_lossy() {
        Cow::Borrowed(text) => Path::new(below_drive(text)).into(),
        Cow::Owned(text) => PathBuf::from(below_drive(&text)).into(),
    }
}

fn below_drive(text: &str) -> &str {
    let is_separator = |c: char| c == '\\' || c == '/';
    let behind = |text: &'_ str, names: usize| -> usize {
        let ends = text.match_indices(is_separator).map(|(at, _)| at + 1);
        ends.take(names).last().filter(|_| text.matches(is_separator).count() >= names).unwrap_or(text.len())
    };
    let plain = text.strip_prefix(r"\\?\").or_else(|| text.strip_prefix(r"\\.\"));
    let below = match (plain, text.strip_prefix(r"\\")) {
        (Some(plain), _) => match plain.get(..4) {
            Some(unc) if unc.eq_ignore_ascii_case(r"UNC\") => &plain[4 + behind(&plain[4..], 2)..],
            _ => &plain[behind(plain, 1)..],
        },
        (None, Some(share)) => &share[behind(share, 2)..],
        (None, None) => match text.as_bytes() {
            [drive, b':', ..] if drive.is_ascii_alphabetic() => &text[2..],
            _ => text,
        },
    };
    below.trim_start_matches(is_separator)
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

/// Returns a spelling that all spellings of a path share, without a trailing separator.
fn folded(os: Os, path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut text = match os {
        Os::Linux => text.into_owned(),
        Os::MacOs => spelling::folded(&text),
        Os::Windows => text.to_lowercase().replace('/', r"\"),
    };
    if os == Os::Windows {
        // Only canonical paths of Windows have this prefix.
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
    fn a_root_contains_itself_and_paths_below_but_no_neighbour() {
        for os in [Os::Linux, Os::MacOs] {
            assert!(within(os, "/a/b", "/a/b") && within(os, "/a/b/c", "/a/b/") && within(os, "/a", "/"));
            assert!(!within(os, "/a/bc", "/a/b") && !within(os, "/a", "/a/b"), "{os:?}");
        }
        let windows = |path, root| within(Os::Windows, path, root);
        assert!(windows(r"C:\a\b", r"C:\a") && windows(r"C:\a", r"C:\") && windows(r"C:\a\b", "C:/a"));
        assert!(!windows(r"C:\ab", r"C:\a") && !windows(r"D:\a", r"C:\a"));
    }

    #[test]
    fn the_top_of_a_path_is_its_root_its_drive_or_its_share() {
        let below = |os, path| below_top(os, Path::new(path)).to_str().unwrap().to_owned();
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!((below(os, "/a/b"), below(os, "/")), ("a/b".into(), String::new()));
        }
        for path in
            [r"C:\a\b", r"\\?\C:\a\b", r"\\server\share\a\b", r"\\?\UNC\server\share\a\b", r"\a\b", r"a\b"]
        {
            assert_eq!(below(Os::Windows, path), r"a\b", "{path}");
        }
        assert_eq!(below(Os::Windows, "c:/a/b"), "a/b");
        for path in [r"C:\", r"C:", r"\\?\C:", r"\\server\share", r"\\server", r"\\?\"] {
            assert_eq!(below(Os::Windows, path), "", "{path}");
        }
        #[cfg(unix)]
        let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"C:\\a\\\xff").to_owned();
        #[cfg(windows)]
        let odd = {
            let units: Vec<u16> = "C:\\a\\".encode_utf16().chain([0xd800]).collect();
            <std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&units)
        };
        assert_eq!(below_top(Os::Windows, Path::new(&odd)), Path::new("a\\\u{fffd}"));
    }

    #[test]
    fn the_existing_part_of_a_path_gets_the_spelling_of_the_system() {
        let base = tempfile::tempdir().unwrap();
        let real = base.path().canonical().unwrap();
        std::fs::create_dir(real.join("there")).unwrap();
        for os in [Os::MacOs, Os::Windows] {
            for path in ["there", "there/not/yet", "not/yet"] {
                // Another spelling that the system accepts.
                let other = real.join("there").join("..").join(path);
                let wanted = real.join(path);
                assert_eq!(
                    spelled(os, if path == "not/yet" { wanted.clone() } else { other }),
                    wanted,
                    "{os:?}"
                );
            }
        }
        let other = real.join("there").join("..");
        assert_eq!(spelled(Os::Linux, other.clone()), other, "there a name has one spelling");
    }

    #[test]
    fn bytes_and_paths_are_converted_without_loss() {
        for bytes in [b"a/b".as_slice(), "é/\u{1F600}".as_bytes()] {
            assert_eq!(from_bytes(bytes).map(|path| to_bytes(&path)).as_deref(), Some(bytes));
        }
        assert_eq!(
            from_bytes(b"a/\xff\n").map(|path| to_bytes(&path)),
            cfg!(unix).then(|| b"a/\xff\n".to_vec())
        );
    }

    #[test]
    fn case_is_ignored_except_on_linux() {
        assert!(!within(Os::Linux, "/Users/Dev/x", "/users/dev"));
        assert!(within(Os::MacOs, "/Users/Dev/x", "/users/dev"));
        assert!(within(Os::Windows, r"c:\users\dev\x", r"C:\Users\Dev"));
    }

    #[test]
    fn the_normalisation_form_is_ignored_on_macos() {
        let (one, two) = ("/Users/Ad\u{e9}/x", "/users/ade\u{301}");
        assert!(within(Os::MacOs, one, two) && within(Os::MacOs, "/users/ADE\u{301}/x", "/Users/ad\u{e9}"));
        assert!(!within(Os::MacOs, one, "/users/ade"), "a mark is no part of another name");
        assert!(!within(Os::Linux, "/Ad\u{e9}/x", "/Ade\u{301}"));
        assert!(!within(Os::Windows, "C:\\Ad\u{e9}\\x", "C:\\Ade\u{301}"));
    }

    #[test]
    fn windows_real_and_written_paths_are_equal() {
        assert!(within(Os::Windows, r"\\?\C:\work\x", r"C:\work"));
        assert!(within(Os::Windows, r"\\?\UNC\server\share\x", r"\\server\share"));
        assert!(!within(Os::Windows, r"\\?\UNC\server\share\x", r"\\other\share"));
    }
}
