//! Files that a companion of ours left behind when it was killed. One stale file can hide a living companion,
//! for agents try a single one. Only files that say we wrote them, and whose server does not answer to their
//! token, go.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alongside_contract::discovery::{Record, WRITER};
use alongside_contract::family::FAMILIES;
use alongside_contract::{proof, token};
use alongside_platform::directory::Directory;
use alongside_platform::{random, untrusted};

use super::locations;
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::private_files::{self, Copies};

/// A record is a few hundred bytes; whatever is larger than this is something else.
const MAX_BYTES: u64 = 1 << 20;

const PATIENCE: Duration = Duration::from_millis(500);

/// How much of an answer is read, in bytes: a proof's head is some two hundred.
const MAX_HEAD: usize = 4 << 10;

/// A discovery file that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where it is: its path may lead elsewhere by now.
    pub(crate) directory: Arc<Directory>,
    pub(crate) path: PathBuf,
    pub(crate) record: Record,
}

/// All discovery files of ours, of any process.
pub(crate) fn ours(dirs: &AppDirs) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for row in FAMILIES.iter().flat_map(|family| family.files) {
        for directory in dirs.resolve(row.directory).iter().filter_map(|place| place.open().ok()) {
            let directory = Arc::new(directory);
            let names = directory.names().unwrap_or_default();
            let ours = names.iter().filter(|name| name.to_str().is_some_and(|name| row.matches(name)));
            found.extend(ours.filter_map(|name| read_ours(&directory, name)));
        }
    }
    // A name with one number in it may be of two rows.
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found.dedup_by(|one, other| one.path == other.path);
    found
}

/// Reads a file if it is one of ours. Anybody can put something under our names in a shared place.
pub(crate) fn read_ours(directory: &Arc<Directory>, name: &OsStr) -> Option<Found> {
    let json = untrusted::read_ours(directory, name, MAX_BYTES).ok()?;
    let record: Record = serde_json::from_slice(&json).ok()?;
    let path = directory.path().join(name);
    (record.writer.as_deref() == Some(WRITER)).then(|| Found { directory: directory.clone(), path, record })
}

impl Found {
    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Whether it leads to whoever has this token.
    fn has_token(&self, token: &str) -> bool {
        self.record.auth_token.as_deref().is_some_and(|known| token::split(known).0 == token)
    }

    /// What it says now.
    pub(crate) fn again(&self) -> Option<Record> {
        read_ours(&self.directory, self.name()).map(|found| found.record)
    }

    /// Whether its name is nobody's. A link is not what anybody has written there.
    pub(crate) fn is_free(&self) -> bool {
        !self.directory.has(self.name())
    }

    /// Whether another user has put something under its name.
    pub(crate) fn is_anothers(&self) -> bool {
        self.directory.is_anothers(self.name())
    }

    /// Writes it, in one step.
    pub(crate) fn write(&self, copies: &mut Copies) -> io::Result<()> {
        copies.put(&self.directory, self.name(), serde_json::to_vec(&self.record)?)
    }
}

/// Removes a file while it still says what it said.
pub(crate) fn remove(found: &Found) {
    if found.again().is_some_and(|now| now.is_same_companion(&found.record)) {
        // Somebody else may have done so just now.
        let _ = found.directory.remove(found.name());
    }
}

/// Whether the companion of this record listens on its port: whoever does has to [prove](proof) that it knows
/// the token. The token itself stays here, for anybody may have the port by now. Blocks for half a second at
/// most.
pub(crate) fn answers(record: &Record) -> bool {
    let ask = || -> io::Result<bool> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, record.port));
        let Some(token) = record.auth_token.as_deref() else { return Ok(false) };
        let nonce = random::hex::<32>()?;
        let until = Instant::now() + PATIENCE;
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "GET /status HTTP/1.1\r\nHost: {address}\r\n{}: {nonce}\r\nConnection: close\r\n\r\n",
            proof::NONCE_HEADER
        )?;
        let mut head = Vec::new();
        // Whoever listens may say little at a time.
        while !head.ends_with(b"\r\n\r\n") && head.len() < MAX_HEAD {
            let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            stream.set_read_timeout(Some(left))?;
            let mut piece = [0; 512];
            match stream.read(&mut piece)? {
                0 => break,
                read if until > Instant::now() => head.extend_from_slice(&piece[..read]),
                _ => return Ok(false),
            }
        }
        let head = String::from_utf8_lossy(&head);
        let mut given = head.lines().filter_map(|line| line.split_once(": "));
        let given = given.find(|(name, _)| name.eq_ignore_ascii_case(proof::PROOF_HEADER));
        Ok(given.is_some_and(|(_, given)| proof::is_proven(token, &nonce, address, given)))
    };
    ask().unwrap_or(false)
}

/// Removes what the dead left behind, and tells which files that were. Blocks.
pub(crate) fn sweep(dirs: &AppDirs, own_token: &str) -> Vec<PathBuf> {
    let rows = FAMILIES.iter().flat_map(|family| family.files);
    rows.flat_map(|row| dirs.resolve(row.directory))
        .filter_map(|place| place.open().ok())
        .for_each(|directory| private_files::remove_unfinished_in(&directory));
    let mut removed = Vec::new();
    let mut asked: Vec<(Record, bool)> = Vec::new();
    // One that has our port and another token is of a predecessor whose token is burned.
    for found in ours(dirs).into_iter().filter(|found| !found.has_token(own_token)) {
        let known =
            asked.iter().find(|(record, _)| record.is_same_companion(&found.record)).map(|(_, alive)| *alive);
        let alive = known.unwrap_or_else(|| answers(&found.record));
        if known.is_none() {
            asked.push((found.record.clone(), alive));
        }
        if !alive {
            tracing::info!(path = %found.path.display(), "removing a stale discovery file");
            remove(&found);
            removed.push(found.path);
        }
    }
    locations::remove_empty(dirs);
    removed
}

/// Removes the discovery files of companions of ours that do not answer any more, and tells which that were.
/// Blocks for half a second for each of them.
pub fn remove_stale_files(dirs: &AppDirs) -> Vec<PathBuf> {
    // No companion has this token.
    sweep(dirs, "")
}
