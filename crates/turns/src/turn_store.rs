//! The store of turns, as the [`TurnSource`] from which the companion reads and writes it.

use std::fmt::Debug;
use std::path::Path;
use std::time::{Duration, Instant};

use alongside_companion::turns::source::{
    Feedback, FoundFile, NewComment, NewRound, TurnLook, TurnNote, TurnSource, TurnTexts, Undo,
};
use alongside_desk::{CommentId, FileChange, Lines, Refusal, TurnMessage, UndoneFile};
use alongside_platform::directory::Entry;

use crate::comments;
use crate::comments::comment_list;
use crate::comments::file_texts::FileTexts;
use crate::error::Error;
use crate::git::tree_diff::SideKind;
use crate::lines::line_changes::LineChanges;
use crate::sessions::open_turns::open_turns;
use crate::snapshots::blobs;
use crate::snapshots::compared_trees::{ComparedTrees, baseline};
use crate::snapshots::left_out_files::MAX_FILE;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::comment_line::Trees;
use crate::store::tree_store::TreeStore;
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::{Kind, Record};
use crate::turn_review::accepted_changes::accepted_lines;
use crate::turn_review::finish::{finish, seen};
use crate::turn_review::look::look;
use crate::turn_review::notes;
use crate::undo::Undoing;
use crate::undo::message_promises::{broken, promise};
use crate::working_tree::file_place::FilePlace;

/// The time limit of a look. It is long because the first look may read every file of a project.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The refusal of a look whose snapshot has a name that this store never returned.
const UNKNOWN_LOOK: &str = "this look is none of the store's";

/// The stores of all working trees of this user.
#[derive(Debug, Clone)]
pub struct TurnStore {
    dirs: TurnDirs,
}

impl TurnStore {
    /// Creates the stores of these directories. Reads and writes nothing yet.
    pub fn new(dirs: TurnDirs) -> Self {
        Self { dirs }
    }

    fn access(&self, directory: &Path) -> Result<TreeAccess, Error> {
        TreeAccess::open(&self.dirs, self.dirs.working_tree(directory)?, Instant::now() + TIME_LIMIT)
    }

    /// Opens the working tree of a look, and parses the names of the trees that the look has compared.
    fn open_look(&self, look: &TurnLook) -> Result<(TreeAccess, ComparedTrees), Error> {
        let state = ComparedTrees::of_name(&look.snapshot).ok_or(UNKNOWN_LOOK)?;
        Ok((self.access(&look.root)?, state))
    }

    /// Writes a note if a hook has created the store of the file's working tree. A note alone creates no
    /// store.
    fn keep_note(&self, file: &Path, note: &TurnNote) -> Result<bool, Error> {
        let tree = file.parent().and_then(|parent| self.dirs.working_tree(parent).ok());
        let Some(tree) = tree else { return Ok(false) };
        let below = file.strip_prefix(&tree.top).map(Path::to_owned);
        let has_log = TreeStore::of(self.dirs.state(), &tree.top).file("log").exists();
        let Some(below) = below.ok().filter(|_| has_log) else { return Ok(false) };
        notes::add(&TreeAccess::open(&self.dirs, tree, Instant::now() + TIME_LIMIT)?, &below, note)
    }

    /// Sends the list of undone changes in place of a process that died between its undo and its message.
    fn keep_broken_promise(&self, access: &TreeAccess) -> Result<(), Error> {
        let top = &access.tree.top;
        let Some((state, round, promise)) = broken(&access.store, top)? else { return Ok(()) };
        let look = TurnLook { root: top.clone(), snapshot: state.name(), ..TurnLook::default() };
        match comments::send(&self.dirs, &look, &round, round_trees(access, &state)) {
            Ok(_) => Ok(()),
            Err(fault) => {
                promise.leave();
                Err(fault)
            }
        }
    }

    fn texts_of(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, Error> {
        if let Some(why) = &file.told.without_text {
            return Err(Error::other(why));
        }
        let (access, state) = self.open_look(look)?;
        let earlier = file.from.as_ref().unwrap_or(&file.path);
        let before = blobs::read(&access, &state.before, earlier)?;
        let before = match before {
            Some(blob) if blob.kind == SideKind::Link => return Err("it was a symbolic link".into()),
            blob => blob.map(|blob| blob.bytes),
        };
        let place = match file.told.change {
            // A directory may be in the place of a deleted file, or a link on the way to it.
            FileChange::Deleted => None,
            _ => FilePlace::find(&look.root, &file.path)?,
        };
        let now = match place {
            None => None,
            Some(place) => match place.entry()? {
                None => None,
                Some(Entry::File) => Some(place.read(MAX_FILE)?),
                Some(Entry::Link) => return Err("it is a symbolic link".into()),
                Some(Entry::Directory) => return Err("it is a directory".into()),
                Some(Entry::Other) => return Err("it is no regular file".into()),
            },
        };
        let new = new_lines(&access, &state, &file.path, now.as_deref());
        let notes = notes::read(&access.store);
        let accepted = accepted_lines(&access, &notes, &file.path, before.as_deref(), now.as_deref());
        let accepted = accepted.inspect_err(|fault| tracing::warn!(%fault, "what was accepted is not known"));
        Ok(TurnTexts { before, now, new, accepted: accepted.unwrap_or_default() })
    }
}

/// Returns the trees of a round that is sent now. Later looks compare with these trees to find the agent's
/// answer.
fn round_trees(access: &TreeAccess, state: &ComparedTrees) -> Option<Trees> {
    let sent = seen(access, state);
    let sent = sent.inspect_err(|fault| tracing::warn!(%fault, "the files of a round are not known"));
    Some(Trees { shown: state.now.clone(), sent: sent.ok()? })
}

/// Returns the lines of a text on disk that have changed since the last round; `None` if the whole text is
/// new.
fn new_lines(
    access: &TreeAccess,
    look: &ComparedTrees,
    path: &Path,
    now: Option<&[u8]>,
) -> Option<Vec<Lines>> {
    let rounds = access.store.comments().read().ok()?.rounds;
    let trees = rounds.last()?.trees.as_ref().filter(|trees| trees.sent != look.before)?;
    let then = blobs::read(access, &trees.sent, path).ok()??;
    let changes =
        LineChanges::between(std::str::from_utf8(&then.bytes).ok()?, std::str::from_utf8(now?).ok()?);
    let lines = changes.all().iter().map(|change| Lines { start: change.new.start, end: change.new.end });
    Some(lines.collect())
}

impl TurnSource for TurnStore {
    fn look(&self, directory: &Path, since: Option<&str>) -> Result<TurnLook, String> {
        let look = self.access(directory).and_then(|access| {
            if let Err(fault) = self.keep_broken_promise(&access) {
                tracing::warn!(%fault, "what was undone before a crash is not told yet");
            }
            look(&access, since)
        });
        look.map_err(|fault| fault.to_string())
    }

    fn has_turns(&self, directory: &Path) -> bool {
        let Ok(tree) = self.dirs.working_tree(directory) else { return false };
        let log = TreeStore::of(self.dirs.state(), &tree.top).log().read();
        let is_unseen = |log: &[Record]| {
            let since = baseline(log).map(|place| &log[place..]);
            since.is_some_and(|since| since.iter().any(|record| record.kind == Kind::Prompt))
        };
        log.is_ok_and(|log| is_unseen(&log) || !open_turns(&log).is_empty())
    }

    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String> {
        self.texts_of(look, file).map_err(|fault| fault.to_string())
    }

    fn undo(&self, look: &TurnLook, files: &[Undo]) -> Vec<UndoneFile> {
        match self.open_look(look) {
            Ok((access, state)) => Undoing::new(&access, &state, &self.dirs.drafts()).undo(files),
            Err(fault) => {
                let refused = |undo: &Undo| UndoneFile {
                    path: undo.file.told.path.clone(),
                    refused: Some(fault.to_string()),
                    draft: None,
                };
                files.iter().map(refused).collect()
            }
        }
    }

    fn finish(&self, look: &TurnLook) {
        if let Err(fault) = self.open_look(look).and_then(|(access, state)| finish(&access, &state)) {
            tracing::warn!(%fault, "the end of a review is not remembered");
        }
    }

    fn note(&self, file: &Path, note: &TurnNote) -> bool {
        self.keep_note(file, note).unwrap_or_else(|fault| {
            tracing::warn!(%fault, "a note on a file of a turn is not kept");
            false
        })
    }

    fn feedback(&self, look: &TurnLook) -> Result<Feedback, String> {
        let found = self.open_look(look).and_then(|(access, state)| {
            let mut texts = FileTexts::of_look(&access, Some(&state.before), &look.files);
            Ok(comment_list::of_store(&access.store, &mut texts)?)
        });
        found.map_err(|fault| fault.to_string())
    }

    fn add_comment(&self, look: &TurnLook, comment: &NewComment) -> Result<(), Refusal> {
        comments::add(&self.dirs, &look.root, comment)
    }

    fn change_comment(&self, look: &TurnLook, id: CommentId, text: &str) -> Result<(), Refusal> {
        let opened = self.open_look(look).ok();
        let mut texts = opened
            .as_ref()
            .map(|(access, state)| FileTexts::of_look(access, Some(&state.before), &look.files));
        comments::change(&self.dirs, &look.root, id, text, texts.as_mut())
    }

    fn promise(&self, look: &TurnLook, round: &NewRound) -> Option<Box<dyn Debug + Send>> {
        let promised = self.access(&look.root).and_then(|access| {
            self.keep_broken_promise(&access)?;
            promise(&access.store, &look.snapshot, round)
        });
        let promised = promised.inspect_err(|fault| tracing::warn!(%fault, "a round is not promised"));
        Some(Box::new(promised.ok()?))
    }

    fn send(&self, look: &TurnLook, round: &NewRound) -> Result<Option<TurnMessage>, String> {
        let state = ComparedTrees::of_name(&look.snapshot).ok_or(UNKNOWN_LOOK)?;
        // Without the trees, the message is still sent. Only the agent's answer is not found later.
        let trees = self.access(&look.root).ok().and_then(|access| round_trees(&access, &state));
        comments::send(&self.dirs, look, round, trees).map_err(|fault| fault.to_string())
    }
}
