//! A source of turns without git: it remembers texts, and compares them with the project on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alongside_desk::{
    Anchor, AtWork, Baseline, Comment, CommentId, FileChange, Lines, Refusal, Route, TurnFile, TurnMessage,
    UndoneFile,
};

use crate::turns::source::{
    Feedback, FoundFile, NewComment, NewRound, OpenTurn, TurnLook, TurnNote, TurnSource, TurnTexts, Undo,
    UndoTo,
};

#[derive(Debug, Default)]
pub(super) struct DiskSource {
    /// The files at the baseline; `None` for those that it does not have.
    before: Mutex<BTreeMap<PathBuf, Option<Vec<u8>>>>,
    /// The number of looks that have begun.
    pub(super) looks: AtomicUsize,
    /// Whether looks and undos wait.
    pub(super) is_held: AtomicBool,
    /// The turns that go on.
    pub(super) at_work: Mutex<Vec<OpenTurn>>,
    /// The number of reviews that were finished.
    pub(super) finished: AtomicUsize,
    feedback: Mutex<Kept>,
    /// The notes on files, in their order.
    notes: Mutex<Vec<(PathBuf, TurnNote)>>,
    /// The remarks of each look, and the agent that gets the words.
    said: Mutex<(Vec<String>, String)>,
}

/// Comments as they were kept, and rounds as they were sent.
#[derive(Debug, Default)]
struct Kept {
    comments: Vec<(Comment, NewComment)>,
    rounds: Vec<NewRound>,
    refuses: bool,
    is_unreadable: bool,
    revision: u64,
}

impl DiskSource {
    fn before(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Option<Vec<u8>>>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.feedback.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at_work(&self) -> Vec<OpenTurn> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A turn begins of an agent with this process; without one, every turn ends.
    pub(super) fn begin_turn(&self, process: Option<u32>) {
        let told = AtWork { agent: "Codex".into(), since: 1 };
        let open = process.map(|pid| OpenTurn { told, process: Some(pid) });
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) = open.into_iter().collect();
    }

    pub(super) fn notes(&self) -> Vec<(PathBuf, TurnNote)> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn comments(&self) -> Vec<Comment> {
        self.kept().comments.iter().map(|(comment, _)| comment.clone()).collect()
    }

    /// Comments are kept, and cannot be read between looks.
    pub(super) fn make_unreadable(&self) {
        self.kept().is_unreadable = true;
    }

    pub(super) fn rounds(&self) -> Vec<NewRound> {
        self.kept().rounds.clone()
    }

    /// The lines before and after those of a comment.
    pub(super) fn around(&self, at: usize) -> (String, String) {
        let new = &self.kept().comments[at].1;
        (new.before.clone(), new.after.clone())
    }

    pub(super) fn refuse_to_send(&self, refuses: bool) {
        self.kept().refuses = refuses;
    }

    /// From now on, looks remark this, and this agent gets the words.
    pub(super) fn say(&self, remark: &str, agent: &str) {
        *self.said() = (vec![remark.to_owned()], agent.to_owned());
    }

    fn said(&self) -> MutexGuard<'_, (Vec<String>, String)> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Feedback {
        let (comments, kept) = (self.comments(), self.kept());
        let route = Some(Route { words: "soon".into(), agent: self.said().1.clone(), ..Route::default() });
        Feedback { comments, route, message: kept.message(), revision: kept.revision }
    }

    pub(super) fn remember(&self, name: &str, text: Option<&[u8]>) {
        self.before().insert(name.into(), text.map(<[u8]>::to_vec));
    }

    pub(super) fn hold(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::SeqCst);
    }

    fn wait(&self) {
        while self.is_held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Kept {
    fn message(&self) -> Option<TurnMessage> {
        let (text, words) = ("the message".into(), "soon".into());
        let message = TurnMessage { text, words, at: 1, ..TurnMessage::default() };
        self.rounds.last().map(|_| message)
    }
}

impl TurnSource for DiskSource {
    fn look(&self, directory: &Path, since: Option<&str>) -> Result<TurnLook, String> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        if since == Some("nonsense") {
            return Err("there is no revision nonsense".into());
        }
        let mut files = Vec::new();
        for (path, before) in &*self.before() {
            let now = fs::read(directory.join(path)).ok();
            let change = match (before, &now) {
                (before, now) if before == now => continue,
                (None, _) => FileChange::Added,
                (Some(_), None) => FileChange::Deleted,
                (Some(_), Some(_)) => FileChange::Modified,
            };
            let name = path.to_string_lossy().into_owned();
            let without_undo = now.as_deref() == Some(&b"not kept\n"[..]);
            let without_text = match name.ends_with(".bin") {
                _ if without_undo => Some("it is ignored".to_owned()),
                is_binary => is_binary.then(|| "it is binary".to_owned()),
            };
            let told = TurnFile { path: name, change, without_text, without_undo, ..TurnFile::default() };
            files.push(FoundFile {
                path: path.clone(),
                content: format!("{before:?} {now:?}"),
                told,
                ..FoundFile::default()
            });
        }
        let feedback = self.all();
        // Nobody has seen the changes from here on.
        self.wait();
        let baseline = Baseline { name: "the baseline".into(), ..Baseline::default() };
        let (root, at_work, remarks) = (directory.to_owned(), self.at_work(), self.said().0.clone());
        Ok(TurnLook { root, baseline, files, remarks, feedback, at_work, ..TurnLook::default() })
    }

    fn has_turns(&self, _: &Path) -> bool {
        !self.at_work().is_empty()
    }

    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String> {
        let before = self.before().get(&file.path).cloned().flatten();
        let now = fs::read(look.root.join(&file.path)).ok();
        let path = look.root.join(&file.path);
        let is_accepted = |(of, note): &(PathBuf, TurnNote)| *of == path && *note != TurnNote::Saved;
        let accepted = self.notes().iter().any(is_accepted).then_some(Lines { start: 0, end: 1 });
        Ok(TurnTexts { before, now, new: None, accepted: accepted.into_iter().collect() })
    }

    fn note(&self, file: &Path, note: &TurnNote) -> bool {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push((file.to_owned(), note.clone()));
        true
    }

    fn undo(&self, look: &TurnLook, files: &[Undo]) -> Vec<UndoneFile> {
        self.wait();
        let undo = |undo: &Undo| {
            let path = look.root.join(&undo.file.path);
            let told = UndoneFile { path: undo.file.told.path.clone(), ..UndoneFile::default() };
            let (shown, wanted) = match &undo.to {
                UndoTo::Text { shown, wanted } => (Some(shown.clone()), Some(wanted.clone())),
                UndoTo::Baseline => (None, self.before().get(&undo.file.path).cloned().flatten()),
            };
            let now = fs::read(&path).ok();
            if shown.is_some() && shown != now {
                return UndoneFile { refused: Some("it has changed".into()), ..told };
            }
            match wanted {
                Some(text) => fs::write(path, text).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            told
        };
        files.iter().map(undo).collect()
    }

    fn feedback(&self, _: &TurnLook) -> Result<Feedback, String> {
        if self.kept().is_unreadable {
            return Err("no".into());
        }
        Ok(self.all())
    }

    fn add_comment(&self, _: &TurnLook, new: &NewComment) -> Result<(), Refusal> {
        let mut kept = self.kept();
        kept.revision += 1;
        let path = new.file.as_ref().map(|file| file.told.path.clone());
        let anchor = Anchor { path, lines: new.lines, side: new.side, code: new.code.clone() };
        let (id, text) = (CommentId(kept.revision), new.text.clone());
        kept.comments.push((Comment { id, anchor, text, ..Comment::default() }, new.clone()));
        Ok(())
    }

    fn change_comment(&self, _: &TurnLook, id: CommentId, text: &str) -> Result<(), Refusal> {
        let mut kept = self.kept();
        kept.revision += 1;
        let at = kept.comments.iter().position(|(comment, _)| comment.id == id);
        let at = at.ok_or(Refusal::NoSuchComment)?;
        match text {
            "" => drop(kept.comments.remove(at)),
            text => text.clone_into(&mut kept.comments[at].0.text),
        }
        Ok(())
    }

    fn promise(&self, _: &TurnLook, _: &NewRound) -> Option<Box<dyn std::fmt::Debug + Send>> {
        None
    }

    fn send(&self, _: &TurnLook, round: &NewRound) -> Result<Option<TurnMessage>, String> {
        let mut kept = self.kept();
        if kept.refuses {
            return Err("no".into());
        }
        kept.revision += 1;
        kept.rounds.push(round.clone());
        Ok(kept.message())
    }

    fn finish(&self, look: &TurnLook) {
        self.finished.fetch_add(1, Ordering::SeqCst);
        for (path, before) in &mut *self.before() {
            *before = fs::read(look.root.join(path)).ok();
        }
    }
}
