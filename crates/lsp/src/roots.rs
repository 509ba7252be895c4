//! The projects that an editor has open, read from `initialize` and from changes of its workspace folders.

use std::path::{Path, PathBuf};

use alongside_desk::Request;
use alongside_platform::files;
use serde_json::Value;

use crate::uri;

/// Entries that lie at the top of a repository.
const REPOSITORY_MARKERS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// Returns the directories that `initialize` names; `fallback` if it names none that exists.
pub(crate) fn from_initialize(params: &Value, fallback: &Path) -> Vec<PathBuf> {
    let mut roots = from_folders(params.get("workspaceFolders"));
    if roots.is_empty() {
        let root = params.get("rootUri").and_then(Value::as_str).and_then(uri::to_path);
        let path = || params.get("rootPath").and_then(Value::as_str).map(PathBuf::from);
        let root = root.or_else(path).filter(|root| root.is_absolute());
        roots.extend(root.map(|root| without_trailing_slash(&root)));
    }
    roots.retain(|root| root.is_dir());
    if roots.is_empty() {
        roots.push(fallback.to_owned());
    }
    roots.dedup();
    roots
}

/// Returns the paths of an array of `WorkspaceFolder`.
pub(crate) fn from_folders(folders: Option<&Value>) -> Vec<PathBuf> {
    let folders = folders.and_then(Value::as_array).into_iter().flatten();
    let paths = folders.filter_map(|folder| uri::to_path(folder.get("uri")?.as_str()?));
    paths.map(|path| without_trailing_slash(&path)).collect()
}

/// Removes the slash with which some editors end the path of a folder.
fn without_trailing_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Returns the top of the repository around a directory.
pub fn repository(dir: &Path) -> Option<&Path> {
    let is_top = |dir: &&Path| REPOSITORY_MARKERS.iter().any(|marker| dir.join(marker).exists());
    dir.ancestors().find(is_top)
}

/// Returns the top of the repository around a directory, unless it belongs to a user who owns neither the
/// directory nor this process, and who is not root: above a shared directory, any user can make a repository
/// of everything below.
pub fn trusted_repository(dir: &Path) -> Option<&Path> {
    let top = repository(dir)?;
    let beside = dir.metadata().ok()?;
    let is_trusted = |found: std::fs::Metadata| files::is_of_nobody_else(&found, &beside);
    let is_marked = |marker: &&str| top.join(marker).symlink_metadata().is_ok_and(is_trusted);
    let is_marked = REPOSITORY_MARKERS.iter().any(is_marked);
    (is_marked && top.metadata().is_ok_and(is_trusted)).then_some(top)
}

/// Returns the repositories around some roots. Editors take the folder of the nearest manifest for a root,
/// one for each language; but agents start at the top of the project, and all servers of an editor must join
/// one companion.
pub(crate) fn repositories(roots: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut repositories = Vec::new();
    for root in roots {
        let repository = trusted_repository(&root).map_or_else(|| root.clone(), Path::to_owned);
        if !repositories.contains(&repository) {
            repositories.push(repository);
        }
    }
    repositories
}

/// Applies a change of workspace folders to `roots`. Returns the request that reports it to a companion, if
/// any is needed.
pub(crate) fn apply_change(
    roots: &mut Vec<PathBuf>,
    mut added: Vec<PathBuf>,
    mut removed: Vec<PathBuf>,
) -> Option<Request> {
    // A project stays if one of its folders closes and another one opens.
    removed.retain(|root| !added.contains(root));
    roots.retain(|root| !removed.contains(root));
    added.retain(|root| root.is_dir() && !roots.contains(root));
    roots.extend(added.iter().cloned());
    request(added, removed)
}

/// Returns the request that brings a companion from the roots `known` to it to the `current` ones, if they
/// differ.
pub(crate) fn difference(known: &[PathBuf], current: &[PathBuf]) -> Option<Request> {
    let without = |roots: &[PathBuf], others: &[PathBuf]| -> Vec<PathBuf> {
        roots.iter().filter(|root| !others.contains(root)).cloned().collect()
    };
    request(without(current, known), without(known, current))
}

fn request(added: Vec<PathBuf>, removed: Vec<PathBuf>) -> Option<Request> {
    (!added.is_empty() || !removed.is_empty()).then_some(Request::ChangeRoots { added, removed })
}
