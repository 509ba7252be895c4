//! One turn review: the last look at its working tree, and the files in which something is marked or open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{
    Baseline, Changed, CommentId, FileChange, OpenedTurnFile, Refusal, ReviewId, Turn, TurnFile, TurnId,
    harmless,
};

use super::comment_work::{self, CommentWork};
use super::file_texts::{KnownTexts, Stretches};
use super::job::LookKey;
use super::marked_file::MarkedFile;
use super::request::CommentRequest;
use super::source::{Feedback, FoundFile, NewComment, TurnLook};
use super::undo_plan::{UndoPlan, undo_plan};
use crate::ids::DeskId;
use crate::reviews::reviewed_text::{Edit, ReviewedText};

/// The turn review of one working tree.
#[derive(Debug)]
pub(super) struct TurnReview {
    /// The directory and the revision of the last look.
    key: LookKey,
    look: Arc<TurnLook>,
    /// The comments of the working tree, and the route of messages to its agent.
    feedback: Feedback,
    /// The number of the last look. The result of a look with a lower number is out of date.
    look_number: u64,
    /// The list as desks get it, with its revision.
    list: Turn,
    /// The number of the list, which rises with every change, even if the revision of the list stays.
    edition: u64,
    /// The files that are open or have marks.
    files: BTreeMap<PathBuf, MarkedFile>,
    /// The number of marks that each file has lost, until a person marks something in it.
    lost: BTreeMap<PathBuf, usize>,
    /// The desks that have requested this turn review.
    requesters: BTreeSet<DeskId>,
    /// The edition of the list that each desk got last.
    sent_editions: BTreeMap<DeskId, u64>,
    /// Whether the marked changes are being undone; true until the next look has ended.
    is_finishing: bool,
}

impl TurnReview {
    pub(super) fn new(id: TurnId, key: LookKey, look: TurnLook, number: u64) -> Self {
        let root = look.root.to_string_lossy().into_owned();
        let mut new = Self {
            key,
            feedback: look.feedback.clone(),
            look: Arc::new(look),
            look_number: number,
            list: Turn { id, root, ..Turn::default() },
            edition: 0,
            files: BTreeMap::new(),
            lost: BTreeMap::new(),
            requesters: BTreeSet::new(),
            sent_editions: BTreeMap::new(),
            is_finishing: false,
        };
        new.renew_list();
        new
    }

    pub(super) fn key(&self) -> &LookKey {
        &self.key
    }

    pub(super) fn look(&self) -> &Arc<TurnLook> {
        &self.look
    }

    pub(super) fn list(&self) -> &Turn {
        &self.list
    }

    pub(super) fn revision(&self) -> u64 {
        self.list.revision
    }

    /// Whether this is the turn review of this working tree since this revision.
    pub(super) fn is_of(&self, root: &Path, since: Option<&str>) -> bool {
        self.look.root == root && self.key.since.as_deref() == since
    }

    /// Whether only desks that request this turn review get it.
    pub(super) fn is_private(&self) -> bool {
        self.key.since.is_some()
    }

    /// Whether the agent with this process is at work.
    pub(super) fn is_at_work(&self, pid: u32) -> bool {
        self.look.at_work.iter().any(|open| open.process == Some(pid))
    }

    pub(super) fn is_finishing(&self) -> bool {
        self.is_finishing
    }

    /// Whether the look with this number is older than the list.
    pub(super) fn is_outdated(&self, number: u64) -> bool {
        number < self.look_number
    }

    /// Checks that the marks of the list of this revision may change.
    ///
    /// # Errors
    /// If the list has another revision, or the marked changes are being undone.
    pub(super) fn check_markable(&self, revision: u64) -> Result<(), Refusal> {
        self.check_revision(revision)?;
        if !self.is_finishing {
            return Ok(());
        }
        let words = "the marked changes are being undone at this moment: look again when that is done";
        Err(Refusal::Other { words: words.to_owned() })
    }

    /// Checks the revision of a request.
    ///
    /// # Errors
    /// If the list has another revision.
    pub(super) fn check_revision(&self, revision: u64) -> Result<(), Refusal> {
        if revision == self.list.revision { Ok(()) } else { Err(Refusal::NoSuchTurn) }
    }

    /// Returns the file at this index of the list.
    ///
    /// # Errors
    /// If the list has no such file.
    pub(super) fn at(&self, file: usize) -> Result<&FoundFile, Refusal> {
        let out_of_range = || Refusal::OutOfRange { place: format!("file {}", file.saturating_add(1)) };
        self.look.files.get(file).ok_or_else(out_of_range)
    }

    pub(super) fn find_file(&self, path: &Path) -> Option<&FoundFile> {
        self.look.files.iter().find(|found| found.path == path)
    }

    // Looks.

    /// Takes a look that is newer than the list. Returns the files whose texts are to be read again.
    pub(super) fn take_look(&mut self, key: LookKey, look: TurnLook, number: u64) -> Vec<PathBuf> {
        let before = std::mem::replace(&mut self.look, Arc::new(look));
        (self.key, self.look_number) = (key, number);
        self.set_feedback(&self.look.feedback.clone());
        let (earlier, current) = (files_by_path(&before), files_by_path(&self.look));
        let mut to_read = Vec::new();
        for (path, file) in &mut self.files {
            let (was, now) = (earlier.get(&**path), current.get(&**path));
            let lost = match now {
                None => file.close(),
                Some(now) if now.told.without_undo => file.close(),
                Some(now) if was.is_some_and(|was| is_same(was, now)) => 0,
                Some(now) => {
                    let is_gone = |found: &&FoundFile| found.told.change == FileChange::Deleted;
                    file.mark_outdated(was.is_some_and(is_gone) != is_gone(now))
                }
            };
            add_lost_marks(&mut self.lost, path, lost);
            let is_open = file.has_text() && !was.zip(now).is_some_and(|(was, now)| is_same(was, now));
            if is_open || file.lacks_text() {
                to_read.push(path.clone());
            }
        }
        self.lost.retain(|path, _| current.contains_key(&**path) || earlier.contains_key(&**path));
        self.remove_idle_files();
        to_read
    }

    /// Takes the comments and messages, unless the review has newer ones.
    pub(super) fn set_feedback(&mut self, feedback: &Feedback) {
        if feedback.revision >= self.feedback.revision {
            self.feedback.clone_from(feedback);
        }
    }

    /// Removes the files without marks and desks, after either has changed.
    fn remove_idle_files(&mut self) {
        self.files.retain(|_, file| !file.is_idle());
    }

    /// Computes the list again. Its revision rises if a request on the old list would have another effect
    /// now.
    pub(super) fn renew_list(&mut self) {
        let look = &*self.look;
        let with_marks = |found: &FoundFile| {
            let file = self.files.get(&found.path);
            let marked = file.map(|file| file.marked(found.told.change)).unwrap_or_default();
            TurnFile { marked, ..found.told.clone() }
        };
        let lost = self.lost.iter().map(|(path, marks)| {
            let were = if *marks == 1 { "1 mark was".to_owned() } else { format!("{marks} marks were") };
            let found = look.files.iter().find(|found| found.path == *path);
            let why = found.and_then(|found| found.told.no_undo_words());
            format!("{were} lost: {} {}", harmless::path(path), why.as_deref().unwrap_or("changed"))
        });
        let list = Turn {
            baseline: Baseline { asked: self.key.since.clone(), ..look.baseline.clone() },
            files: look.files.iter().map(with_marks).collect(),
            remarks: look.remarks.iter().cloned().chain(lost).collect(),
            comments: self.feedback.comments.clone(),
            route: self.feedback.route.clone(),
            message: self.feedback.message.clone(),
            at_work: look.at_work.iter().map(|open| open.told.clone()).collect(),
            id: self.list.id,
            root: self.list.root.clone(),
            revision: self.list.revision,
        };
        if list != self.list || self.edition == 0 {
            let is_different = self.edition == 0 || !are_equivalent(&self.list, &list);
            self.edition += 1;
            self.list = Turn { revision: self.list.revision + u64::from(is_different), ..list };
        }
    }

    // Desks.

    pub(super) fn add_requester(&mut self, desk: DeskId) {
        self.requesters.insert(desk);
    }

    pub(super) fn requesters(&self) -> &BTreeSet<DeskId> {
        &self.requesters
    }

    /// Counts the list as sent to the desks that do not have it yet, and returns these desks. A desk that has
    /// no list need not get an empty one, unless it is the requester.
    pub(super) fn take_recipients(
        &mut self,
        desks: impl IntoIterator<Item = DeskId>,
        requester: Option<DeskId>,
    ) -> BTreeSet<DeskId> {
        let (edition, is_empty) = (self.edition, self.is_empty());
        let mut recipients = BTreeSet::new();
        for desk in desks {
            let is_new = self.sent_editions.get(&desk).map_or(!is_empty, |sent| *sent != edition);
            if is_new || requester == Some(desk) {
                self.sent_editions.insert(desk, edition);
                recipients.insert(desk);
            }
        }
        recipients
    }

    /// Whether nothing differs, no agent is at work, and nothing waits for the person or the agent.
    fn is_empty(&self) -> bool {
        let Turn { files, comments, message, at_work, .. } = &self.list;
        let waits = comments.iter().any(|comment| comment.state.is_unsent() || comment.state.is_open())
            || message.as_ref().is_some_and(|message| message.read.is_none());
        files.is_empty() && at_work.is_empty() && !waits
    }

    pub(super) fn leave(&mut self, desk: DeskId) {
        self.requesters.remove(&desk);
        self.sent_editions.remove(&desk);
        for file in self.files.values_mut() {
            file.leave(desk);
        }
        self.remove_idle_files();
    }

    // Files.

    pub(super) fn path_of(&self, id: ReviewId) -> Option<&Path> {
        self.files.iter().find(|(_, file)| file.is_of(id)).map(|(path, _)| &**path)
    }

    pub(super) fn known_texts(&self, path: &Path) -> Option<KnownTexts> {
        self.files.get(path)?.known_texts()
    }

    /// Returns the desks that have a file open.
    pub(super) fn desks_of(&self, path: &Path) -> BTreeSet<DeskId> {
        self.files.get(path).map(|file| file.desks().clone()).unwrap_or_default()
    }

    /// Records that the texts of an open file were read again and are unchanged. Returns whether their
    /// stretches have changed; `None` if the file is no longer open.
    pub(super) fn confirm_text(&mut self, path: &Path, stretches: Stretches) -> Option<bool> {
        let file = self.files.get_mut(path).filter(|file| file.has_text())?;
        Some(file.confirm_text(stretches))
    }

    /// Takes the texts of a file that a desk opens, or that has changed while it was open.
    pub(super) fn set_text(&mut self, path: &Path, text: ReviewedText, stretches: Stretches) {
        let lost = self.files.entry(path.to_owned()).or_default().set_text(text, stretches);
        add_lost_marks(&mut self.lost, path, lost);
    }

    /// Closes a file whose texts cannot be read.
    pub(super) fn close(&mut self, path: &Path) {
        let lost = self.files.get_mut(path).map(MarkedFile::close_text).unwrap_or_default();
        add_lost_marks(&mut self.lost, path, lost);
        self.remove_idle_files();
    }

    /// Opens the file for these desks. Returns the file as they get it.
    pub(super) fn open_for(&mut self, path: &Path, desks: BTreeSet<DeskId>) -> Option<OpenedTurnFile> {
        let file = self.files.get_mut(path)?;
        file.open_for(desks);
        let (review, Stretches { new, accepted }) = (file.review()?, file.stretches());
        file.free_unused();
        let index = self.look.files.iter().position(|found| found.path == path)?;
        let Turn { id: turn, revision, .. } = self.list;
        Some(OpenedTurnFile { turn, revision, file: index, review, new, accepted })
    }

    /// Marks a whole file, or removes its marks. Returns the change of its text, if the file is open.
    pub(super) fn mark(&mut self, path: &Path, undo: bool) -> Result<Option<Changed>, Refusal> {
        self.lost.remove(path);
        let changed = self.files.entry(path.to_owned()).or_default().mark_whole(undo);
        self.remove_idle_files();
        changed
    }

    /// Marks hunks of an open file.
    pub(super) fn edit(&mut self, path: &Path, revision: u64, edit: Edit) -> Result<Changed, Refusal> {
        let change = self.find_file(path).ok_or(Refusal::NoSuchReview)?.told.change;
        let file = self.files.get_mut(path).ok_or(Refusal::NoSuchReview)?;
        let changed = file.edit(revision, edit, change)?;
        self.lost.remove(path);
        Ok(changed)
    }

    /// Records which open files have unsaved changes in an editor. Returns the changes, with the desks that
    /// get them.
    pub(super) fn mark_dirty(
        &mut self,
        is_dirty: &dyn Fn(&str, &Path) -> bool,
    ) -> Vec<(BTreeSet<DeskId>, Changed)> {
        let changed = |file: &mut MarkedFile| {
            let changed = file.set_dirty(is_dirty)?;
            Some((file.desks().clone(), changed))
        };
        self.files.values_mut().filter_map(changed).collect()
    }

    // Comments.

    /// Returns the work for a request about a comment. Fails if the request can be refused without that work.
    pub(super) fn comment_work(&self, request: CommentRequest) -> Result<CommentWork, Refusal> {
        match request {
            CommentRequest::Add { revision, file, lines, side, text } => {
                self.check_markable(revision)?;
                let text = comment_work::trimmed_text(&text)?;
                if text.is_empty() {
                    return Err(comment_work::not_kept_refusal("it has no words"));
                }
                let file = file.map(|index| self.at(index)).transpose()?.cloned();
                let known = match (&file, lines) {
                    (None, Some(lines)) => return Err(comment_work::out_of_range(lines)),
                    (None, None) | (Some(_), None) => None,
                    (Some(file), Some(_)) => match &file.told.without_text {
                        Some(reason) => return Err(Refusal::WholeFileOnly { reason: reason.clone() }),
                        None => self.known_texts(&file.path),
                    },
                };
                let comment = Box::new(NewComment { file, lines, side, text, ..NewComment::default() });
                Ok(CommentWork::Add { comment, known })
            }
            CommentRequest::Change { id, text } => {
                self.check_markable(self.list.revision)?;
                Ok(CommentWork::Change { id, text: comment_work::trimmed_text(&text)? })
            }
        }
    }

    /// Returns the unsent comments of the list, as desks show it.
    pub(super) fn unsent_comments(&self) -> Vec<CommentId> {
        self.list.unsent_comments().map(|comment| comment.id).collect()
    }

    // The finish.

    /// Begins to undo the marked changes, or to ask the agent to undo them, as [`undo_plan`] says.
    pub(super) fn begin_finish(&mut self, is_dirty: &dyn Fn(&str, &Path) -> bool, asks: bool) -> UndoPlan {
        self.is_finishing = true;
        undo_plan(&self.look, &self.list, &self.files, is_dirty, asks)
    }

    /// Removes the marks in these files, which are undone. Looks that began before the next one are out of
    /// date.
    pub(super) fn end_undo(&mut self, written: &[PathBuf], next_look: u64) {
        self.look_number = next_look;
        self.lost.clear();
        for path in written {
            if let Some(file) = self.files.get_mut(path) {
                file.forget_marks();
            }
        }
        self.remove_idle_files();
    }

    pub(super) fn end_finish(&mut self) {
        self.is_finishing = false;
    }
}

fn files_by_path(look: &TurnLook) -> BTreeMap<&Path, &FoundFile> {
    look.files.iter().map(|found| (&*found.path, found)).collect()
}

/// Whether requests on one list have the same effect on the other: it has the same files and marks, and a
/// finish sends the same comments to the same agent. Remarks and the state of a message may differ.
fn are_equivalent(one: &Turn, other: &Turn) -> bool {
    let unsent = |turn: &Turn| {
        let unsent = turn.unsent_comments();
        unsent.map(|comment| (comment.id, comment.text.clone(), comment.again)).collect::<Vec<_>>()
    };
    let agent = |turn: &Turn| turn.route.as_ref().map(|route| route.agent.clone());
    (&one.files, &one.baseline, unsent(one), agent(one))
        == (&other.files, &other.baseline, unsent(other), agent(other))
}

/// Whether two looks have certainly found the same state of a file.
fn is_same(was: &FoundFile, now: &FoundFile) -> bool {
    let key = |found: &FoundFile| (found.content.clone(), found.from.clone(), found.told.change);
    !now.content.is_empty() && key(was) == key(now)
}

fn add_lost_marks(all: &mut BTreeMap<PathBuf, usize>, path: &Path, lost: usize) {
    if lost > 0 {
        *all.entry(path.to_owned()).or_default() += lost;
    }
}
