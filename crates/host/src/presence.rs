//! Keeps a host findable: writes its entry, restores entry and socket after their removal, and makes the
//! first message to a desk.

use std::path::{Path, PathBuf};

use alongside_common::runtime_dirs::{RuntimeDir, VARIABLE};
use alongside_companion::Companion;
use alongside_desk::Problem;
use alongside_desk::socket::{ClientInfo, EditorProcess, Host, PROTOCOL, Welcome};
use interprocess::local_socket::tokio::Listener;

use super::registry::Registry;
use super::registry_entry::{Entry, PartyRecord, VERSION};

/// The least time between two writes of the focus to the entry.
const FOCUS_INTERVAL_MS: u64 = 1000;

/// The entry of this host in the registry.
pub(super) struct Presence {
    registry: Registry,
    /// The directory of its entry and its socket.
    directory: RuntimeDir,
    entry: Entry,
    /// Whether no new desk can find the host. Connected desks then know it.
    is_unreachable: bool,
}

/// The result of [`Presence::restore`].
#[derive(Default)]
pub(super) struct Restored {
    /// The new listener, if the socket was created again.
    pub(super) listener: Option<Listener>,
    /// The problem or notice for desks.
    pub(super) problem: Option<Problem>,
}

impl Presence {
    /// Writes the entry. If the disk is full, the host still serves: [`Presence::restore`] reports that and
    /// tries again.
    pub(super) fn new(registry: Registry, directory: RuntimeDir, entry: Entry) -> Self {
        registry.clear(&directory, &entry);
        // This host listens under the name. An old entry may name a live process, because the system reuses
        // process ids.
        if let Err(error) = registry.write(&directory, &entry) {
            tracing::error!("{error:#}");
        }
        Self { registry, directory, entry, is_unreachable: false }
    }

    pub(super) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the directory of the host's files.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the first message to a desk.
    pub(super) fn welcome(&self, companion: &Companion) -> Welcome {
        let host = Host {
            protocol: PROTOCOL,
            name: self.entry.name.clone(),
            pid: self.entry.pid,
            roots: self.entry.roots.clone(),
            port: companion.port(),
            addresses: companion.addresses().to_vec(),
            token: companion.token().to_owned(),
        };
        let server_info = ClientInfo { name: "alongside".into(), version: VERSION.into() };
        Welcome { server_info, alongside: host, ..Welcome::default() }
    }

    /// Whether no desk can find the host.
    pub(super) fn is_unreachable(&self) -> bool {
        self.is_unreachable
    }

    pub(super) fn set_roots(&mut self, roots: Vec<PathBuf>) {
        self.entry.roots = roots;
        self.write();
    }

    /// Records the present parties for the next host: the editors, and the parties without an editor.
    pub(super) fn set_parties(&mut self, editors: Vec<EditorProcess>, other_parties: Vec<PartyRecord>) {
        if (&self.entry.editors, &self.entry.parties) != (&editors, &other_parties) {
            (self.entry.editors, self.entry.parties) = (editors, other_parties);
            self.write();
        }
    }

    /// Records that the person has focused a desk.
    pub(super) fn mark_focused(&mut self) {
        let now = alongside_desk::now_ms();
        if now.saturating_sub(self.entry.focused_at) >= FOCUS_INTERVAL_MS {
            self.entry.focused_at = now;
            self.write();
        }
    }

    /// Restores the removed files.
    pub(super) fn restore(&mut self) -> Restored {
        match self.registry.restore(&mut self.directory, &self.entry) {
            Ok(listener) => {
                let was_lost = std::mem::take(&mut self.is_unreachable);
                let problem = || Problem::without_hint("new desks can join this companion again");
                Restored { listener, problem: was_lost.then(problem) }
            }
            Err(error) if !self.is_unreachable => {
                self.is_unreachable = true;
                tracing::error!("{error:#}");
                let what = format!("new desks cannot join this companion: {error:#}");
                let hint = format!(
                    "alongside tries again every second. Make room, and see that the directory is yours and \
                     writable; or set {VARIABLE} to another directory for programs you start next."
                );
                Restored { listener: None, problem: Some(Problem::new(what, hint)) }
            }
            Err(_) => Restored::default(),
        }
    }

    /// Removes the entry and the socket.
    pub(super) fn remove(&self) {
        self.registry.remove(&self.entry);
    }

    fn write(&self) {
        if let Err(error) = self.registry.update(&self.directory, &self.entry) {
            tracing::error!("{error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use alongside_common::runtime_dirs::RuntimeDirs;

    use super::*;

    #[test]
    fn a_reused_process_id_does_not_keep_a_crashed_entry() {
        let base = tempfile::tempdir().unwrap();
        let registry = Registry::in_directories(RuntimeDirs::only(&base.path().join("run")));
        let directory = registry.directories().open().unwrap().clone();
        let entry = |pid| Entry { name: "h".into(), pid, ..Entry::default() };
        registry.write(&directory, &entry(1)).unwrap();
        let own = entry(std::process::id());
        let presence = Presence::new(registry.clone(), directory, own.clone());
        assert_eq!(registry.entries(), [own]);
        presence.remove();
        assert_eq!(registry.entries(), []);
    }
}
