//! The end of a turn review: makes the next baseline, which holds the files as the person saw them, after
//! their undos.

use std::collections::BTreeSet;
use std::fs;

use crate::error::Error;
use crate::git::index_records::{remove_record, set_record};
use crate::git::tree_diff;
use crate::snapshots::compared_trees::ComparedTrees;
use crate::snapshots::left_out_files;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::escaped_path::unescape;
use crate::store::turn_log::{Kind, Record};

/// Writes into the log that the review of a look is finished. A change on disk since the look that no undo
/// made belongs to the next review, since the person has not seen it.
///
/// # Errors
/// When git fails, or a file cannot be read or written.
pub(crate) fn finish(access: &TreeAccess, look: &ComparedTrees) -> Result<(), Error> {
    let record = Record {
        tree: Some(seen(access, look)?),
        finished: Some(alongside_desk::now_ms()),
        left: look.left.clone(),
        head: access.head(),
        branch: access.tree.repository.as_ref().and_then(|repository| repository.branch()),
        ..Record::new(Kind::Finish, look.at)
    };
    left_out_files::keep(&access.store, &left_out_files::read(&access.store, look.left.as_deref()))?;
    Ok(access.store.log().append(&record)?)
}

/// Returns the tree of the files as a look has shown them, but with the current text of files that were
/// undone since.
///
/// # Errors
/// When git fails, or a file cannot be read or written.
pub(crate) fn seen(access: &TreeAccess, look: &ComparedTrees) -> Result<String, Error> {
    let undone: BTreeSet<Vec<u8>> = {
        let since = access.store.log().read()?.into_iter().filter(|record| record.at >= look.at);
        since.filter_map(|record| Some(unescape(&record.undone?.path))).collect()
    };
    if undone.is_empty() {
        return Ok(look.now.clone());
    }
    let taken = access.take_look_snapshot()?;
    let mut records = Vec::new();
    for difference in tree_diff::plain(&access.git, &taken.tree, &look.now)? {
        if !undone.contains(&difference.path) {
            let (path, now) = (&difference.path, &difference.now);
            match now.exists() {
                true => set_record(&mut records, &now.mode, &now.object, path),
                false => remove_record(&mut records, &now.object, path),
            }
        }
    }
    if records.is_empty() {
        return Ok(taken.tree);
    }
    let index = access.store.file(&format!("finish-index-{}", std::process::id()));
    let git = access.git.with_index(&index);
    let made = git
        .run(["read-tree", &taken.tree], None)
        .and_then(|_| git.run(["update-index", "--replace", "-z", "--index-info"], Some(records)))
        .and_then(|_| git.line(["write-tree", "--missing-ok"], None));
    // The index was needed only to write this tree.
    let _ = fs::remove_file(&index);
    made
}
