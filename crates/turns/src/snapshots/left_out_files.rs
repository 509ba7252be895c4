//! The list of files that a snapshot does not hold. Each file has a stamp that differs once the file has
//! changed, so that a turn review can still list the file.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use alongside_companion::private;
use alongside_platform::directory::Entry;
use alongside_platform::untrusted::{self, Whose};
use alongside_platform::{files, paths};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::store::escaped_path::{escape, unescape};
use crate::store::hash::hash;
use crate::store::tree_store::TreeStore;
use crate::working_tree::file_place::FilePlace;
use crate::working_tree::repository::Repository;

/// The largest file that a snapshot holds, in bytes.
pub(crate) const MAX_FILE: u64 = 8 << 20;
/// The largest list that is read, in bytes.
const MAX_LIST: u64 = 64 << 20;
/// The reason for neither showing nor undoing a file that a pipe, a socket or a device has replaced.
pub(crate) const REPLACED: &str = "something that is no file has replaced it";

/// The reason why a snapshot does not hold a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Why {
    /// The file is larger than [`MAX_FILE`].
    Large,
    /// The file is excluded, because it mostly holds secrets.
    Excluded,
    /// The path is a nested repository.
    Repository,
    /// The path is a pipe, a socket or a device.
    Special,
    /// The file cannot be read.
    Unreadable,
    /// Git cannot hold a file of this name.
    Name,
}

impl Why {
    /// Returns the reason for people.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Large => "it is larger than 8 MB",
            Self::Excluded => "it is excluded: such files mostly hold secrets",
            Self::Repository => "it is a repository of its own",
            Self::Special => "it is no regular file",
            Self::Unreadable => "it cannot be read",
            Self::Name => "git cannot hold a file of this name",
        }
    }
}

/// A file that a snapshot does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The reason why the file is left out.
    pub(crate) why: Why,
    /// A text that differs once the file has changed.
    pub(crate) stamp: String,
}

/// The files that a snapshot does not hold, by their path below the top.
pub(crate) type LeftOuts = BTreeMap<Vec<u8>, LeftOut>;

/// A file of the list, in its form on disk.
#[derive(Serialize, Deserialize)]
struct Row {
    path: String,
    why: Why,
    stamp: String,
}

/// Writes a list to disk and returns its name; `None` for an empty list.
///
/// # Errors
/// When the list cannot be written.
pub(crate) fn keep(store: &TreeStore, left: &LeftOuts) -> Result<Option<String>, Error> {
    if left.is_empty() {
        return Ok(None);
    }
    let row = |(path, file): (&Vec<u8>, &LeftOut)| Row {
        path: escape(path),
        why: file.why,
        stamp: file.stamp.clone(),
    };
    let rows: Vec<Row> = left.iter().map(row).collect();
    let bytes = serde_json::to_vec(&rows).map_err(|error| Error::other(error.to_string()))?;
    let name = hash(&bytes)[..32].to_owned();
    let directory = store.file("left");
    if !directory.join(&name).exists() {
        alongside_platform::private::create_directories(&directory)?;
        private::write(&directory.join(&name), &bytes)?;
    }
    Ok(Some(name))
}

/// Reads a list by its name. A list that is gone counts as empty.
pub(crate) fn read(store: &TreeStore, name: Option<&str>) -> LeftOuts {
    let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some(name) = name.filter(is_name) else { return LeftOuts::new() };
    let bytes = untrusted::read(&store.file("left").join(name), MAX_LIST, Whose::Ours).unwrap_or_default();
    let rows: Vec<Row> = serde_json::from_slice(&bytes).unwrap_or_default();
    let file = |row: Row| (unescape(&row.path), LeftOut { why: row.why, stamp: row.stamp });
    rows.into_iter().map(file).collect()
}

/// Adds the paths at which there is a pipe, a socket or a device. Git lists such a path only once: when git
/// removes the file that was there from its index.
pub(crate) fn add_special<'p>(top: &Path, paths: impl IntoIterator<Item = &'p [u8]>, left: &mut LeftOuts) {
    for path in paths {
        let Some(below) = paths::from_bytes(path).filter(|_| !left.contains_key(path)) else { continue };
        let place = FilePlace::find(top, &below).ok().flatten();
        if place.is_some_and(|place| matches!(place.entry(), Ok(Some(Entry::Other))))
            && let Ok(found) = top.join(&below).symlink_metadata()
        {
            let stamp = stamp(Why::Special, &below, &found);
            left.insert(path.to_vec(), LeftOut { why: Why::Special, stamp });
        }
    }
}

/// Returns the stamp of a file that is left out.
pub(crate) fn stamp(why: Why, path: &Path, found: &Metadata) -> String {
    let nanos = |at: Option<SystemTime>| {
        let since = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        since.map_or(0, |since| since.as_nanos())
    };
    match why {
        // Such a file mostly holds secrets, so the store has its name and time, but not its size.
        Why::Excluded => nanos(files::changed_at(found)).to_string(),
        Why::Repository => commit_of(path).unwrap_or_default(),
        Why::Large | Why::Special | Why::Unreadable | Why::Name => {
            format!("{}:{}", found.len(), nanos(files::changed_at(found)))
        }
    }
}

/// Returns the commit that a nested repository has checked out, read from its files without git.
fn commit_of(top: &Path) -> Option<String> {
    Repository::of_top(top)?.commit()
}
