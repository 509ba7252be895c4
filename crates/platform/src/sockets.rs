//! Addresses of local sockets. On Unix a socket is a file with a short path; on Windows it is a named pipe
//! outside all directories, so the name includes the user.

use std::path::{Path, PathBuf};

use crate::Os;

/// A path that is too long for a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLong {
    /// The path.
    pub path: PathBuf,
    /// The most bytes it may have.
    pub limit: usize,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} is longer than {} bytes, the limit for a socket's path",
            self.path.display(),
            self.limit
        )
    }
}

impl std::error::Error for TooLong {}

/// The socket with this name, in a private directory of the user. `user` is their name or number.
///
/// # Errors
/// If the path is longer than the system allows.
pub fn address(os: Os, directory: &Path, name: &str, user: &str) -> Result<PathBuf, TooLong> {
    let path = match os {
        Os::Linux | Os::MacOs => directory.join(name).with_extension("sock"),
        // A pipe name must not contain a backslash.
        Os::Windows => PathBuf::from(format!(r"\\.\pipe\alongside-{}-{name}", user.replace('\\', "-"))),
    };
    let limit = limit(os);
    if path.as_os_str().len() > limit { Err(TooLong { path, limit }) } else { Ok(path) }
}

/// The longest path in bytes, without the final zero.
const fn limit(os: Os) -> usize {
    match os {
        Os::Linux => 107,
        Os::MacOs => 103,
        Os::Windows => 256,
    }
}

/// The name or number of this user, for names that differ between users.
pub fn user() -> String {
    #[cfg(unix)]
    return rustix::process::geteuid().as_raw().to_string();
    #[cfg(not(unix))]
    std::env::var("USERNAME").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_in_the_directory_and_a_pipe_names_its_user() {
        let directory = Path::new("/run/user/1000/alongside");
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!(address(os, directory, "0f3a", "1000"), Ok(directory.join("0f3a.sock")));
        }
        let pipe = |user| address(Os::Windows, directory, "0f3a", user).unwrap();
        assert_eq!(pipe("Ada Lovelace").to_str(), Some(r"\\.\pipe\alongside-Ada Lovelace-0f3a"));
        assert_eq!(pipe(r"CORP\ada").to_str(), Some(r"\\.\pipe\alongside-CORP-ada-0f3a"));
    }

    #[test]
    fn the_length_limit_is_exact() {
        for (os, limit) in [(Os::Linux, 107), (Os::MacOs, 103)] {
            let directory =
                |bytes: usize| PathBuf::from(format!("/{}", "x".repeat(bytes - "//a.sock".len())));
            assert!(address(os, &directory(limit), "a", "").is_ok(), "{os:?}");
            let refused = address(os, &directory(limit + 1), "a", "").unwrap_err();
            assert!(refused.to_string().contains(&format!("{limit} bytes")), "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_matches_the_system() {
        let base = tempfile::Builder::new().prefix("s").tempdir_in("/tmp").unwrap();
        let fill = limit(Os::HERE) - base.path().as_os_str().len() - "//a.sock".len();
        let bind = |fill: usize| {
            let directory = base.path().join("x".repeat(fill));
            std::fs::create_dir(&directory).unwrap();
            std::os::unix::net::UnixListener::bind(directory.join("a.sock"))
        };
        assert!(bind(fill).is_ok());
        assert!(bind(fill + 1).is_err());
    }
}
