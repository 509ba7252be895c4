//! The home and temporary directories of a user, as agents compute them.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Os;

/// Returns the temporary directory of Node's `os.tmpdir()`, without a trailing slash. `variable` reads the
/// environment of the process in question; empty values count as unset.
pub fn temporary(os: Os, variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let names: &[&str] = match os {
        Os::Windows => &["TEMP", "TMP"],
        Os::Linux | Os::MacOs => &["TMPDIR", "TMP", "TEMP"],
    };
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(value) = names.iter().find_map(|name| variable(name)) {
        return without_slash(os, value);
    }
    match os {
        Os::Linux | Os::MacOs => PathBuf::from("/tmp"),
        Os::Windows => {
            let mut windows =
                variable("SystemRoot").or_else(|| variable("windir")).unwrap_or_else(|| r"C:\Windows".into());
            windows.push(r"\temp");
            without_slash(os, windows)
        }
    }
}

/// Returns the home directory of this user, if any.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// Returns the home directory in the user database, without reading `HOME`; `None` if the database has none,
/// and on Windows. Blocks: the system may ask a directory service.
pub fn home_in_database() -> Option<PathBuf> {
    #[cfg(unix)]
    return {
        let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok()??;
        Some(user.dir).filter(|home| home.is_absolute())
    };
    #[cfg(not(unix))]
    None
}

/// Returns the directory that Linux creates for this user, without reading `XDG_RUNTIME_DIR`. It may not
/// exist. `None` on other systems.
pub fn runtime() -> Option<PathBuf> {
    match Os::HERE {
        Os::Linux => Some(PathBuf::from(format!("/run/user/{}", crate::sockets::user_id()))),
        Os::MacOs | Os::Windows => None,
    }
}

/// Removes trailing slashes, except from `/`, `C:\` and paths that are not Unicode.
fn without_slash(os: Os, path: OsString) -> PathBuf {
    let Some(text) = path.to_str() else { return path.into() };
    let is_slash = |c: char| c == '/' || (os == Os::Windows && c == '\\');
    let shorter = text.trim_end_matches(is_slash);
    let is_root = shorter.is_empty() || (os == Os::Windows && shorter.ends_with(':'));
    let end = if is_root { text.len().min(shorter.len() + 1) } else { shorter.len() };
    PathBuf::from(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temporary_with(os: Os, variables: &[(&str, &str)]) -> String {
        let variable = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| OsString::from(value))
        };
        temporary(os, variable).to_str().unwrap().to_owned()
    }

    #[test]
    fn variables_are_read_in_the_order_of_the_system() {
        let all = [("TMPDIR", "/one"), ("TMP", "/two"), ("TEMP", "/three")];
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!(temporary_with(os, &all), "/one");
            assert_eq!(temporary_with(os, &all[1..]), "/two");
            assert_eq!(temporary_with(os, &all[2..]), "/three");
            assert_eq!(temporary_with(os, &[("TMPDIR", ""), ("TMP", "")]), "/tmp");
        }
        // On Windows, Node ignores the TMPDIR of Git Bash and MSYS.
        assert_eq!(temporary_with(Os::Windows, &all), "/three");
        assert_eq!(temporary_with(Os::Windows, &all[..2]), "/two");
        assert_eq!(temporary_with(Os::Windows, &[("SystemRoot", r"D:\Windows")]), r"D:\Windows\temp");
        assert_eq!(temporary_with(Os::Windows, &[("windir", r"D:\W")]), r"D:\W\temp");
    }

    #[cfg(unix)]
    #[test]
    fn the_user_database_has_a_home_without_any_variable() {
        let id = std::process::Command::new("id").arg("-u").output().unwrap();
        let id = String::from_utf8(id.stdout).unwrap();
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
        let of_this_user = |line: &&str| line.split(':').nth(2) == Some(id.trim());
        let home = passwd.lines().find(of_this_user).and_then(|line| line.split(':').nth(5));
        match home {
            Some(home) => assert_eq!(home_in_database().as_deref(), Some(std::path::Path::new(home))),
            // A directory service may know the user.
            None => drop(home_in_database()),
        }
    }

    #[test]
    fn trailing_slashes_are_removed_except_from_a_root() {
        let mac = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/";
        assert_eq!(temporary_with(Os::MacOs, &[("TMPDIR", mac)]), mac.trim_end_matches('/'));
        assert_eq!(temporary_with(Os::Linux, &[("TMPDIR", "//")]), "/");
        let windows = |temp| temporary_with(Os::Windows, &[("TEMP", temp)]);
        assert_eq!(windows(r"C:\Users\dev\AppData\Local\Temp\"), r"C:\Users\dev\AppData\Local\Temp");
        assert_eq!(windows(r"R:\"), r"R:\");
        assert_eq!(windows("R:"), "R:");
        assert_eq!(temporary_with(Os::Linux, &[("TMPDIR", r"/odd\")]), r"/odd\", "a backslash is a letter");
    }
}
