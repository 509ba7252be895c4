//! Notes on files, beside the snapshots. A note records that a person accepted a proposal before it was
//! written, or saved a file in an editor. Notes are on disk, so that a later companion reads them, too.

use std::io;
use std::path::Path;

use alongside_companion::private;
use alongside_companion::turns::source::TurnNote;
use alongside_platform::paths;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::snapshots::compared_trees::baseline;
use crate::snapshots::left_out_files::MAX_FILE;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::escaped_path::{escape, unescape};
use crate::store::file_lock::FileLock;
use crate::store::json_lines;
use crate::store::tree_store::{NOTES, TreeStore};

/// The lock that a process holds while it writes notes.
const LOCK: &str = "notes-lock";

/// A note: an event of one file, as a line on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Note {
    /// The time at which the note was written, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
    /// The path relative to the top, escaped.
    path: String,
    #[serde(flatten)]
    pub(crate) kind: NoteKind,
}

/// The event of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum NoteKind {
    /// The person accepted a text before it was written: the git objects of the file before and after.
    Accepted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
        after: String,
    },
    /// The person has saved the file in an editor.
    Saved,
    /// An event of a newer version.
    #[serde(other)]
    Other,
}

impl Note {
    /// Returns the path relative to the top, byte for byte.
    pub(crate) fn path(&self) -> Vec<u8> {
        unescape(&self.path)
    }
}

/// Returns every note that can be read, oldest first. If the file of notes cannot be read, the list is empty,
/// and no change counts as accepted.
pub(crate) fn read(store: &TreeStore) -> Vec<Note> {
    let notes = json_lines::read(&store.file(NOTES));
    notes.inspect_err(|error| tracing::warn!(%error, "the notes on files cannot be read")).unwrap_or_default()
}

/// Adds a note on a file, with its path `relative` to the top, if there is a baseline and snapshots hold the
/// file. Returns whether a note was added, because a look then shows something new.
///
/// # Errors
/// When git fails, or the notes cannot be written.
pub(crate) fn add(access: &TreeAccess, relative: &Path, note: &TurnNote) -> Result<bool, Error> {
    let log = access.store.log().read()?;
    if baseline(&log).is_none() || !is_in_snapshots(access, relative)? {
        return Ok(false);
    }
    let kind = match note {
        TurnNote::Accepted(text) => {
            let is_small = |bytes: &[u8]| u64::try_from(bytes.len()).is_ok_and(|size| size <= MAX_FILE);
            if !is_small(&text.after) || !text.before.as_deref().is_none_or(is_small) {
                return Ok(false);
            }
            let object =
                |bytes: &Vec<u8>| access.git.line(["hash-object", "-w", "--stdin"], Some(bytes.clone()));
            let (before, after) = (text.before.as_ref().map(object).transpose()?, object(&text.after)?);
            NoteKind::Accepted { before, after }
        }
        TurnNote::Saved => NoteKind::Saved,
    };
    let note = Note { at: alongside_desk::now_ms(), path: escape(&paths::to_bytes(relative)), kind };
    let _lock = access.store.lock(LOCK, access.git.until())?;
    // An editor may save every few seconds, so a file is noted as saved once after each record of the log.
    let since = log.last().map_or(0, |record| record.at);
    let is_known = |known: &Note| known.at >= since && (&known.path, &known.kind) == (&note.path, &note.kind);
    if note.kind == NoteKind::Saved && read(&access.store).iter().any(is_known) {
        return Ok(false);
    }
    json_lines::append(&access.store.file(NOTES), [&note])?;
    Ok(true)
}

/// Whether snapshots hold this file. Snapshots leave out files that git ignores or a person excludes.
fn is_in_snapshots(access: &TreeAccess, relative: &Path) -> Result<bool, Error> {
    if access.exclusions.exclude(relative) {
        return Ok(false);
    }
    let index = access.index("index");
    let git = access.git.with_index(&access.store.file("index"));
    let args = ["ls-files", "-c", "-o", "-z", "--exclude-standard"].map(std::ffi::OsString::from);
    let rest = index.exclude_from().into_iter().chain(["--".into(), relative.as_os_str().to_owned()]);
    Ok(!git.run(args.into_iter().chain(rest), None)?.is_empty())
}

/// Removes the notes from before a time, in milliseconds since the Unix epoch. Removes nothing while another
/// process writes notes. Returns the git objects that the remaining notes need.
///
/// # Errors
/// When the notes cannot be written.
pub(crate) fn trim(store: &TreeStore, oldest: u64) -> io::Result<Vec<String>> {
    let Some(_lock) = FileLock::take(&store.file(LOCK))? else {
        return Ok(read(store).iter().flat_map(objects).collect());
    };
    let all = read(store);
    let kept: Vec<&Note> = all.iter().filter(|note| note.at >= oldest).collect();
    if kept.len() < all.len() {
        private::write(&store.file(NOTES), &json_lines::text(kept.iter().copied())?)?;
    }
    Ok(kept.into_iter().flat_map(objects).collect())
}

fn objects(note: &Note) -> Vec<String> {
    match &note.kind {
        NoteKind::Accepted { before, after } => before.iter().chain([after]).cloned().collect(),
        NoteKind::Saved | NoteKind::Other => Vec::new(),
    }
}
