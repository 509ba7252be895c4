//! The lock file for agents that connect by WebSocket.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::Shared;
use super::files::{NOBODY, allow};
use crate::fault::Fault;

impl Shared {
    /// Returns the directory of lock files.
    fn locks(&self) -> PathBuf {
        self.environment.home.join(".claude/ide")
    }

    /// Writes the lock, by one rename.
    pub(super) fn publish_lock(&self) {
        if self.has(Fault::NoLock) {
            return;
        }
        let directory = self.locks();
        fs::create_dir_all(&directory).expect("a directory for locks");
        allow(&directory, if self.has(Fault::LockDirectoryOpenToOthers) { 0o755 } else { 0o700 });
        let mut text = self.lock().to_string();
        if self.has(Fault::LockIsHalf) {
            text.truncate(text.len() / 2);
        }
        let draft = directory.join(format!(".draft-{}", self.port));
        fs::write(&draft, &text).expect("a lock");
        allow(&draft, if self.has(Fault::LockReadableByOthers) { 0o644 } else { 0o600 });
        fs::rename(&draft, directory.join(format!("{}.lock", self.port))).expect("a lock in its place");
        if self.has(Fault::TwoLocks) {
            fs::write(directory.join(format!("{}.lock", self.port ^ 1)), text).expect("another lock");
        }
    }

    /// Removes the lock.
    pub(super) fn withdraw_lock(&self) {
        if !self.has(Fault::LockLeftAtStop) {
            let _ = fs::remove_file(self.locks().join(format!("{}.lock", self.port)));
        }
    }

    fn lock(&self) -> Value {
        let is_dead = self.has(Fault::LockOfADeadProcess);
        let pid = if is_dead { NOBODY } else { self.environment.editor_pid };
        let mut folders = self.state().editor.folders.clone();
        if self.has(Fault::LockWithARelativeFolder) {
            folders.push("src".into());
        }
        let mut lock = json!({
            "pid": pid,
            "workspaceFolders": folders,
            "ideName": "Reference Editor",
            "transport": "ws",
            "authToken": self.token,
        });
        let fields = lock.as_object_mut().expect("a lock is an object");
        match self.fault.single {
            Some(Fault::LockWithoutName) => drop(fields.remove("ideName")),
            Some(Fault::LockForAnotherTransport) => lock["transport"] = json!("sse"),
            Some(Fault::LockWithAShortToken) => lock["authToken"] = json!("1234"),
            _ => {}
        }
        lock
    }
}
