//! Which hosts there are, and how they are reached: a private directory with a socket and a small file for
//! each.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use alongside_companion::private::{self, PathTrust};
use alongside_desk::socket::Owner;
use alongside_platform::{Os, sockets};
use anyhow::Context;
use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name};
use serde::{Deserialize, Serialize};

use super::meet::Wish;
use crate::failure::Hint;

/// What is known of a host without asking it, and all that is needed to start it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    /// Its name: that of its socket.
    pub(crate) name: String,
    pub(crate) pid: u32,
    /// The program's version.
    pub(crate) version: String,
    pub(crate) roots: Vec<PathBuf>,
    /// The editor it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<Owner>,
    /// The editor is gone, and may come back.
    #[serde(default)]
    pub(crate) hidden: bool,
    /// When a person last turned to it, in milliseconds since the Unix epoch.
    pub(crate) focused_at: u64,
    /// All that it listens on.
    #[serde(default)]
    pub(crate) addresses: Vec<SocketAddr>,
    /// The settings file that was named when it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<PathBuf>,
    /// The log that was named then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) log: Option<PathBuf>,
}

impl Entry {
    /// Whether an editor that comes may have it: it has none, or one that is gone.
    pub(crate) fn is_free(&self) -> bool {
        let lives = |owner: &Owner| alongside_platform::process::look_up(owner.pid).is_some();
        self.hidden || !self.owner.as_ref().is_some_and(lives)
    }

    /// The same for whoever starts it again after a crash.
    pub(crate) fn again_for(&self, wish: &Wish) -> Self {
        let owner = wish.owner.clone().or_else(|| self.owner.clone().filter(|_| !self.is_free()));
        Self { owner, hidden: false, ..self.clone() }
    }

    /// Whether every one of these directories is at or below a root of it.
    pub(crate) fn serves(&self, dirs: &[PathBuf]) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let roots: Vec<_> = self.roots.iter().map(|root| real(root)).collect();
        dirs.iter().all(|dir| roots.iter().any(|root| real(dir).starts_with(root)))
    }
}

/// The directory: what it is below, and its own name.
#[derive(Debug, Clone)]
pub(crate) struct Registry {
    base: PathBuf,
    below: PathBuf,
    directory: PathBuf,
}

/// Held while a host is looked for and started, so that two who start at once end up with one.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held, not read")] File);

impl Registry {
    /// Opens the directory of this user: below `$XDG_RUNTIME_DIR`, or below the temporary directory.
    ///
    /// # Errors
    /// When neither can be made private.
    pub(crate) fn open() -> anyhow::Result<Self> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let runtime = variable("XDG_RUNTIME_DIR").filter(|dir| dir.is_dir());
        let (base, below) = match runtime {
            Some(runtime) => (runtime, PathBuf::from("alongside")),
            None => (std::env::temp_dir(), PathBuf::from(format!("alongside-{}", sockets::user()))),
        };
        let registry = Self { directory: base.join(&below), base, below };
        registry.make().hint("set XDG_RUNTIME_DIR to a directory of yours that exists")?;
        Ok(registry)
    }

    fn make(&self) -> anyhow::Result<()> {
        private::directory(&self.base, &self.below, PathTrust::Shared)
            .with_context(|| format!("cannot make the private directory {}", self.directory.display()))
    }

    /// The directory, which is private.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The name of a host for these roots: short, for a socket's path has 108 bytes at most.
    pub(crate) fn name(owner: Option<&Owner>, roots: &[PathBuf]) -> String {
        let mut hasher = DefaultHasher::new();
        owner.map(|owner| (owner.pid, &owner.window)).hash(&mut hasher);
        roots.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// All entries, also of hosts that have crashed; the one that was focused last comes first.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let files = fs::read_dir(&self.directory).into_iter().flatten().flatten().map(|entry| entry.path());
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
    /// When the disk does not let us.
    pub(crate) fn write(&self, entry: &Entry) -> anyhow::Result<()> {
        let path = self.file(&entry.name, "json");
        let json = serde_json::to_vec(entry)?;
        private::write(&path, &json).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes what a host that has ended left, unless somebody else has its place by now.
    pub(crate) fn remove(&self, entry: &Entry) {
        if !self.is_taken(entry) {
            let _ = fs::remove_file(self.file(&entry.name, "json"));
            let _ = fs::remove_file(self.file(&entry.name, "sock"));
        }
    }

    /// Waits for the right to look for a host and to start one.
    ///
    /// # Errors
    /// When the lock cannot be made, or somebody holds it for half a minute.
    pub(crate) async fn lock(&self) -> anyhow::Result<Lock> {
        let path = self.file("start", "lock");
        for _ in 0..1500 {
            // Cleaners may take the directory at any time.
            self.make()?;
            let locked = private::try_lock(&path).with_context(|| format!("cannot lock {}", path.display()));
            let hint = "see that there is room, or set XDG_RUNTIME_DIR to another directory of yours";
            if let Some(lock) = locked.hint(hint)? {
                return Ok(Lock(lock));
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        Err(anyhow::anyhow!("another alongside has held {} for half a minute", path.display()))
            .hint("see with `alongside status` and `ps` what it waits for")
    }

    /// Dials a host.
    ///
    /// # Errors
    /// When none listens there.
    pub(crate) async fn dial(&self, name: &str) -> std::io::Result<Stream> {
        Stream::connect(self.socket(name)?).await
    }

    /// Listens as a host, in place of one that has crashed.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub(crate) fn listen(&self, name: &str) -> anyhow::Result<Listener> {
        let _ = fs::remove_file(self.file(name, "sock"));
        self.bind(name).hint("set XDG_RUNTIME_DIR to another directory of yours, whose path is short")
    }

    /// Puts back what a cleaner has taken of a host that lives, or what there was no room for: the directory,
    /// the entry, the socket. Returns a new listener where the old one is not reached any more. What somebody
    /// else has put there in the meantime is left alone.
    ///
    /// # Errors
    /// When the disk does not let us.
    pub(crate) fn put_back(&self, entry: &Entry) -> anyhow::Result<Option<Listener>> {
        if !self.is_there(entry) && !self.is_taken(entry) {
            self.make()?;
            self.write(entry)?;
            tracing::warn!(directory = %self.directory.display(), "our files were not there; they are back");
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

    /// Whether something else has its place: a host that lives, or what somebody has put there.
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
        // Whoever listens after us may have taken the name by the time that we end.
        let listen = |socket| ListenerOptions::new().name(socket).reclaim_name(false).create_tokio();
        let listener = self.socket(name).and_then(listen);
        listener.with_context(|| format!("cannot listen at {}", self.file(name, "sock").display()))
    }

    fn socket(&self, name: &str) -> std::io::Result<Name<'static>> {
        let address = sockets::address(Os::HERE, &self.directory, name, &sockets::user());
        address.map_err(std::io::Error::other)?.to_fs_name::<GenericFilePath>()
    }

    fn file(&self, name: &str, extension: &str) -> PathBuf {
        self.directory.join(name).with_extension(extension)
    }
}
