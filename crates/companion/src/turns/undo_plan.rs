//! The plan of a finish: of each marked file, whether it is undone, refused, or left to the agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_desk::{Marked, Turn, UndoneFile};

use super::marked_file::MarkedFile;
use super::source::{ChangeBack, TurnLook, Undo};

/// The marked files of a finish, in the order of the list.
#[derive(Debug, Default)]
pub(super) struct MarkedFiles {
    /// The files to undo. A file with the reason of a refusal is not written.
    pub(super) files: Vec<(PathBuf, UndoneFile)>,
    /// The files that the agent is asked to undo.
    pub(super) asked: Vec<(PathBuf, String)>,
}

/// The plan of a finish.
pub(super) struct UndoPlan {
    pub(super) undos: Vec<Undo>,
    pub(super) marked: MarkedFiles,
    /// The changes that `undos` revert, or that the agent is asked to revert.
    pub(super) back: Vec<ChangeBack>,
}

/// Plans to undo the marked changes of a list and its look, or with `asks` to ask the agent to undo them. A
/// file with unsaved changes in an editor is not written.
pub(super) fn undo_plan(
    look: &TurnLook,
    list: &Turn,
    files: &BTreeMap<PathBuf, MarkedFile>,
    is_dirty: &dyn Fn(&str, &Path) -> bool,
    asks: bool,
) -> UndoPlan {
    let mut plan = UndoPlan { undos: Vec::new(), marked: MarkedFiles::default(), back: Vec::new() };
    let marked = look.files.iter().zip(&list.files);
    for (found, listed) in marked.filter(|(_, listed)| listed.marked != Marked::Nothing) {
        let Some(file) = files.get(&found.path) else { continue };
        let Some(undo) = file.undo(listed.change) else { continue };
        let path = look.root.join(&found.path);
        let refused = match undo {
            Ok(_) if asks => {
                plan.back.push(file.change_back(listed));
                plan.marked.asked.push((found.path.clone(), listed.path.clone()));
                continue;
            }
            _ if is_dirty(&path.to_string_lossy(), &path) => {
                Some("an editor holds unsaved changes to it".to_owned())
            }
            Err(reason) => Some(reason),
            Ok(to) => {
                plan.back.push(file.change_back(listed));
                plan.undos.push(Undo { file: found.clone(), to });
                None
            }
        };
        let file = UndoneFile { path: listed.path.clone(), refused, draft: None };
        plan.marked.files.push((found.path.clone(), file));
    }
    plan
}
