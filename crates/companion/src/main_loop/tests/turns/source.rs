//! A source of turns without git: it remembers texts, and compares them with the project on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alongside_desk::{Baseline, FileChange, TurnFile, UndoneFile};

use crate::turns::source::{FoundFile, TurnLook, TurnSource, TurnTexts, Undo, UndoTo};

#[derive(Debug, Default)]
pub(super) struct DiskSource {
    /// The files at the baseline; `None` for those that it does not have.
    before: Mutex<BTreeMap<PathBuf, Option<Vec<u8>>>>,
    /// The number of looks that have begun.
    pub(super) looks: AtomicUsize,
    /// Whether looks and undos wait.
    pub(super) is_held: AtomicBool,
    /// The number of reviews that were finished.
    pub(super) finished: AtomicUsize,
}

impl DiskSource {
    fn before(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Option<Vec<u8>>>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
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
            let without_text = name.ends_with(".bin").then(|| "it is binary".to_owned());
            let told = TurnFile { path: name, change, without_text, ..TurnFile::default() };
            files.push(FoundFile {
                path: path.clone(),
                content: format!("{before:?} {now:?}"),
                told,
                ..FoundFile::default()
            });
        }
        // Nobody has seen the changes from here on.
        self.wait();
        let baseline = Baseline { name: "the baseline".into(), ..Baseline::default() };
        Ok(TurnLook { root: directory.to_owned(), baseline, files, ..TurnLook::default() })
    }

    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String> {
        let before = self.before().get(&file.path).cloned().flatten();
        Ok(TurnTexts { before, now: fs::read(look.root.join(&file.path)).ok() })
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

    fn finish(&self, look: &TurnLook) {
        self.finished.fetch_add(1, Ordering::SeqCst);
        for (path, before) in &mut *self.before() {
            *before = fs::read(look.root.join(path)).ok();
        }
    }
}
