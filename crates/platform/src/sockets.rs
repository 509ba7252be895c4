//! Addresses of local sockets. On Unix a socket is a file with a short path, in a private directory. On
//! Windows it is a named pipe outside all directories, and anybody may take a name: so a part of it is
//! random, and stands in a file where the socket would be.

use std::io;
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

/// The socket with this name, in a private directory of the user. `secret` is the random part of a pipe's
/// name.
///
/// # Errors
/// If the path is longer than the system allows.
pub fn address(os: Os, directory: &Path, name: &str, secret: &str) -> Result<PathBuf, TooLong> {
    let path = match os {
        Os::Linux | Os::MacOs => file(directory, name),
        Os::Windows => PathBuf::from(format!(r"\\.\pipe\alongside-{name}-{secret}")),
    };
    let limit = limit(os);
    if path.as_os_str().len() > limit { Err(TooLong { path, limit }) } else { Ok(path) }
}

/// The file in place of a socket: the socket itself, on Windows a file with the random part of its name.
pub fn file(directory: &Path, name: &str) -> PathBuf {
    directory.join(name).with_extension("sock")
}

/// The address of a socket that exists, or did.
///
/// # Errors
/// If the path is too long, or on Windows if no file tells the random part.
pub fn existing(os: Os, directory: &Path, name: &str) -> io::Result<PathBuf> {
    let secret = match os {
        Os::Linux | Os::MacOs => String::new(),
        Os::Windows => std::fs::read_to_string(file(directory, name))?,
    };
    address(os, directory, name, &secret).map_err(io::Error::other)
}

/// A socket that is to be made; on Windows with a new name, which nobody learns before it is bound: another
/// program could take it first.
#[derive(Debug)]
pub struct NewSocket {
    address: PathBuf,
    /// On Windows the file that tells the random part, and that part.
    told: Option<(PathBuf, String)>,
}

impl NewSocket {
    /// The socket with this name, in a private directory of the user.
    ///
    /// # Errors
    /// If the path is too long, or if the system has no random bytes.
    pub fn new(os: Os, directory: &Path, name: &str) -> io::Result<Self> {
        let told = match os {
            Os::Linux | Os::MacOs => None,
            Os::Windows => Some((file(directory, name), crate::random::hex::<16>()?)),
        };
        let secret = told.as_ref().map_or("", |(_, secret)| secret);
        Ok(Self { address: address(os, directory, name, secret).map_err(io::Error::other)?, told })
    }

    /// The address to bind.
    pub fn address(&self) -> &Path {
        &self.address
    }

    /// Lets others find the socket, now that it is bound.
    ///
    /// # Errors
    /// On Windows, if the file cannot be written.
    pub fn tell(self) -> io::Result<()> {
        self.told.map_or(Ok(()), |(file, secret)| std::fs::write(file, secret))
    }
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
    fn a_socket_is_in_the_directory_and_a_pipe_has_a_random_name() {
        let directory = Path::new("/run/user/1000/alongside");
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!(address(os, directory, "0f3a", ""), Ok(directory.join("0f3a.sock")));
        }
        let pipe = address(Os::Windows, directory, "0f3a", "9c4e").unwrap();
        assert_eq!(pipe.to_str(), Some(r"\\.\pipe\alongside-0f3a-9c4e"));
    }

    #[test]
    fn nobody_learns_the_name_of_a_pipe_before_it_is_bound() {
        let private = tempfile::tempdir().unwrap();
        let new = |os| NewSocket::new(os, private.path(), "0f3a").unwrap();
        let found = || existing(Os::Windows, private.path(), "0f3a").ok();
        let (one, other) = (new(Os::Windows), new(Os::Windows));
        assert_ne!(one.address(), other.address(), "each has a name of its own");
        assert_eq!(found(), None, "another program could take it");
        let address = other.address().to_owned();
        other.tell().unwrap();
        assert_eq!(found(), Some(address));
        for os in [Os::Linux, Os::MacOs] {
            let socket = new(os);
            assert_eq!(existing(os, private.path(), "0f3a").unwrap(), socket.address());
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
