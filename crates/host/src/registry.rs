//! The list of this user's hosts: a private directory with a socket and a small file for each.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use alongside_common::failure::Hint;
use alongside_common::runtime_dir::RuntimeDir;
use alongside_companion::private;
use alongside_platform::{Os, sockets};
use anyhow::Context;
use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name};

use super::entry::Entry;

/// The entries and sockets of all hosts of this user.
#[derive(Debug, Clone)]
pub struct Registry {
    directory: RuntimeDir,
}

/// Held while a desk looks for a host and starts one, so that two desks at once end up with the same host.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held, not read")] File);

impl Registry {
    /// Opens the directory of this user.
    ///
    /// # Errors
    /// As [`RuntimeDir::open`].
    pub fn open() -> anyhow::Result<Self> {
        Ok(Self { directory: RuntimeDir::open()? })
    }

    /// The directory of this user if there is one. Makes none.
    pub(crate) fn existing() -> Option<Self> {
        Some(Self { directory: RuntimeDir::existing()? })
    }

    /// The directory, which is private.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A name for a host that is started for this project: not that of another one, which may have been
    /// started for it and serve others now. It is short, for a socket's path has 108 bytes at most.
    pub(crate) fn free_name(&self, project: Option<&PathBuf>) -> String {
        let name = |attempt: usize| {
            let mut hasher = DefaultHasher::new();
            (project, attempt).hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        };
        let entries = self.entries();
        let is_free = |name: &String| entries.iter().all(|entry| entry.name != *name);
        (0..=entries.len()).map(name).find(is_free).unwrap_or_default()
    }

    /// All entries, also of crashed hosts. The host that the person turned to last comes first.
    pub fn entries(&self) -> Vec<Entry> {
        let files = fs::read_dir(self.directory()).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut entries: Vec<Entry> = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok())
            .collect();
        entries.sort_by_key(|entry| (std::cmp::Reverse(entry.focused_at), entry.name.clone()));
        entries
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn write(&self, entry: &Entry) -> anyhow::Result<()> {
        let path = self.file(&entry.name, "json");
        let json = serde_json::to_vec(entry)?;
        private::write(&path, &json).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes the files of an ended host, unless another host has its place by now.
    pub(crate) fn remove(&self, entry: &Entry) {
        if !self.is_taken(entry) {
            let _ = fs::remove_file(self.file(&entry.name, "json"));
            let _ = fs::remove_file(self.file(&entry.name, "sock"));
        }
    }

    /// Waits for the lock, under which a desk looks for a host and starts one.
    ///
    /// # Errors
    /// When the lock cannot be made, or another process holds it for 30 s.
    pub(crate) async fn lock(&self) -> anyhow::Result<Lock> {
        let path = self.file("start", "lock");
        for _ in 0..1500 {
            // Cleaners may take the directory at any time.
            self.directory.make()?;
            let locked = private::try_lock(&path).with_context(|| format!("cannot lock {}", path.display()));
            let hint = "make room, or set XDG_RUNTIME_DIR to another directory of yours";
            if let Some(lock) = locked.hint(hint)? {
                return Ok(Lock(lock));
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        Err(anyhow::anyhow!("another alongside has held {} for half a minute", path.display()))
            .hint("`alongside status` and `ps` show what it waits for")
    }

    /// Connects to a host.
    ///
    /// # Errors
    /// When no host listens there.
    pub(crate) async fn dial(&self, name: &str) -> std::io::Result<Stream> {
        Stream::connect(self.socket(name)?).await
    }

    /// Listens as a host, in place of a crashed one.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub(crate) fn listen(&self, name: &str) -> anyhow::Result<Listener> {
        let _ = fs::remove_file(self.file(name, "sock"));
        self.bind(name).hint("set XDG_RUNTIME_DIR to another directory of yours, whose path is short")
    }

    /// Puts back the directory, the entry and the socket of a living host, if a cleaner has taken them or
    /// there was no room for them. Returns a new listener if nobody can reach the old one. Files that others
    /// have put there meanwhile stay.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn put_back(&self, entry: &Entry) -> anyhow::Result<Option<Listener>> {
        if !self.is_there(entry) && !self.is_taken(entry) {
            self.directory.make()?;
            self.write(entry)?;
            tracing::warn!(directory = %self.directory().display(), "restored the host's files");
        }
        let is_gone = Os::HERE != Os::Windows && !self.file(&entry.name, "sock").exists();
        match is_gone && self.is_there(entry) {
            true => self.bind(&entry.name).map(Some),
            false => Ok(None),
        }
    }

    /// Whether the entry of this name is this host's.
    fn is_there(&self, entry: &Entry) -> bool {
        self.there(&entry.name).is_some_and(|there| there.pid == entry.pid)
    }

    /// Whether another living host, or a file that is no entry, has its place.
    fn is_taken(&self, entry: &Entry) -> bool {
        match self.there(&entry.name) {
            Some(there) => {
                there.pid != entry.pid && alongside_platform::process::look_up(there.pid).is_some()
            }
            None => self.file(&entry.name, "json").exists(),
        }
    }

    fn there(&self, name: &str) -> Option<Entry> {
        serde_json::from_slice(&fs::read(self.file(name, "json")).ok()?).ok()
    }

    fn bind(&self, name: &str) -> anyhow::Result<Listener> {
        // By the time this host ends, another may listen under the name.
        let listen = |socket| ListenerOptions::new().name(socket).reclaim_name(false).create_tokio();
        let listener = self.socket(name).and_then(listen);
        listener.with_context(|| format!("cannot listen at {}", self.file(name, "sock").display()))
    }

    fn socket(&self, name: &str) -> std::io::Result<Name<'static>> {
        let address = sockets::address(Os::HERE, self.directory(), name, &sockets::user());
        address.map_err(std::io::Error::other)?.to_fs_name::<GenericFilePath>()
    }

    fn file(&self, name: &str, extension: &str) -> PathBuf {
        self.directory().join(name).with_extension(extension)
    }
}
