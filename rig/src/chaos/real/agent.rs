//! A shipped agent's own client, which stays for many rounds because its start takes a second. The client
//! finds companions by discovery files: copies of the companions' files, in which a proxy's port replaces the
//! companion's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal};

use super::discovery_files::{DIRECTORIES, all_published, port, published_in, read_all};
use crate::chaos::processes::signal;
use crate::ide_client::RealClient;
use crate::install::Rig;
use crate::release::Release;
use crate::sandbox::Sandbox;
use crate::wire::Proxy;

/// An agent's client. Clones share the client.
#[derive(Debug, Clone)]
pub(super) struct Agent(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    release: Release,
    client: RealClient,
    /// The parent of the agent's home and temporary directories.
    directory: PathBuf,
    /// A proxy in front of each companion of the last search.
    proxies: Mutex<Vec<Arc<Proxy>>>,
    /// The proxies of earlier searches: `/ide enable` does not close the last connection.
    former: Mutex<Vec<Arc<Proxy>>>,
}

impl Agent {
    /// Starts an agent that has not yet searched for a companion. `number` is unique in the sandbox.
    pub(super) async fn start(rig: &Rig, sandbox: &Sandbox, release: Release, number: usize) -> Result<Self> {
        let parent = sandbox
            .home()
            .parent()
            .context("the home of the sandbox has no parent directory")?
            .join(format!("a{number}"));
        for directory in ["home", "tmp"] {
            fs::create_dir_all(parent.join(directory))?;
        }
        let (home, tmp) = (parent.join("home"), parent.join("tmp"));
        let [home, tmp] =
            [&home, &tmp].map(|path| path.to_str().context("a path of the sandbox is not UTF-8"));
        let (home, tmp) = (home?, tmp?);
        let environment = [("HOME", home), ("GEMINI_CLI_HOME", home), ("TMPDIR", tmp)];
        let client = RealClient::start_with(rig, sandbox, release, &environment).await?;
        let (proxies, former) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Inner { release, client, directory: parent, proxies, former })))
    }

    pub(super) fn release(&self) -> Release {
        self.0.release
    }

    /// The driven client.
    pub(super) fn client(&self) -> &RealClient {
        &self.0.client
    }

    /// The process id of the client.
    pub(super) fn pid(&self) -> Pid {
        self.0.client.pid()
    }

    /// Sends a signal to the client.
    pub(super) fn signal(&self, what: Signal) {
        signal(self.pid(), what);
    }

    /// The proxies of the last search.
    pub(super) fn proxies(&self) -> Vec<Arc<Proxy>> {
        self.0.proxies.lock().unwrap().clone()
    }

    /// Whether the agent has an open stream.
    pub(super) fn has_stream(&self) -> bool {
        self.proxies().iter().any(|proxy| proxy.listening().open > 0)
    }

    /// Publishes the running companions to the agent, each behind a new proxy, and makes the agent search, as
    /// `/ide enable` does. Returns whether the agent then reports a connection.
    pub(super) async fn enable(&self, sandbox: &Sandbox) -> Result<bool> {
        let ports: BTreeSet<_> = all_published(sandbox).filter_map(|(_, record)| port(&record)).collect();
        let mut proxies = BTreeMap::new();
        for port in ports {
            proxies.insert(port, Arc::new(Proxy::before(port).await));
        }
        self.mirror(sandbox, &proxies)?;
        let last = std::mem::replace(&mut *self.0.proxies.lock().unwrap(), proxies.into_values().collect());
        self.0.former.lock().unwrap().extend(last);
        let status = self.client().try_to_connect().await?;
        let is_connected = status["status"] == "connected" && status["diffing"] == true;
        if !is_connected {
            eprintln!(
                "{} reports {status}; it could choose from {} companions",
                self.release(),
                self.proxies().len()
            );
        }
        Ok(is_connected)
    }

    /// Ends the agent's connections, as `/ide disable` does, and the connections of earlier searches.
    pub(super) async fn disable(&self) -> Result<()> {
        let done = self.client().disconnect().await;
        self.0.proxies.lock().unwrap().clear();
        self.0.former.lock().unwrap().clear();
        done
    }

    /// Copies the companions' discovery files, the oldest first: some agents use the newest file.
    fn mirror(&self, sandbox: &Sandbox, proxies: &BTreeMap<u16, Arc<Proxy>>) -> Result<()> {
        for (root, below) in DIRECTORIES {
            let to = self.0.directory.join(root).join(below);
            for (old, _) in read_all(&to) {
                fs::remove_file(old)?;
            }
            for (path, mut record) in read_all(&published_in(sandbox, root, below)) {
                let Some((port, proxy)) = port(&record).and_then(|port| proxies.get_key_value(&port)) else {
                    continue;
                };
                let own = proxy.port;
                // A stdio server would bypass the proxy.
                if let Some(record) = record.as_object_mut() {
                    record.remove("stdio");
                }
                record["port"] = if record["port"].is_string() { own.to_string().into() } else { own.into() };
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .context("the file has no name in UTF-8")?;
                fs::create_dir_all(&to)?;
                fs::write(to.join(name.replace(&port.to_string(), &own.to_string())), record.to_string())?;
            }
        }
        Ok(())
    }
}
