//! The editor: the person's open files, with cursor and selection.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Shared;
use crate::fault::Fault;

/// The open files, in the order they were opened.
#[derive(Default)]
pub(super) struct Editor {
    pub(super) files: Vec<OpenFile>,
    /// The path of the file the person is in.
    pub(super) active: Option<String>,
    /// Folders that are open as projects, as they were named.
    pub(super) folders: Vec<PathBuf>,
    /// The latest time of a focus, in milliseconds since the epoch.
    latest: u64,
    /// The number of untitled documents so far.
    untitled: usize,
}

/// An open file.
pub(super) struct OpenFile {
    pub(super) path: String,
    /// The time of its last focus, in milliseconds since the epoch.
    pub(super) focused: u64,
    /// Line and column, from 1; the column in UTF-16 units.
    pub(super) cursor: (u32, u32),
    /// The other end of the selection.
    pub(super) anchor: (u32, u32),
    pub(super) selected: Option<String>,
    /// Whether the document was never saved.
    pub(super) untitled: bool,
}

impl Editor {
    /// Opens a file or goes to it; nothing changes if the person is in it already.
    fn focus(&mut self, path: &str) {
        if self.active.as_deref() == Some(path) {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        self.latest = u64::try_from(now).unwrap_or(0).max(self.latest + 1);
        let focused = self.latest;
        match self.files.iter_mut().find(|file| file.path == path) {
            Some(file) => file.focused = focused,
            None => {
                let (path, start) = (path.to_owned(), (1, 1));
                let (cursor, anchor) = (start, start);
                self.files.push(OpenFile { path, focused, cursor, anchor, selected: None, untitled: false });
            }
        }
        self.active = Some(path.into());
    }

    fn at(&mut self, path: &str) -> &mut OpenFile {
        self.focus(path);
        let at = self.files.iter().position(|file| file.path == path).expect("the focused file is open");
        &mut self.files[at]
    }
}

impl Shared {
    /// The person opens a file, or goes to one that is open.
    pub(crate) fn focus(&self, path: &str) {
        self.state().editor.focus(path);
        self.changed.notify_one();
    }

    /// The person goes to a line and a column, both from 1, the column in UTF-16 units; nothing is selected
    /// then.
    pub(crate) fn go_to(&self, path: &str, line: u32, column: u32) {
        {
            let mut state = self.state();
            let file = state.editor.at(path);
            (file.cursor, file.anchor, file.selected) = ((line, column), (line, column), None);
        }
        self.changed.notify_one();
    }

    /// The person selects from one place up to before another. The cursor is where the selection ends.
    pub(crate) fn select(&self, path: &str, from: (u32, u32), to: (u32, u32)) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let (start, end) = (offset(&text, from), offset(&text, to));
        {
            let mut state = self.state();
            let file = state.editor.at(path);
            file.selected = text.get(start..end).filter(|text| !text.is_empty()).map(Into::into);
            (file.anchor, file.cursor) = (from, to);
        }
        self.changed.notify_one();
    }

    /// The person begins a document that was never saved.
    pub(crate) fn begin_untitled(&self) {
        {
            let editor = &mut self.state().editor;
            editor.untitled += 1;
            // The path where it would be saved.
            let path = self.environment.project.join(format!("Untitled-{}", editor.untitled));
            editor.at(&path.to_string_lossy()).untitled = true;
        }
        self.changed.notify_one();
    }

    /// Returns the person's open files.
    pub(crate) fn open_files(&self) -> Vec<String> {
        self.state().editor.files.iter().map(|file| file.path.clone()).collect()
    }

    /// Returns the number of folders that are open as projects.
    pub(crate) fn open_folders(&self) -> usize {
        self.state().editor.folders.len()
    }

    /// The person opens one more folder as a project.
    pub(crate) fn add_folder(&self, folder: &Path) {
        self.state().editor.folders.push(folder.to_owned());
        self.folders_changed();
    }

    /// The person closes a project.
    pub(crate) fn remove_folder(&self, folder: &Path) {
        self.state().editor.folders.retain(|open| open != folder);
        self.folders_changed();
    }

    fn folders_changed(&self) {
        if !self.has(Fault::FoldersAreWrittenOnce) {
            self.publish();
        }
    }

    /// The person closes a file; the one focused before is active then.
    pub(crate) fn close_file(&self, path: &str) {
        {
            let editor = &mut self.state().editor;
            if !self.has(Fault::ClosedFilesStay) {
                editor.files.retain(|file| file.path != path);
            }
            if editor.active.as_deref() == Some(path) {
                editor.active = None;
                let others = editor.files.iter().filter(|file| file.path != path);
                let last = others.max_by_key(|file| file.focused).map(|file| file.path.clone());
                last.iter().for_each(|path| editor.focus(path));
            }
        }
        self.changed.notify_one();
    }
}

/// Returns the byte offset of a line and a column, both from 1, the column in UTF-16 units.
fn offset(text: &str, (line, column): (u32, u32)) -> usize {
    let before = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum::<usize>();
    let mut units = 1;
    for (at, character) in text[before..].char_indices() {
        if units >= column as usize {
            return before + at;
        }
        units += character.len_utf16();
    }
    text.len()
}
