//! Carries out a person's undo of changes. No other module writes into a project. The undo writes a file only
//! if it is still as the person saw it, and only with the text that they chose.

pub(crate) mod message_promises;
pub(crate) mod own_writes;
pub(crate) mod take_back;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use alongside_companion::drafts::Drafts;
use alongside_companion::private;
use alongside_companion::turns::source::{Undo, UndoTo};
use alongside_desk::{Author, FileChange, UndoneFile};
use alongside_platform::directory::Entry;
use alongside_platform::{files, paths};

use crate::error::Error;
use crate::git::tree_diff::SideKind;
use crate::snapshots::blobs::{self, Blob, Blobs};
use crate::snapshots::compared_trees::ComparedTrees;
use crate::snapshots::left_out_files::{self, LeftOuts, MAX_FILE, REPLACED, Why};
use crate::snapshots::tree_access::TreeAccess;
use crate::store::escaped_path::escape;
use crate::store::hash::hash;
use crate::store::turn_log::{Kind, Record, Undone};
use crate::working_tree::file_place::FilePlace;

const CHANGED: &str = "it has changed since it was shown";
const CHANGED_SINCE: &str = "it has changed since the undo";
/// The reason, for people, for keeping the text that is replaced when an undo is taken back.
pub const TAKEN_BACK: &str = "the text before you took an undo back";
/// The name in place of the agent's in a draft that an undo keeps.
pub const YOUR_UNDO: &str = "your undo";
const NOT_HELD: &str = "its earlier text is not kept";
const TAKEN: &str = "another file is in its place";
const DIRECTORY: &str = "there is a directory in its place";
/// The largest size of a link, or of a file that is compared, in bytes. No snapshot holds a larger file.
const MAX_READ: u64 = MAX_FILE + 1;

/// The number of files that one start of git reads. More files would fill the memory, fewer would start git
/// more often.
const FILES_PER_READ: usize = 16;

/// Undoes changes that one look has found.
#[derive(Debug)]
pub(crate) struct Undoing<'a> {
    access: &'a TreeAccess,
    state: &'a ComparedTrees,
    drafts: &'a Drafts,
    /// The files that the snapshot of the look leaves out: the person has not seen their content.
    left: LeftOuts,
    /// Whether the baseline has a directory, by path, so that git is asked only once for each.
    directories: RefCell<BTreeMap<PathBuf, bool>>,
    /// The reason for keeping a copy, for people.
    why: &'static str,
    /// Whether this takes an undo back.
    is_back: bool,
}

/// The undo of one path: the file that the person saw there, and the file that replaces it.
struct Step {
    path: PathBuf,
    shown: Option<Blob>,
    wanted: Option<Blob>,
    /// The permission bits of the new file, if it gets neither those of the current file nor the default
    /// ones.
    mode: Option<u32>,
    /// The author of the change that is undone or restored.
    author: Option<Author>,
}

impl Step {
    fn new(path: &Path, shown: Option<Blob>, wanted: Option<Blob>) -> Self {
        Self { path: path.to_owned(), shown, wanted, mode: None, author: None }
    }

    fn of(self, undo: &Undo) -> Self {
        Self { author: Some(undo.file.told.author), ..self }
    }

    /// Returns the permission bits of the present file, if this step removes them.
    fn lost_mode(&self, place: Option<&FilePlace>) -> Option<u32> {
        let shown = self.shown.as_ref().filter(|shown| shown.kind != SideKind::Link)?;
        let place = place.filter(|_| self.wanted.as_ref().is_none_or(|wanted| wanted.kind != shown.kind))?;
        files::mode(&place.directory.read(&place.name).and_then(|file| file.metadata()).ok()?)
    }
}

impl<'a> Undoing<'a> {
    pub(crate) fn new(access: &'a TreeAccess, state: &'a ComparedTrees, drafts: &'a Drafts) -> Self {
        let left = left_out_files::read(&access.store, state.left.as_deref());
        let (directories, why) = (RefCell::default(), "the text before you undid changes of a turn");
        Self { access, state, drafts, left, directories, why, is_back: false }
    }

    /// Takes an undo back: writes the text of before into the file, if the file is as the undo has left it.
    ///
    /// # Errors
    /// Why the file stays as it is.
    pub(crate) fn take_back(mut self, path: &Path, undone: &Undone, before: Vec<u8>) -> Result<(), Error> {
        // Where a way back is taken back in turn, the undo is made again.
        if !undone.is_back {
            (self.why, self.is_back) = (TAKEN_BACK, true);
        }
        if undone.before.as_ref() != Some(&hash(&before)) {
            return Err("the draft has changed since the undo".into());
        }
        let left = match &undone.after {
            None => None,
            Some(after) => {
                let place = FilePlace::find(&self.access.tree.top, path)?.ok_or(CHANGED_SINCE)?;
                let file = place.directory.read(&place.name).map_err(|_| CHANGED_SINCE)?;
                let found = file.metadata()?;
                let kind = if files::is_executable(&found) { SideKind::Program } else { SideKind::File };
                let bytes = place.read(MAX_READ).map_err(|_| CHANGED_SINCE)?;
                Some(Blob { kind, bytes }).filter(|left| hash(&left.bytes) == *after)
            }
        };
        if left.is_some() != undone.after.is_some() {
            return Err(CHANGED_SINCE.into());
        }
        let kind = match (undone.mode, &left) {
            (Some(mode), _) if mode & 0o100 == 0 => SideKind::File,
            (Some(_), _) => SideKind::Program,
            (None, left) => left.as_ref().map_or(SideKind::File, |left| left.kind),
        };
        let wanted = Some(Blob { kind, bytes: before });
        let step = Step { mode: undone.mode, author: undone.author, ..Step::new(path, left, wanted) };
        let done = self.step(&step).map(drop);
        done.map_err(|fault| if fault == CHANGED.into() { CHANGED_SINCE.into() } else { fault })
    }

    /// Undoes the changes of these files. The answers have the order of `files`. New files are removed first,
    /// so that a new directory makes room for the file that was in its place. A file whose place is still
    /// taken is tried again after the others.
    pub(crate) fn undo(&self, files: &[Undo]) -> Vec<UndoneFile> {
        let goes = |undo: &Undo| undo.to == UndoTo::Baseline && undo.file.told.change == FileChange::Added;
        let (first, then): (Vec<usize>, Vec<usize>) = (0..files.len()).partition(|at| goes(&files[*at]));
        let mut waiting: Vec<usize> = first.into_iter().chain(then).collect();
        let mut done: Vec<Option<Result<Option<String>, Error>>> = files.iter().map(|_| None).collect();
        loop {
            let mut refused = Vec::new();
            for some in waiting.chunks(FILES_PER_READ) {
                let blobs = self.blobs(some.iter().map(|at| &files[*at]));
                for at in some {
                    let undone = match &blobs {
                        Ok(blobs) => self.undo_one(&files[*at], blobs),
                        Err(fault) => Err(fault.clone()),
                    };
                    if undone.is_err() {
                        refused.push(*at);
                    }
                    done[*at] = Some(undone);
                }
            }
            if refused.is_empty() || refused.len() == waiting.len() {
                break;
            }
            waiting = refused;
        }
        let answer = |(undo, undone): (&Undo, Option<Result<Option<String>, Error>>)| {
            let path = undo.file.told.path.clone();
            match undone.unwrap_or(Ok(None)) {
                Ok(draft) => UndoneFile { path, refused: None, draft },
                Err(fault) => UndoneFile { path, refused: Some(fault.to_string()), draft: None },
            }
        };
        files.iter().zip(done).map(answer).collect()
    }

    /// Undoes the change of one file. Returns the path of the copy of the replaced text.
    fn undo_one(&self, undo: &Undo, blobs: &Blobs) -> Result<Option<String>, Error> {
        let path = &undo.file.path;
        match &undo.to {
            UndoTo::Text { shown, wanted } => {
                let place = FilePlace::find(&self.access.tree.top, path)?.ok_or(CHANGED)?;
                let file = place.directory.read(&place.name).map_err(|_| CHANGED)?;
                let found = file.metadata()?;
                // The permissions of the file stay as they are.
                let kind = if files::is_executable(&found) { SideKind::Program } else { SideKind::File };
                let blob = |bytes: &Vec<u8>| Some(Blob { kind, bytes: bytes.clone() });
                self.step(&Step::new(path, blob(shown), blob(wanted)).of(undo))
            }
            UndoTo::Baseline => {
                let shown = blobs.now(path)?;
                let earlier = undo.file.from.as_ref().unwrap_or(path);
                let wanted = blobs.before(earlier)?;
                // The baseline may leave out a file that was here. Its text is not in the store, and removing
                // the present file would lose that one, too.
                let is_new = undo.file.told.change == FileChange::Added;
                let is_lost = wanted.is_none() && (!is_new || shown.is_none());
                let left = self.left.get(&paths::to_bytes(path));
                if left.is_some_and(|left| left.why == Why::Special) && wanted.is_some() {
                    return Err(REPLACED.into());
                }
                if is_lost || left.is_some() || undo.file.told.path.ends_with('/') {
                    return Err(NOT_HELD.into());
                }
                if earlier == path {
                    return self.step(&Step::new(path, shown, wanted).of(undo));
                }
                // The file is back under its earlier name before its later name is removed.
                let gone = Step::new(path, shown, None).of(undo);
                self.check(&gone)?;
                let restored = Step::new(earlier, None, wanted).of(undo);
                self.check(&restored)
                    .map_err(|fault| if fault == CHANGED.into() { TAKEN.into() } else { fault })?;
                self.step(&restored)?;
                self.step(&gone)
            }
        }
    }

    /// Reads the contents of these files at the baseline and in the look.
    fn blobs<'b>(&self, files: impl Iterator<Item = &'b Undo>) -> Result<Blobs, Error> {
        let whole: Vec<_> = files.filter(|undo| undo.to == UndoTo::Baseline).map(|undo| &undo.file).collect();
        let earlier: Vec<&Path> =
            whole.iter().map(|file| &**file.from.as_ref().unwrap_or(&file.path)).collect();
        let now: Vec<&Path> = whole.iter().map(|file| &*file.path).collect();
        Blobs::read(self.access, (&self.state.before, &earlier), (&self.state.now, &now))
    }

    /// Checks that a file is as the person saw it and that this process may write it, and returns its place.
    fn check(&self, step: &Step) -> Result<Option<FilePlace>, Error> {
        let Some(place) = FilePlace::find(&self.access.tree.top, &step.path)? else {
            return if step.shown.is_none() { Ok(None) } else { Err(CHANGED.into()) };
        };
        self.check_at(step, &place).map(|()| Some(place))
    }

    fn check_at(&self, step: &Step, place: &FilePlace) -> Result<(), Error> {
        let entry = place.entry()?;
        let is_as_shown = match (&step.shown, entry) {
            (None, None) => return Ok(()),
            (None, Some(Entry::Directory)) => {
                // A directory without anything makes room.
                return place.directory.remove_empty(&place.name).map_err(|_| DIRECTORY.into());
            }
            (Some(blob), Some(Entry::Link)) if blob.kind == SideKind::Link => {
                let target = place.directory.link_target(&place.name)?;
                paths::to_bytes(&target) == blob.bytes
            }
            (Some(blob), Some(Entry::File)) if blob.kind != SideKind::Link => {
                let file = place.directory.read(&place.name)?;
                let found = file.metadata()?;
                if !files::is_ours(&found) {
                    return Err("it belongs to another user".into());
                }
                if files::has_other_names(&file, &found) {
                    return Err("it has several names (hard links)".into());
                }
                if found.permissions().readonly() {
                    return Err("it is write-protected".into());
                }
                let is_program = files::mode(&found).is_none() || files::is_executable(&found);
                let has_mode =
                    files::mode(&found).is_none() || is_program == (blob.kind == SideKind::Program);
                has_mode && place.read(MAX_READ)? == blob.bytes
            }
            _ => false,
        };
        if is_as_shown { Ok(()) } else { Err(CHANGED.into()) }
    }

    /// Replaces one file. Before that, the replaced text is in a copy, and the undo is in the log.
    fn step(&self, step: &Step) -> Result<Option<String>, Error> {
        let place = self.check(step)?;
        let copy = step.shown.as_ref().map(|shown| self.keep(&step.path, shown)).transpose()?.flatten();
        let hash_of = |blob: &Option<Blob>| blob.as_ref().map(|blob| hash(&blob.bytes));
        let undone = Undone {
            path: escape(&paths::to_bytes(&step.path)),
            before: hash_of(&step.shown),
            copy: copy.clone(),
            after: hash_of(&step.wanted),
            mode: step.lost_mode(place.as_ref()),
            is_back: self.is_back,
            author: step.author,
        };
        let record = Record { undone: Some(undone), ..Record::new(Kind::Undo, alongside_desk::now_ms()) };
        self.access
            .store
            .log()
            .append(&record)
            .map_err(|error| Error::other(format!("the log cannot be written: {error}")))?;
        let written = match &step.wanted {
            Some(wanted) => {
                let place = FilePlace::make_way(&self.access.tree.top, &step.path)?;
                self.write(step, &place, wanted)
            }
            None => self.remove(step),
        };
        written.map(|()| copy)
    }

    fn write(&self, step: &Step, place: &FilePlace, wanted: &Blob) -> Result<(), Error> {
        if wanted.kind == SideKind::Link {
            let target = paths::from_bytes(&wanted.bytes).ok_or("its target is no path here")?;
            let begin = |name: &std::ffi::OsStr| place.directory.make_link(name, &target);
            // The present link is compared once more, just before it is replaced.
            let finish = |(): &mut ()| self.check_at(step, place).map_err(std::io::Error::other);
            return Ok(private::in_one_step(&place.directory, &place.name, begin, finish)?);
        }
        let old = place.directory.read(&place.name).and_then(|file| file.metadata());
        let old = old.ok().filter(|_| step.shown.as_ref().is_some_and(|shown| shown.kind != SideKind::Link));
        let begin = |name: &std::ffi::OsStr| match old {
            Some(_) => place.directory.create(name),
            None => place.directory.create_usual(name),
        };
        let finish = |file: &mut File| {
            file.write_all(&wanted.bytes)?;
            if let Some(old) = &old {
                files::give_to(file, old)?;
                file.set_permissions(old.permissions())?;
            }
            let found = file.metadata()?;
            if let Some(permissions) = step.mode.and_then(files::permissions) {
                file.set_permissions(permissions)?;
            } else if files::is_executable(&found) != (wanted.kind == SideKind::Program) {
                file.set_permissions(files::with_execution(&found, wanted.kind == SideKind::Program))?;
            }
            file.sync_all()?;
            self.check_at(step, place).map_err(std::io::Error::other)
        };
        private::in_one_step(&place.directory, &place.name, begin, finish)?;
        Ok(())
    }

    /// Removes a file, and then each empty directory above it that the baseline does not have.
    fn remove(&self, step: &Step) -> Result<(), Error> {
        let place = self.check(step)?.ok_or(CHANGED)?;
        place.directory.remove(&place.name)?;
        for above in step.path.ancestors().skip(1).take_while(|above| above.file_name().is_some()) {
            let place = FilePlace::find(&self.access.tree.top, above).ok().flatten();
            let Some(place) = place.filter(|_| !self.was_there(above)) else { break };
            if place.directory.remove_empty(&place.name).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the baseline has a directory. If git cannot tell, it counts as there, and is not removed.
    fn was_there(&self, directory: &Path) -> bool {
        let ask = || blobs::has_directory(self.access, &self.state.before, directory).unwrap_or(true);
        *self.directories.borrow_mut().entry(directory.to_owned()).or_insert_with(ask)
    }

    /// Keeps a copy of the replaced content where the person finds it: a text as a draft, other bytes in the
    /// store. The target of a link is not kept: it is in the snapshot.
    fn keep(&self, path: &Path, shown: &Blob) -> Result<Option<String>, Error> {
        if shown.kind == SideKind::Link {
            return Ok(None);
        }
        let kept = match std::str::from_utf8(&shown.bytes) {
            Ok(text) => {
                let file = self.access.tree.top.join(path).to_string_lossy().into_owned();
                self.drafts.keep(&file, YOUR_UNDO, self.why, text)
            }
            Err(_) => {
                let directory = self.access.store.file("undone");
                let copy = directory.join(&hash(&shown.bytes)[..32]);
                alongside_platform::private::create_directories(&directory)
                    .and_then(|()| private::write(&copy, &shown.bytes))
                    .map(|()| copy)
            }
        };
        let failed = |error| Error::other(format!("its text cannot be kept as a draft: {error}"));
        let kept = kept.map_err(failed)?;
        Ok(Some(kept.to_string_lossy().into_owned()))
    }
}
