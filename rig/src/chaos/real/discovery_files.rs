//! The discovery files of a sandbox.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// The directories in which agents search, below the home or the temporary directory.
pub(super) const DIRECTORIES: [(&str, &str); 4] =
    [("home", ".qwen/ide"), ("tmp", ""), ("tmp", "gemini/ide"), ("tmp", "qwen/ide")];

/// The path of one of these directories for the sandbox's companions.
pub(super) fn published_in(sandbox: &Sandbox, root: &str, below: &str) -> PathBuf {
    if root == "home" { sandbox.home() } else { sandbox.tmp() }.join(below)
}

/// Reads all discovery files of the sandbox's companions.
pub(super) fn all_published(sandbox: &Sandbox) -> impl Iterator<Item = (PathBuf, Value)> {
    DIRECTORIES.iter().flat_map(|(root, below)| read_all(&published_in(sandbox, root, below)))
}

/// Reads the ports and tokens in all discovery files, without the name of the family in a token.
pub(super) fn ports_and_tokens(sandbox: &Sandbox) -> BTreeSet<(u16, String)> {
    let pairs = all_published(sandbox).filter_map(|(_, record)| {
        let token = record["authToken"].as_str()?;
        let port = u16::try_from(record["port"].as_u64()?).ok()?;
        Some((port, alongside_contract::token::split(token).0.to_owned()))
    });
    pairs.collect()
}

/// Returns the port in a discovery file, which has it as a number or as text.
pub(super) fn port(record: &Value) -> Option<u16> {
    let number = record["port"].as_u64().and_then(|port| port.try_into().ok());
    number.or_else(|| record["port"].as_str()?.parse().ok())
}

/// Reads the discovery files in a directory, the oldest first.
pub(super) fn read_all(directory: &Path) -> Vec<(PathBuf, Value)> {
    let paths = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let read = |path: PathBuf| {
        let record = serde_json::from_slice::<Value>(&fs::read(&path).ok()?).ok()?;
        record.get("port").is_some().then_some((path, record))
    };
    let mut records: Vec<_> = paths.filter_map(read).collect();
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified());
    records.sort_by_key(|(path, _)| modified(path).unwrap_or(SystemTime::UNIX_EPOCH));
    records
}
