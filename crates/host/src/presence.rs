//! Keeps a host findable: writes its entry, restores entry and socket when somebody has removed them, and
//! greets desks.

use std::path::{Path, PathBuf};

use alongside_common::runtime_dirs::{RuntimeDir, VARIABLE};
use alongside_companion::Companion;
use alongside_desk::Problem;
use alongside_desk::socket::{ClientInfo, EditorProcess, Host, PROTOCOL, Welcome};
use interprocess::local_socket::tokio::Listener;

use super::registry::Registry;
use super::registry_entry::{Entry, PartyRecord, VERSION};

/// How often at most a focus is written to the entry.
const FOCUS_INTERVAL_MS: u64 = 1000;

/// The entry of this host in the registry.
pub(super) struct Presence {
    registry: Registry,
    /// Where its entry and its socket are.
    at: RuntimeDir,
    entry: Entry,
    /// No desk can find the host, and the desks were told so.
    is_lost: bool,
}

/// The outcome of [`Presence::restore`].
#[derive(Default)]
pub(super) struct Restored {
    /// Takes the place of the listener that nobody reaches any more.
    pub(super) listener: Option<Listener>,
    /// News for the desks.
    pub(super) problem: Option<Problem>,
}

impl Presence {
    /// Writes the entry. Without room for it the host serves all the same; [`Presence::restore`] reports that
    /// and tries again.
    pub(super) fn new(registry: Registry, at: RuntimeDir, entry: Entry) -> Self {
        registry.clear(&at, &entry);
        // This host listens under the name. The entry of a crashed host may name a process that lives: the
        // system gives numbers of processes again.
        if let Err(error) = registry.write(&at, &entry) {
            tracing::error!("{error:#}");
        }
        Self { registry, at, entry, is_lost: false }
    }

    pub(super) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Where the host's files are.
    pub(super) fn directory(&self) -> &Path {
        self.at.path()
    }

    /// The first message to a desk.
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
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    pub(super) fn set_roots(&mut self, roots: Vec<PathBuf>) {
        self.entry.roots = roots;
        self.write();
    }

    /// Records who is there, for a host after this one: the editors, and everybody else.
    pub(super) fn set_parties(&mut self, editors: Vec<EditorProcess>, others: Vec<PartyRecord>) {
        if (&self.entry.editors, &self.entry.parties) != (&editors, &others) {
            (self.entry.editors, self.entry.parties) = (editors, others);
            self.write();
        }
    }

    /// Records that the person has turned to a desk.
    pub(super) fn mark_focused(&mut self) {
        let now = alongside_desk::now_ms();
        if now.saturating_sub(self.entry.focused_at) >= FOCUS_INTERVAL_MS {
            self.entry.focused_at = now;
            self.write();
        }
    }

    /// Puts back whatever was removed.
    pub(super) fn restore(&mut self) -> Restored {
        match self.registry.put_back(&mut self.at, &self.entry) {
            Ok(listener) => {
                let was_lost = std::mem::take(&mut self.is_lost);
                let problem = || Problem::without_hint("new desks can join this companion again");
                Restored { listener, problem: was_lost.then(problem) }
            }
            Err(error) if !self.is_lost => {
                self.is_lost = true;
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
        if let Err(error) = self.registry.update(&self.at, &self.entry) {
            tracing::error!("{error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use alongside_common::runtime_dirs::RuntimeDirs;

    use super::*;

    #[test]
    fn a_host_replaces_the_entry_of_a_crashed_one_whose_process_number_is_in_use() {
        let base = tempfile::tempdir().unwrap();
        let registry = Registry::in_directories(RuntimeDirs::only(&base.path().join("run")));
        let at = registry.directories().open().unwrap().clone();
        let entry = |pid| Entry { name: "h".into(), pid, ..Entry::default() };
        registry.write(&at, &entry(1)).unwrap();
        let own = entry(std::process::id());
        let presence = Presence::new(registry.clone(), at, own.clone());
        assert_eq!(registry.entries(), [own]);
        presence.remove();
        assert_eq!(registry.entries(), []);
    }
}
