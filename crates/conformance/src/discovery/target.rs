//! The companion to check: the one that an agent would find here, or one that the person names.

use std::path::{Path, PathBuf};

use alongside_agent::Endpoint;
use alongside_agent::find::{self, LockSearch, Surroundings};
use alongside_agent::wire::Connection;
use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::discovery::{IdeInfo, Record, join_roots};
use alongside_contract::family::{FoundBy, LOCKS, Transport};
use alongside_contract::lock_file::{self, LockFile};
use alongside_platform::paths::Canonical as _;

use crate::discovery::record_file;
use crate::time::clock::within;

/// A companion to be checked.
#[derive(Debug, Clone)]
pub struct Target {
    /// The host to connect to, `127.0.0.1` by default.
    pub host: String,
    /// How to connect.
    pub record: Record,
    /// The discovery file with that record; none if the person named the port and the token.
    pub file: Option<PathBuf>,
    /// The directories and variables by which agents would search for its files.
    pub here: Surroundings,
    /// The transport of agents' messages to the companion.
    pub transport: Transport,
}

/// Why there is nothing to check.
#[derive(Debug, thiserror::Error)]
pub enum NoTarget {
    /// No agent would find a companion.
    #[error("no companion serves {}", .0.display())]
    NoneHere(PathBuf),
    /// Several locks hold the directory.
    #[error(
        "an agent in {} connects to no companion, because the locks of several hold it: ports {ports}",
        cwd.display()
    )]
    SeveralLocks {
        /// The directory.
        cwd: PathBuf,
        /// Their ports.
        ports: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// The file is not a record.
    #[error("{} is not a discovery file: {why}", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// Why.
        why: serde_json::Error,
    },
}

impl Target {
    /// Returns the companion that this agent would try first, or any agent: Gemini CLI, then Qwen Code, then
    /// the other rows of the table, then any record whose workspace holds the current directory. For an agent
    /// with a WebSocket, returns the companion whose lock file holds that directory.
    ///
    /// # Errors
    /// When no companion serves the directory, or agents would take none of several.
    pub fn find(agent: Option<FamilyAgent>, here: Surroundings) -> Result<Self, NoTarget> {
        if let Some(search) = agent.and_then(|agent| find::locks(agent, &here)) {
            return Self::by_lock(search, here);
        }
        let agents: Vec<FamilyAgent> = match agent {
            Some(agent) => vec![agent],
            None => with_family().collect(),
        };
        let serves = |record: &Record| find::holds(&record.workspace_path, &here.cwd);
        let first = agents
            .into_iter()
            .flat_map(|agent| find::candidates(agent, &here).found)
            .find(|found| serves(&found.record))
            .map(|found| (found.path, found.record));
        let any = || {
            let mut records = find::all_records(&here).into_iter();
            let record = records.find(|(_, record)| agent.is_none() && serves(record));
            record.map(|(path, record)| (Some(path), record))
        };
        match first.or_else(any) {
            Some((file, record)) => Ok(Self::over_http(record, file, here)),
            None => Err(NoTarget::NoneHere(here.cwd)),
        }
    }

    fn over_http(record: Record, file: Option<PathBuf>, here: Surroundings) -> Self {
        Self { host: local(), record, file, here, transport: Transport::Http }
    }

    fn by_lock(search: LockSearch, here: Surroundings) -> Result<Self, NoTarget> {
        let locks: Vec<find::Lock> = match search {
            LockSearch::ByVariable(lock) => vec![lock],
            LockSearch::Holding(locks) => locks,
            LockSearch::WithoutToken(_) => Vec::new(),
        };
        match locks.as_slice() {
            [] => Err(NoTarget::NoneHere(here.cwd)),
            [lock] => Ok(Self::locked(lock.port, &lock.content, Some(lock.path.clone()), here)),
            several => {
                let ports: Vec<String> = several.iter().map(|lock| lock.port.to_string()).collect();
                Err(NoTarget::SeveralLocks { cwd: here.cwd, ports: ports.join(", ") })
            }
        }
    }

    fn locked(port: u16, lock: &LockFile, file: Option<PathBuf>, here: Surroundings) -> Self {
        let name = lock.ide_name.clone();
        let record = Record {
            workspace_path: join_roots(lock.workspace_folders.iter().map(String::as_str)).unwrap_or_default(),
            auth_token: Some(lock.auth_token.clone()).filter(|token| !token.is_empty()),
            ide_info: Some(IdeInfo { name: String::new(), display_name: name }),
            ppid: Some(lock.pid),
            writer: lock.writer.clone(),
            ..bare(port)
        };
        Self { host: local(), record, file, here, transport: Transport::WebSocket }
    }

    /// Returns the companion of a discovery file; for an agent that reads lock files, that of a lock file.
    ///
    /// # Errors
    /// When the file cannot be read, is not a discovery file, or is a lock without a port in its name.
    pub fn in_file(path: &Path, agent: Option<FamilyAgent>, here: Surroundings) -> Result<Self, NoTarget> {
        let unreadable = |why| NoTarget::Unreadable { path: path.to_owned(), why };
        let path = path.canonical().map_err(unreadable)?;
        let json = record_file::record(&path).map_err(unreadable)?;
        let no_record = |why| NoTarget::NoRecord { path: path.clone(), why };
        match agent.map(|agent| &agent.family.found_by) {
            Some(FoundBy::Lock(_)) => {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let no_port = || unreadable(std::io::Error::other("its name is not PORT.lock"));
                let port = lock_file::port_in(name).ok_or_else(no_port)?;
                let lock = serde_json::from_slice(&json).map_err(no_record)?;
                Ok(Self::locked(port, &lock, Some(path), here))
            }
            Some(FoundBy::DiscoveryFiles(_)) | None => {
                Ok(Self::over_http(serde_json::from_slice(&json).map_err(no_record)?, Some(path), here))
            }
        }
    }

    /// Returns the endpoint of the companion.
    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::at(self.host.clone(), self.record.port)
    }

    /// Whether a program listens there.
    pub async fn is_there(&self) -> bool {
        let endpoint = self.endpoint();
        let dialled = Connection::dial(&endpoint);
        matches!(within(std::time::Duration::from_secs(5), dialled).await, Some(Ok(_)))
    }

    /// Returns the companion that listens on a port. Searches for its discovery file as `agent` would, or as
    /// any agent would.
    pub fn at(port: u16, token: Option<String>, agent: Option<FamilyAgent>, here: Surroundings) -> Self {
        let mut target = match agent.map(|agent| &agent.family.found_by) {
            Some(FoundBy::Lock(_)) => {
                let path = here.resolve(LOCKS).join(lock_file::name(port));
                Self::in_file(&path, agent, here.clone()).unwrap_or_else(|_| Self {
                    transport: Transport::WebSocket,
                    ..Self::over_http(bare(port), None, here)
                })
            }
            Some(FoundBy::DiscoveryFiles(_)) | None => {
                let mut all = find::all_records(&here).into_iter();
                let known = all.find(|(_, record)| {
                    record.port == port && (token.is_none() || record.auth_token == token)
                });
                let (file, record) = known.map_or((None, bare(port)), |(file, record)| (Some(file), record));
                Self::over_http(record, file, here)
            }
        };
        target.record.auth_token = token.or(target.record.auth_token);
        target
    }
}

fn local() -> String {
    "127.0.0.1".into()
}

/// Returns a record with only the port.
fn bare(port: u16) -> Record {
    Record {
        port,
        workspace_path: String::new(),
        auth_token: None,
        ide_info: None,
        ppid: None,
        ide_name: None,
        stdio: None,
        writer: None,
    }
}
