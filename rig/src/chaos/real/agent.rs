//! A shipped agent's own client, kept alive over many rounds, for it costs a second to start. It finds its
//! companion by files as ever, but behind a proxy of its own: the files it sees are those of the companion
//! with the proxy's port in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::desk::signal;
use crate::ide_client::{RealClient, Release};
use crate::install::Rig;
use crate::sandbox::Sandbox;
use crate::wire::Proxy;

/// See the module. A clone is the same agent.
#[derive(Debug, Clone)]
pub(super) struct Agent(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    release: Release,
    client: RealClient,
    /// Its home and temporary directory: nobody else's, and no companion's.
    place: PathBuf,
    /// Of its connection: one before each companion there was when it looked.
    proxies: Mutex<Vec<Arc<Proxy>>>,
    /// Of the connections before that: clients that are told `/ide enable` do not close the last one.
    former: Mutex<Vec<Arc<Proxy>>>,
}

/// Where agents look, below a home and a temporary directory.
pub(super) const WHERE: [(&str, &str); 4] =
    [("home", ".qwen/ide"), ("tmp", ""), ("tmp", "gemini/ide"), ("tmp", "qwen/ide")];

impl Agent {
    /// Starts one that has not looked for a companion yet. `number` is its own within the sandbox.
    ///
    /// # Errors
    /// When the release cannot be loaded.
    pub(super) async fn start(rig: &Rig, sandbox: &Sandbox, release: Release, number: usize) -> Result<Self> {
        let place = sandbox.home().parent().context("a sandbox")?.join(format!("a{number}"));
        for directory in ["home", "tmp"] {
            fs::create_dir_all(place.join(directory))?;
        }
        let (home, tmp) = (place.join("home"), place.join("tmp"));
        let [home, tmp] = [&home, &tmp].map(|path| path.to_str().context("our own paths are UTF-8"));
        let (home, tmp) = (home?, tmp?);
        let environment = [("HOME", home), ("GEMINI_CLI_HOME", home), ("TMPDIR", tmp)];
        let client = RealClient::start_with(rig, sandbox, release, &environment).await?;
        let (proxies, former) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Inner { release, client, place, proxies, former })))
    }

    /// Which one it is.
    pub(super) fn release(&self) -> Release {
        self.0.release
    }

    /// What it is asked.
    pub(super) fn client(&self) -> &RealClient {
        &self.0.client
    }

    /// Its process.
    pub(super) fn pid(&self) -> Option<Pid> {
        Pid::from_raw(self.0.client.pid().cast_signed())
    }

    /// Sends it a signal.
    pub(super) fn signal(&self, what: Signal) {
        self.pid().into_iter().for_each(|pid| signal(pid, what));
    }

    /// What its connection passes.
    pub(super) fn proxies(&self) -> Vec<Arc<Proxy>> {
        self.0.proxies.lock().unwrap().clone()
    }

    /// Whether it can hear anything on its connection.
    pub(super) fn hears(&self) -> bool {
        self.proxies().iter().any(|proxy| proxy.listening().open > 0)
    }

    /// Shows it the companions there are, each through a new proxy, and has it look for one, as `/ide enable`
    /// does. Returns whether it then says that it is connected.
    ///
    /// # Errors
    /// When it does not answer.
    pub(super) async fn enable(&self, sandbox: &Sandbox) -> Result<bool> {
        let mut found = BTreeMap::new();
        for (root, below) in WHERE {
            for (_, record) in records(&companions(sandbox, root, below)) {
                if let Some(port) = port(&record) {
                    found.insert(port, ());
                }
            }
        }
        let mut proxies = BTreeMap::new();
        for port in found.into_keys() {
            proxies.insert(port, Arc::new(Proxy::before(port).await));
        }
        self.mirror(sandbox, &proxies)?;
        let last = std::mem::replace(&mut *self.0.proxies.lock().unwrap(), proxies.into_values().collect());
        self.0.former.lock().unwrap().extend(last);
        let status = self.client().try_to_connect().await?;
        let is_connected = status["status"] == "connected" && status["diffing"] == true;
        if !is_connected {
            eprintln!("{} says {status}; of {} companions", self.release(), self.proxies().len());
        }
        Ok(is_connected)
    }

    /// Ends its connections, as `/ide disable` does, and whatever it left of others.
    ///
    /// # Errors
    /// When it does not answer.
    pub(super) async fn disable(&self) -> Result<()> {
        let done = self.client().disconnect().await;
        self.0.proxies.lock().unwrap().clear();
        self.0.former.lock().unwrap().clear();
        done
    }

    /// Copies the companions' files, oldest first: agents take the newest of some.
    fn mirror(&self, sandbox: &Sandbox, proxies: &BTreeMap<u16, Arc<Proxy>>) -> Result<()> {
        for (root, below) in WHERE {
            let to = self.0.place.join(root).join(below);
            for (old, _) in records(&to) {
                fs::remove_file(old)?;
            }
            for (path, mut record) in records(&companions(sandbox, root, below)) {
                let Some((port, proxy)) = port(&record).and_then(|port| proxies.get_key_value(&port)) else {
                    continue;
                };
                let own = proxy.port;
                // Through a server on stdio it would go round the proxy.
                record.as_object_mut().and_then(|record| record.remove("stdio"));
                record["port"] = if record["port"].is_string() { own.to_string().into() } else { own.into() };
                let name = path.file_name().and_then(|name| name.to_str()).context("a record's name")?;
                fs::create_dir_all(&to)?;
                fs::write(to.join(name.replace(&port.to_string(), &own.to_string())), record.to_string())?;
            }
        }
        Ok(())
    }
}

/// A directory in which companions of this sandbox publish.
pub(super) fn companions(sandbox: &Sandbox, root: &str, below: &str) -> PathBuf {
    if root == "home" { sandbox.home() } else { sandbox.tmp() }.join(below)
}

fn port(record: &Value) -> Option<u16> {
    let number = record["port"].as_u64().and_then(|port| port.try_into().ok());
    number.or_else(|| record["port"].as_str()?.parse().ok())
}

/// The records in a directory, oldest first.
pub(super) fn records(directory: &Path) -> Vec<(PathBuf, Value)> {
    let paths = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let read = |path: PathBuf| {
        let record = serde_json::from_slice::<Value>(&fs::read(&path).ok()?).ok()?;
        record.get("port").is_some().then_some((path, record))
    };
    let mut records: Vec<_> = paths.filter_map(read).collect();
    let written = |path: &Path| path.metadata().and_then(|file| file.modified());
    records.sort_by_key(|(path, _)| written(path).unwrap_or(SystemTime::UNIX_EPOCH));
    records
}
