//! The list of this user's hosts: private directories with a socket and a small file for each host.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

use alongside_common::failure::Hint;
use alongside_common::runtime_dirs::{RuntimeDir, RuntimeDirs, VARIABLE};
use alongside_companion::private;
use alongside_desk::socket::{JoinError, PROTOCOL};
use alongside_platform::machine::Origin;
use alongside_platform::paths::real;
use alongside_platform::sockets::{self, NewSocket};
use alongside_platform::{Os, process};
use anyhow::Context;
use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use interprocess::local_socket::{GenericFilePath, ListenerOptions};

use super::registry_entry::Entry;
use super::start_lock::StartLock;

/// The entries and sockets of all hosts of this user.
#[derive(Debug, Clone)]
pub struct Registry {
    directories: RuntimeDirs,
}

impl Registry {
    /// Opens the registry of the hosts that commands and desks of this user find. Blocks, see
    /// [`RuntimeDirs::of_this_process`].
    pub fn of_this_process() -> Self {
        Self::in_directories(RuntimeDirs::of_this_process())
    }

    /// Opens the registry of the hosts in these directories.
    pub(crate) fn in_directories(directories: RuntimeDirs) -> Self {
        Self { directories }
    }

    /// Returns the directories.
    pub fn directories(&self) -> &RuntimeDirs {
        &self.directories
    }

    /// Returns a name for a host that is started for this project. No other host has it: an earlier host of
    /// the project may serve other projects now. The name is short, because the path of a socket has at most
    /// 108 bytes.
    pub(crate) fn free_name(&self, project: Option<&PathBuf>) -> String {
        let name = |attempt: usize| {
            let mut hasher = DefaultHasher::new();
            (project, attempt).hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        };
        let entries = self.directories.existing().flat_map(entries_in);
        let entries: Vec<Entry> = entries.filter(|entry| entry.origin() != Origin::EarlierBoot).collect();
        let is_free = |name: &String| entries.iter().all(|entry| entry.name != *name);
        (0..=entries.len()).map(name).find(is_free).unwrap_or_default()
    }

    /// Returns all entries of this machine, also of crashed hosts. The host that was focused last comes
    /// first.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        let here = |entry: &Entry| entry.origin() == Origin::Here;
        for entry in self.directories.existing().flat_map(entries_in).filter(here) {
            match entries.get(&entry.name) {
                // A host that crashed may have been started again in another directory.
                Some(known) if is_alive(known.pid) || !is_alive(entry.pid) => {}
                _ => drop(entries.insert(entry.name.clone(), entry)),
            }
        }
        let mut entries: Vec<Entry> = entries.into_values().collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.focused_at));
        entries
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// When the entry cannot be written.
    pub(crate) fn write(&self, at: &RuntimeDir, entry: &Entry) -> anyhow::Result<()> {
        let path = file(at, &entry.name, "json");
        let json = serde_json::to_vec(entry)?;
        private::write(&path, &json).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Writes an entry that has changed, unless another host or a foreign file has taken its place.
    ///
    /// # Errors
    /// When the entry cannot be written.
    pub(crate) fn update(&self, at: &RuntimeDir, entry: &Entry) -> anyhow::Result<()> {
        match is_taken(at, entry) {
            true => Ok(()),
            false => self.write(at, entry),
        }
    }

    /// Removes the files of an ended host, unless another host has taken their place.
    pub(crate) fn remove(&self, entry: &Entry) {
        self.directories.existing().for_each(|directory| remove_from(directory, entry));
    }

    /// Removes the files that a crashed host of this name has left in other directories, and the files of
    /// hosts from before the last start of the machine.
    pub(crate) fn clear(&self, at: &RuntimeDir, entry: &Entry) {
        for directory in self.directories.own().iter().filter(|directory| directory.path().is_dir()) {
            // This host already has its socket, and is about to write its entry.
            let others = entries_in(directory).into_iter().filter(|other| other.name != entry.name);
            let left = others.filter(|other| other.origin() == Origin::EarlierBoot);
            left.for_each(|left| remove_from(directory, &left));
        }
        // Two paths may lead to one directory.
        let here = real(at.path());
        let others = self.directories.existing().filter(|directory| real(directory.path()) != here);
        others.for_each(|directory| remove_from(directory, entry));
    }

    /// Waits for the lock under which a desk searches for a host and starts one.
    ///
    /// # Errors
    /// When the lock cannot be created, or another process holds it for 30 s.
    pub(crate) async fn lock(&self) -> anyhow::Result<StartLock> {
        for _ in 0..1500 {
            if let Some(lock) = self.try_lock()? {
                return Ok(lock);
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let held = file(self.directories.open()?, "start", "lock");
        Err(anyhow::anyhow!("another alongside has held {} for half a minute", held.display()))
            .hint("`alongside status` and `ps` show what it waits for")
    }

    /// Takes the lock in the first directory in which a file can be created; `None` while another process has
    /// it.
    fn try_lock(&self) -> anyhow::Result<Option<StartLock>> {
        // A cleaner may remove the directory at any time.
        self.directories.open()?;
        let mut refused = None;
        for directory in self.directories.own().iter().filter(|directory| directory.make().is_ok()) {
            let path = file(directory, "start", "lock");
            match StartLock::try_take(&path).with_context(|| format!("cannot lock {}", path.display())) {
                Ok(lock) => return Ok(lock),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let hint = format!("make room, or set {VARIABLE} to another directory of yours");
        refused.map_or(Ok(None), Err).hint(hint)
    }

    /// Sends a request in our version of the protocol, and then in the version of an older host.
    ///
    /// # Errors
    /// When no host listens there, or it refuses.
    pub(crate) async fn ask<T>(
        &self,
        name: &str,
        ask: impl AsyncFn(Stream, u32) -> Result<T, JoinError>,
    ) -> Result<T, JoinError> {
        let mut protocol = PROTOCOL;
        loop {
            match ask(self.dial(name).await?, protocol).await {
                Err(JoinError::Mismatch { message, host }) => match host.version_below(protocol) {
                    Some(older) => protocol = older,
                    None => return Err(JoinError::Mismatch { message, host }),
                },
                answer => return answer,
            }
        }
    }

    /// Connects to a host.
    ///
    /// # Errors
    /// When no host listens there.
    pub(crate) async fn dial(&self, name: &str) -> std::io::Result<Stream> {
        let mut refused = std::io::Error::from(std::io::ErrorKind::NotFound);
        for directory in self.directories.existing() {
            let dialled = dial_in(directory, name).await;
            match dialled {
                Ok(stream) => return Ok(stream),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Listens as a host, in place of a crashed one, in the first directory in which a socket can be created.
    ///
    /// # Errors
    /// When no directory can hold the socket.
    pub(crate) fn listen(&self, name: &str) -> anyhow::Result<(RuntimeDir, Listener)> {
        self.directories.open()?;
        let mut refused = None;
        for directory in self.directories.own().iter().filter(|directory| directory.make().is_ok()) {
            let _ = fs::remove_file(file(directory, name, "sock"));
            match bind(directory, name) {
                Ok(listener) => return Ok((directory.clone(), listener)),
                // Some file systems of home directories cannot hold sockets.
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let refused = refused.unwrap_or_else(|| anyhow::anyhow!("there is no directory for a socket"));
        Err(refused).hint(format!("set {VARIABLE} to another directory of yours, whose path is short"))
    }

    /// Restores the directory, the entry and the socket of a living host, if a cleaner has removed them or
    /// the disk was full. If they cannot be restored, creates them in another directory. Returns a new
    /// listener if the old one can no longer be reached. Foreign files that were created there meanwhile
    /// stay.
    ///
    /// # Errors
    /// When the files cannot be restored in any directory.
    pub(crate) fn restore(&self, at: &mut RuntimeDir, entry: &Entry) -> anyhow::Result<Option<Listener>> {
        let refused = match self.restore_in(at, entry) {
            Ok(listener) => return Ok(listener),
            Err(error) => error,
        };
        // A system may remove the directory of a user at the end of the user's last session.
        let left = at.clone();
        for other in self.directories.own().iter().filter(|other| **other != left) {
            if let Ok(listener) = self.restore_in(other, entry) {
                remove_from(&left, entry);
                *at = other.clone();
                return Ok(listener);
            }
        }
        Err(refused)
    }

    fn restore_in(&self, at: &RuntimeDir, entry: &Entry) -> anyhow::Result<Option<Listener>> {
        if !has_own_entry(at, entry) && !is_taken(at, entry) {
            at.make()?;
            self.write(at, entry)?;
            tracing::warn!(directory = %at.path().display(), "restored the host's files");
        }
        let is_gone = !file(at, &entry.name, "sock").exists();
        match is_gone && has_own_entry(at, entry) {
            true => bind(at, &entry.name).map(Some),
            false => Ok(None),
        }
    }
}

fn entries_in(directory: &RuntimeDir) -> Vec<Entry> {
    let files = fs::read_dir(directory.path()).into_iter().flatten().flatten().map(|entry| entry.path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok())
        .collect()
}

/// Whether the entry of this name belongs to this host.
fn has_own_entry(at: &RuntimeDir, entry: &Entry) -> bool {
    entry_named(at, &entry.name)
        .is_some_and(|entry_named| (entry_named.pid, &entry_named.boot) == (entry.pid, &entry.boot))
}

/// Whether another living host, a host of another machine, or a file that is not an entry has the place of
/// this entry.
fn is_taken(at: &RuntimeDir, entry: &Entry) -> bool {
    match entry_named(at, &entry.name) {
        Some(entry_named) => match entry_named.origin() {
            Origin::Here => entry_named.pid != entry.pid && is_alive(entry_named.pid),
            Origin::EarlierBoot => false,
            Origin::OtherMachine => true,
        },
        None => file(at, &entry.name, "json").exists(),
    }
}

fn is_alive(pid: u32) -> bool {
    process::is_alive(pid)
}

fn entry_named(at: &RuntimeDir, name: &str) -> Option<Entry> {
    serde_json::from_slice(&fs::read(file(at, name, "json")).ok()?).ok()
}

fn remove_from(directory: &RuntimeDir, entry: &Entry) {
    if !is_taken(directory, entry) {
        let _ = fs::remove_file(file(directory, &entry.name, "json"));
        let _ = fs::remove_file(file(directory, &entry.name, "sock"));
    }
}

/// Connects to the socket of this name. On Windows, any program may take the name of a host that has ended,
/// so the function checks that a process of this user listens there.
async fn dial_in(at: &RuntimeDir, name: &str) -> std::io::Result<Stream> {
    let address = sockets::existing_address(Os::HERE, at.path(), name)?.to_fs_name::<GenericFilePath>()?;
    let stream = Stream::connect(address).await?;
    if Os::HERE == Os::Windows {
        let listens = stream.peer_creds()?.pid().and_then(|pid| u32::try_from(pid).ok());
        if !listens.is_some_and(process::is_ours) {
            return Err(std::io::Error::new(
                std::io::ErrorKind::PermissionDenied,
                "somebody else listens there",
            ));
        }
    }
    Ok(stream)
}

fn bind(at: &RuntimeDir, name: &str) -> anyhow::Result<Listener> {
    let listen = || {
        let socket = NewSocket::new(Os::HERE, at.path(), name)?;
        let address = socket.address().to_fs_name::<GenericFilePath>()?;
        // When this host ends, another one may already listen under the name.
        let listener = ListenerOptions::new().name(address).reclaim_name(false).create_tokio()?;
        socket.publish()?;
        Ok(listener)
    };
    let listener: std::io::Result<Listener> = listen();
    listener.with_context(|| format!("cannot listen at {}", file(at, name, "sock").display()))
}

fn file(at: &RuntimeDir, name: &str, extension: &str) -> PathBuf {
    at.path().join(name).with_extension(extension)
}

#[cfg(test)]
mod tests {
    use alongside_platform::machine::Boot;

    use super::*;

    fn registry() -> (tempfile::TempDir, Registry, RuntimeDir) {
        let base = tempfile::tempdir().unwrap();
        let registry = Registry::in_directories(RuntimeDirs::only(&base.path().join("run")));
        let directory = registry.directories().open().unwrap().clone();
        (base, registry, directory)
    }

    fn entry(name: &str, boot: &str) -> Entry {
        serde_json::from_str(&format!(
            r#"{{"name":"{name}","pid":99999999,"version":"1","roots":["/p"],"focusedAt":0,"boot":{boot}}}"#
        ))
        .unwrap()
    }

    /// Two machines may share a home directory, and with it this directory.
    #[test]
    fn entries_of_other_machines_stay_and_those_of_earlier_boots_go() {
        let Some(boot) = Boot::here() else { return };
        let (_base, registry, at) = registry();
        let project = PathBuf::from("/p");
        let name = registry.free_name(Some(&project));
        let theirs = entry(&name, r#"{"id":"1","machine":"another"}"#);
        registry.write(&at, &theirs).unwrap();
        let mut before = serde_json::to_value(&boot).unwrap();
        before["id"] = "1".into();
        registry.write(&at, &entry("before", &before.to_string())).unwrap();
        assert_eq!(registry.entries(), []);
        let own = registry.free_name(Some(&project));
        assert_ne!(own, name);
        let mut here = entry(&own, &serde_json::to_string(&boot).unwrap());
        registry.write(&at, &here).unwrap();
        registry.clear(&at, &here);
        assert_eq!(registry.entries(), [here.clone()]);
        registry.remove(&here);
        here.name = name;
        registry.remove(&here);
        assert_eq!(entries_in(&at), [theirs]);
    }

    #[test]
    fn an_entry_of_an_older_release_is_read() {
        let (_base, registry, at) = registry();
        let json = r#"{"name":"a","pid":7,"version":"0.0.1","roots":["/p"],"focusedAt":3}"#;
        fs::write(file(&at, "a", "json"), json).unwrap();
        assert_eq!(registry.entries()[0].pid, 7);
    }
}
