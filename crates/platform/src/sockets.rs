//! Addresses of local sockets. On Unix, a socket is a file with a short path, in a private directory. On
//! Windows it is a named pipe outside all directories, and any program may create a pipe of that name. So the
//! name has a random part, which is stored in a file at the path that a Unix socket would have.

use std::io;
use std::path::{Path, PathBuf};

use crate::Os;

/// The error for a path that is too long for a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTooLong {
    /// The path.
    pub path: PathBuf,
    /// The longest allowed path, in bytes.
    pub limit: usize,
}

impl std::fmt::Display for PathTooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} is longer than {} bytes, the limit for a socket's path",
            self.path.display(),
            self.limit
        )
    }
}

impl std::error::Error for PathTooLong {}

/// Returns the address of the socket with this name, in a private directory of the user. `random_part` is a
/// part of a pipe's name.
///
/// # Errors
/// If the path is longer than the system allows.
pub fn address(os: Os, directory: &Path, name: &str, random_part: &str) -> Result<PathBuf, PathTooLong> {
    let path = match os {
        Os::Linux | Os::MacOs => socket_path(directory, name),
        Os::Windows => PathBuf::from(format!(r"\\.\pipe\alongside-{name}-{random_part}")),
    };
    let limit = limit(os);
    if path.as_os_str().len() > limit { Err(PathTooLong { path, limit }) } else { Ok(path) }
}

/// Returns the path of the socket; on Windows, of the file with the random part of its name.
pub fn socket_path(directory: &Path, name: &str) -> PathBuf {
    directory.join(name).with_extension("sock")
}

/// Returns the address of a socket that exists, or has existed.
///
/// # Errors
/// If the path is too long, or on Windows if the file with the random part cannot be read.
pub fn existing_address(os: Os, directory: &Path, name: &str) -> io::Result<PathBuf> {
    let random_part = match os {
        Os::Linux | Os::MacOs => String::new(),
        Os::Windows => std::fs::read_to_string(socket_path(directory, name))?,
    };
    address(os, directory, name, &random_part).map_err(io::Error::other)
}

/// A socket before it is bound. On Windows its name stays unpublished until then, so that no other program
/// can take it.
#[derive(Debug)]
pub struct NewSocket {
    address: PathBuf,
    /// On Windows, the path of the file with the random part, and that part.
    published: Option<(PathBuf, String)>,
}

impl NewSocket {
    /// Prepares the socket with this name, in a private directory of the user.
    ///
    /// # Errors
    /// If the path is too long, or if the system has no random bytes.
    pub fn new(os: Os, directory: &Path, name: &str) -> io::Result<Self> {
        let published = match os {
            Os::Linux | Os::MacOs => None,
            Os::Windows => Some((socket_path(directory, name), crate::random::hex::<16>()?)),
        };
        let random_part = published.as_ref().map_or("", |(_, random_part)| random_part);
        Ok(Self { address: address(os, directory, name, random_part).map_err(io::Error::other)?, published })
    }

    /// Returns the address to bind.
    pub fn address(&self) -> &Path {
        &self.address
    }

    /// Publishes the address of the socket, now that it is bound.
    ///
    /// # Errors
    /// On Windows, if the file cannot be written.
    pub fn publish(self) -> io::Result<()> {
        self.published.map_or(Ok(()), |(socket_path, random_part)| std::fs::write(socket_path, random_part))
    }
}

/// Returns the length of the longest path in bytes, without the terminating NUL.
const fn limit(os: Os) -> usize {
    match os {
        Os::Linux => 107,
        Os::MacOs => 103,
        Os::Windows => 256,
    }
}

/// Returns an identifier of this user, for file names that must differ between users.
pub fn user_id() -> String {
    #[cfg(unix)]
    return rustix::process::geteuid().as_raw().to_string();
    #[cfg(not(unix))]
    std::env::var("USERNAME").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_in_the_directory_and_a_pipe_has_a_random_name() {
        let directory = Path::new("/run/user/1000/alongside");
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!(address(os, directory, "0f3a", ""), Ok(directory.join("0f3a.sock")));
        }
        let pipe = address(Os::Windows, directory, "0f3a", "9c4e").unwrap();
        assert_eq!(pipe.to_str(), Some(r"\\.\pipe\alongside-0f3a-9c4e"));
    }

    #[test]
    fn the_name_of_a_pipe_is_not_published_before_it_is_bound() {
        let private = tempfile::tempdir().unwrap();
        let new = |os| NewSocket::new(os, private.path(), "0f3a").unwrap();
        let found = || existing_address(Os::Windows, private.path(), "0f3a").ok();
        let (one, other) = (new(Os::Windows), new(Os::Windows));
        assert_ne!(one.address(), other.address(), "each has a name of its own");
        assert_eq!(found(), None, "another program could take it");
        let address = other.address().to_owned();
        other.publish().unwrap();
        assert_eq!(found(), Some(address));
        for os in [Os::Linux, Os::MacOs] {
            let socket = new(os);
            assert_eq!(existing_address(os, private.path(), "0f3a").unwrap(), socket.address());
        }
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
