//! The lock file, with which Claude Code and OpenCode find a companion. Its name contains the port, and its
//! content the token.
//!
//! An agent connects only if exactly one lock holds its directory. Therefore a companion never writes a
//! second lock for a folder: if another editor's lock holds a root, `workspaceFolders` does not contain that
//! root. A lock without folders is found only by the port variable, which skips the search.

use serde::{Deserialize, Serialize};

use crate::null;

/// The content of a lock file.
///
/// Its `Debug` form hides the token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LockFile {
    /// The editor's PID. Agents delete the lock of a process that has ended.
    #[serde(default, deserialize_with = "null::or_default")]
    pub pid: u32,
    /// The directories in which, and below which, agents connect.
    #[serde(default, deserialize_with = "null::or_default")]
    pub workspace_folders: Vec<String>,
    /// The editor's name for people.
    #[serde(default, deserialize_with = "null::or_default")]
    pub ide_name: String,
    /// Always [`TRANSPORT`].
    #[serde(default, deserialize_with = "null::or_default")]
    pub transport: String,
    /// The token, for [`TOKEN_HEADER`](crate::websocket::TOKEN_HEADER).
    #[serde(default, deserialize_with = "null::or_default")]
    pub auth_token: String,
    /// The program that wrote the file: [`WRITER`](crate::discovery::WRITER) in ours. Agents ignore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
}

/// The only transport that agents still support.
pub const TRANSPORT: &str = "ws";

impl std::fmt::Debug for LockFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LockFile")
            .field("pid", &self.pid)
            .field("workspace_folders", &self.workspace_folders)
            .field("ide_name", &self.ide_name)
            .field("transport", &self.transport)
            .field("writer", &self.writer)
            .finish_non_exhaustive()
    }
}

/// Returns the name of the lock of the companion at this port.
pub fn name(port: u16) -> String {
    format!("{port}.lock")
}

/// Returns the port in the name of a lock.
pub fn port_in(name: &str) -> Option<u16> {
    let digits = name.strip_suffix(".lock")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_the_port() {
        assert_eq!(port_in(&name(8080)), Some(8080));
        for other in ["8080.json", ".lock", "+80.lock", "80a.lock", "99999.lock"] {
            assert_eq!(port_in(other), None, "{other}");
        }
    }

    #[test]
    fn a_lock_reads_leniently_and_hides_its_token() {
        let lock: LockFile =
            serde_json::from_str(r#"{"pid":7,"authToken":"s3cret","transport":null}"#).unwrap();
        assert_eq!((lock.pid, lock.workspace_folders.len()), (7, 0));
        assert!(!format!("{lock:?}").contains("s3cret"));
    }
}
