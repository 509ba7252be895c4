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
    /// The number of looks that have read the files.
    pub(super) looks: AtomicUsize,
    /// The number of reviews that were finished.
    pub(super) finished: AtomicUsize,
    /// Whether looks and undos wait.
    is_held: AtomicBool,
    state: Mutex<SourceState>,
}

#[derive(Debug, Default)]
struct SourceState {
    /// The files at the baseline; `None` for a file that the baseline does not have.
    before: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// The turns that are under way.
    at_work: Vec<OpenTurn>,
    /// The comments, each with the request that added it.
    comments: Vec<(Comment, NewComment)>,
    /// The rounds that were sent.
    rounds: Vec<NewRound>,
    /// The notes on files, in the order in which they came.
    notes: Vec<(PathBuf, TurnNote)>,
    /// The remarks of each look.
    remarks: Vec<String>,
    /// The agent that gets the message.
    agent: String,
    /// Whether a message is refused.
    refuses_to_send: bool,
    /// Whether comments cannot be read between looks.
    is_unreadable: bool,
    revision: u64,
}

impl DiskSource {
    fn state(&self) -> MutexGuard<'_, SourceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a turn of an agent with this process; without a process, ends every turn.
    pub(super) fn begin_turn(&self, process: Option<u32>) {
        let told = AtWork { agent: "Codex".into(), since: 1 };
        let open = process.map(|pid| OpenTurn { told, process: Some(pid) });
        self.state().at_work = open.into_iter().collect();
    }

    pub(super) fn notes(&self) -> Vec<(PathBuf, TurnNote)> {
        self.state().notes.clone()
    }

    pub(super) fn comments(&self) -> Vec<Comment> {
        self.state().comments()
    }

    /// Lets comments be added, but not be read between looks.
    pub(super) fn make_unreadable(&self) {
        self.state().is_unreadable = true;
    }

    pub(super) fn rounds(&self) -> Vec<NewRound> {
        self.state().rounds.clone()
    }

    /// Returns the lines before and after those of a comment.
    pub(super) fn context_lines(&self, at: usize) -> (String, String) {
        let new = &self.state().comments[at].1;
        (new.before.clone(), new.after.clone())
    }

    pub(super) fn refuse_to_send(&self, refuses: bool) {
        self.state().refuses_to_send = refuses;
    }

    /// Sets the remark of each look and the agent that gets the message.
    pub(super) fn set_remark_and_agent(&self, remark: &str, agent: &str) {
        let mut state = self.state();
        (state.remarks, state.agent) = (vec![remark.to_owned()], agent.to_owned());
    }

    /// Sets the text of a file at the baseline.
    pub(super) fn remember(&self, name: &str, text: Option<&[u8]>) {
        self.state().before.insert(name.into(), text.map(<[u8]>::to_vec));
    }

    /// Makes looks and undos wait, or lets them go on.
    pub(super) fn set_held(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::SeqCst);
    }

    fn wait_while_held(&self) {
        while self.is_held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl SourceState {
    fn comments(&self) -> Vec<Comment> {
        self.comments.iter().map(|(comment, _)| comment.clone()).collect()
    }

    fn message(&self) -> Option<TurnMessage> {
        let (text, words) = ("the message".into(), "soon".into());
        let message = TurnMessage { text, words, at: 1, ..TurnMessage::default() };
        self.rounds.last().map(|_| message)
    }

    fn feedback(&self) -> Feedback {
        let (comments, message, revision) = (self.comments(), self.message(), self.revision);
        let route = Some(Route { words: "soon".into(), agent: self.agent.clone(), ..Route::default() });
        Feedback { comments, route, message, revision }
    }
}

impl TurnSource for DiskSource {
    fn look(&self, directory: &Path, since: Option<&str>) -> Result<TurnLook, String> {
        if since == Some("nonsense") {
            return Err("there is no revision nonsense".into());
        }
        let mut files = Vec::new();
        for (path, before) in &self.state().before {
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
        let feedback = self.state().feedback();
        // A change that comes from here on is not in this look.
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.wait_while_held();
        let baseline = Baseline { name: "the baseline".into(), ..Baseline::default() };
        let (root, state) = (directory.to_owned(), self.state());
        let (at_work, remarks) = (state.at_work.clone(), state.remarks.clone());
        Ok(TurnLook { root, baseline, files, remarks, feedback, at_work, ..TurnLook::default() })
    }

    fn has_turns(&self, _: &Path) -> bool {
        !self.state().at_work.is_empty()
    }

    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String> {
        let before = self.state().before.get(&file.path).cloned().flatten();
        let now = fs::read(look.root.join(&file.path)).ok();
        let path = look.root.join(&file.path);
        let is_accepted = |(of, note): &(PathBuf, TurnNote)| *of == path && *note != TurnNote::Saved;
        let accepted = self.notes().iter().any(is_accepted).then_some(Lines { start: 0, end: 1 });
        Ok(TurnTexts { before, now, new: None, accepted: accepted.into_iter().collect() })
    }

    fn note(&self, file: &Path, note: &TurnNote) -> bool {
        self.state().notes.push((file.to_owned(), note.clone()));
        true
    }

    fn undo(&self, look: &TurnLook, files: &[Undo]) -> Vec<UndoneFile> {
        self.wait_while_held();
        let undo = |undo: &Undo| {
            let path = look.root.join(&undo.file.path);
            let told = UndoneFile { path: undo.file.told.path.clone(), ..UndoneFile::default() };
            let (shown, wanted) = match &undo.to {
                UndoTo::Text { shown, wanted } => (Some(shown.clone()), Some(wanted.clone())),
                UndoTo::Baseline => (None, self.state().before.get(&undo.file.path).cloned().flatten()),
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
        let state = self.state();
        if state.is_unreadable { Err("no".into()) } else { Ok(state.feedback()) }
    }

    fn add_comment(&self, _: &TurnLook, new: &NewComment) -> Result<(), Refusal> {
        let mut state = self.state();
        state.revision += 1;
        let path = new.file.as_ref().map(|file| file.told.path.clone());
        let anchor = Anchor { path, lines: new.lines, side: new.side, code: new.code.clone() };
        let (id, text) = (CommentId(state.revision), new.text.clone());
        state.comments.push((Comment { id, anchor, text, ..Comment::default() }, new.clone()));
        Ok(())
    }

    fn change_comment(&self, _: &TurnLook, id: CommentId, text: &str) -> Result<(), Refusal> {
        let mut state = self.state();
        state.revision += 1;
        let at = state.comments.iter().position(|(comment, _)| comment.id == id);
        let at = at.ok_or(Refusal::NoSuchComment)?;
        match text {
            "" => drop(state.comments.remove(at)),
            text => text.clone_into(&mut state.comments[at].0.text),
        }
        Ok(())
    }

    fn promise(&self, _: &TurnLook, _: &NewRound) -> Option<Box<dyn std::fmt::Debug + Send>> {
        None
    }

    fn send(&self, _: &TurnLook, round: &NewRound) -> Result<Option<TurnMessage>, String> {
        let mut state = self.state();
        if state.refuses_to_send {
            return Err("no".into());
        }
        state.revision += 1;
        state.rounds.push(round.clone());
        Ok(state.message())
    }

    fn finish(&self, look: &TurnLook) {
        self.finished.fetch_add(1, Ordering::SeqCst);
        for (path, before) in &mut self.state().before {
            *before = fs::read(look.root.join(path)).ok();
        }
    }
}
