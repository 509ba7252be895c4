//! Takes an undo back: writes the text of before the undo back into its file, if the file is still as the
//! undo has left it. A message that no agent has read yet no longer mentions that undo.

use std::path::Path;
use std::time::{Duration, Instant};

use alongside_platform::paths;

use crate::comments::lock;
use crate::error::Error;
use crate::snapshots::compared_trees::ComparedTrees;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::comment_line::Line;
use crate::store::comment_state::Round;
use crate::store::escaped_path::escape;
use crate::store::tree_store::TreeStore;
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::Record;
use crate::undo::Undoing;
use crate::working_tree::WorkingTree;

/// The longest time that the calls of git take together.
const PATIENCE: Duration = Duration::from_secs(30);

/// See the module. Keeps the working tree open and its log in memory from one file to the next.
#[derive(Debug)]
pub struct TakeBack<'a> {
    dirs: &'a TurnDirs,
    opened: Option<Opened>,
}

/// A working tree, and the undos in its log at the time of opening, newest first.
#[derive(Debug)]
struct Opened {
    access: TreeAccess,
    undone: Vec<Record>,
}

impl<'a> TakeBack<'a> {
    /// Takes undos back in any working tree that has a store below these directories.
    pub fn new(dirs: &'a TurnDirs) -> Self {
        Self { dirs, opened: None }
    }

    /// Writes a draft that an undo has kept back into its file. The text that it replaces becomes a draft.
    ///
    /// # Errors
    /// When the log knows no undo that has kept this draft, the file has changed since that undo, or the file
    /// cannot be written.
    pub fn write(&mut self, file: &Path, draft: &Path) -> Result<(), Error> {
        let unknown = || Error::other("it is not known as the text before an undo");
        // The undo may have removed the directories of a new file.
        let above = file.ancestors().skip(1).find(|above| above.is_dir()).ok_or_else(unknown)?;
        let tree = self.dirs.working_tree(above).map_err(|_| unknown())?;
        let below = file.strip_prefix(&tree.top).map_err(|_| unknown())?.to_owned();
        if !TreeStore::of(self.dirs.state(), &tree.top).file("log").exists() {
            return Err(unknown());
        }
        let opened = match self.opened.take() {
            Some(opened) if opened.access.tree.top == tree.top => opened,
            _ => Opened::open(self.dirs, tree)?,
        };
        let Opened { access, undone } = &*self.opened.insert(opened);
        let (path, copy) = (escape(&paths::to_bytes(&below)), draft.to_string_lossy());
        let is_it = |copied: &Option<String>| copied.as_deref() == Some(&*copy);
        let mut records = undone.iter().filter_map(|record| Some((record.at, record.undone.as_ref()?)));
        let found = records.find(|(_, undone)| undone.path == path && is_it(&undone.copy));
        let (at, undone) = found.ok_or_else(unknown)?;
        let text = std::fs::read(draft)?;
        let (nothing, drafts) = (
            ComparedTrees { before: String::new(), now: String::new(), left: None, at: 0 },
            self.dirs.drafts(),
        );
        Undoing::new(access, &nothing, &drafts).take_back(&below, undone, text)?;
        // No message is about an undo that was taken back already.
        if !undone.is_back
            && let Err(fault) = tell_no_more(&access.store, &path, at)
        {
            tracing::warn!(%fault, "a message tells of an undo that was taken back");
        }
        Ok(())
    }
}

/// Removes the undo of a file at a time from the message about it, if no agent has read the message.
fn tell_no_more(store: &TreeStore, path: &str, undone_at: u64) -> Result<(), Error> {
    let _lock = lock(store)?;
    let log = store.comments();
    let all = log.read()?;
    // A finish undoes first and sends then, so its round is no older than the undo.
    let mut rounds = all.rounds.iter().filter(|round| round.at >= undone_at);
    let tells = |round: &&Round| round.undone.iter().any(|change| escape(change.path.as_bytes()) == path);
    if let Some(round) = rounds.find(tells).filter(|round| round.read.is_none()) {
        let (round, path) = (round.number, path.to_owned());
        log.append([&Line::TakenBack { round, path, at: alongside_desk::now_ms() }])?;
    }
    Ok(())
}

impl Opened {
    fn open(dirs: &TurnDirs, tree: WorkingTree) -> Result<Self, Error> {
        let access = TreeAccess::open(dirs, tree, Instant::now() + PATIENCE)?;
        let undone = access.store.log().read()?.into_iter().rev().filter(|it| it.undone.is_some()).collect();
        Ok(Self { access, undone })
    }
}
