//! The open files that desks report, and the one [`IdeContext`] that agents get from them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use alongside_contract::context::{
    Cursor, IdeContext, MAX_OPEN_FILES, MAX_SELECTED_UTF16, OpenFile, WorkspaceState,
};
use alongside_desk::{ActiveFile, ContextReport, Position, SharedFile, now_ms};

use super::file_scan::{FileChecks, ScanResult};
use super::privacy::Privacy;
use crate::ids::DeskId;
use crate::real_path;

/// The files that all desks have open.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenFiles {
    desks: BTreeMap<DeskId, ReportedFiles>,
    newest: u64,
    paused: bool,
    /// The reason why agents never learn of any file, which no desk can change; `None` without one.
    silent: Option<String>,
    /// The real paths of files with unsaved changes, from the last scan.
    real: HashMap<String, PathBuf>,
}

#[derive(Debug, Clone, Default)]
struct ReportedFiles {
    files: Vec<ReportedFile>,
    active: Option<ActiveFile>,
    trusted: Option<bool>,
}

#[derive(Debug, Clone)]
struct ReportedFile {
    path: String,
    /// The time at which the file had the focus, in milliseconds since the Unix epoch; it rises across all
    /// desks.
    focused: u64,
    dirty: bool,
}

impl OpenFiles {
    /// Creates the state without files. `silent` is the reason why agents never learn of any file.
    pub(crate) fn new(silent: Option<String>) -> Self {
        Self { silent, ..Self::default() }
    }

    /// Pauses or resumes the context for agents. Fails with the reason why it cannot be resumed.
    pub(crate) fn pause(&mut self, paused: bool) -> Result<(), String> {
        match &self.silent {
            Some(why) if !paused => Err(why.clone()),
            _ => {
                self.paused = paused;
                Ok(())
            }
        }
    }

    /// Whether agents get no files at present.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused || self.silent.is_some()
    }

    /// Replaces the files that a desk reported before.
    pub(crate) fn report(&mut self, desk: DeskId, report: ContextReport) {
        let mut known = self.desks.remove(&desk).unwrap_or_default();
        if let Some(open) = report.open_files {
            let before = std::mem::take(&mut known.files);
            for file in open.into_iter().rev() {
                let old = before.iter().find(|entry| entry.path == file.path).map(|entry| entry.focused);
                let focused = old.unwrap_or_else(|| self.next_timestamp());
                known.files.insert(0, ReportedFile { path: file.path, focused, dirty: file.dirty });
            }
        }
        if let Some(active) = &report.active {
            let was_active = known.active.as_ref().is_some_and(|before| before.path == active.path);
            let at = known.files.iter().position(|entry| entry.path == active.path);
            let at = at.unwrap_or_else(|| {
                known.files.insert(0, ReportedFile { path: active.path.clone(), focused: 0, dirty: false });
                0
            });
            if !was_active || known.files[at].focused < self.newest {
                known.files[at].focused = self.next_timestamp();
            }
        }
        known.active = report.active;
        known.trusted = report.trusted.or(known.trusted);
        self.desks.insert(desk, known);
    }

    /// Makes the active file of a desk the newest of all desks. Returns false if the desk has no active file.
    pub(crate) fn focus(&mut self, desk: DeskId) -> bool {
        let now = self.next_timestamp();
        if let Some(known) = self.desks.get_mut(&desk)
            && let Some(active) = &known.active
            && let Some(file) = known.files.iter_mut().find(|file| file.path == active.path)
        {
            file.focused = now;
            return true;
        }
        false
    }

    pub(crate) fn leave(&mut self, desk: DeskId) {
        self.desks.remove(&desk);
    }

    pub(crate) fn forget_all(&mut self) {
        self.desks.clear();
    }

    /// Whether an editor has unsaved changes to a file, under any spelling of its path.
    pub(crate) fn is_dirty(&self, path: &str, real: &Path) -> bool {
        let is_real = |path: &String| self.real.get(path).is_some_and(|known| known == real);
        self.unsaved().any(|entry| entry.path == path || is_real(&entry.path))
    }

    pub(crate) fn set_real_paths(&mut self, real: HashMap<String, PathBuf>) {
        self.real = real;
    }

    fn unsaved(&self) -> impl Iterator<Item = &ReportedFile> {
        self.desks.values().flat_map(|desk| &desk.files).filter(|entry| entry.dirty)
    }

    /// Checks on disk which files exist and may be known to agents. Blocks.
    pub(super) fn scan(&self, privacy: &Privacy) -> ScanResult {
        let resolve =
            |entry: &ReportedFile| (entry.path.clone(), real_path::canonical(Path::new(&entry.path)));
        let real = self.unsaved().map(resolve).collect();
        let mut checks = FileChecks::new();
        let check = |path: &Path| path.is_absolute() && path.is_file() && privacy.allows(path);
        let mut may_know =
            |path: &str| *checks.entry(path.to_owned()).or_insert_with_key(|path| check(Path::new(path)));
        ScanResult { context: self.context(&mut may_know), real, checks }
    }

    /// Returns the context by the checks of the last scan; `None` if a scan would check other files now.
    pub(super) fn context_by(&self, checks: &FileChecks) -> Option<IdeContext> {
        let mut used = HashMap::new();
        let context = self.context(&mut |path| {
            let check = checks.get(path).copied();
            used.insert(path.to_owned(), check.is_some());
            check == Some(true)
        });
        let are_known = used.len() == checks.len() && used.values().all(|is_known| *is_known);
        let is_resolved = |entry: &ReportedFile| self.real.contains_key(&entry.path);
        (are_known && self.unsaved().all(is_resolved)).then_some(context)
    }

    pub(crate) fn no_files(&self) -> IdeContext {
        self.with_files(Vec::new())
    }

    /// Returns the context for agents: at most ten files that exist and that agents may know, newest first.
    fn context(&self, may_know: &mut dyn FnMut(&str) -> bool) -> IdeContext {
        let mut entries: Vec<(&ReportedFile, Option<&ActiveFile>)> = Vec::new();
        if !self.is_paused() {
            for desk in self.desks.values() {
                let active =
                    |entry: &ReportedFile| desk.active.as_ref().filter(|active| active.path == entry.path);
                entries.extend(desk.files.iter().map(|entry| (entry, active(entry))));
            }
        }
        entries.sort_by_key(|(entry, active)| (std::cmp::Reverse(entry.focused), active.is_none()));
        let newest = entries.first().map(|(entry, _)| entry.focused);
        let mut files: Vec<OpenFile> = Vec::new();
        for (entry, active) in entries {
            if files.len() == MAX_OPEN_FILES {
                break;
            }
            if files.iter().any(|file| file.path == entry.path) || !may_know(&entry.path) {
                continue;
            }
            // Agents use the cursor of the newest file only.
            let active = active.filter(|_| Some(entry.focused) == newest);
            files.push(file(entry, active));
        }
        self.with_files(files)
    }

    fn with_files(&self, files: Vec<OpenFile>) -> IdeContext {
        let trusted = self.desks.values().filter_map(|desk| desk.trusted).next_back();
        IdeContext { workspace_state: Some(WorkspaceState { open_files: Some(files), is_trusted: trusted }) }
    }

    fn next_timestamp(&mut self) -> u64 {
        self.newest = now_ms().max(self.newest + 1);
        self.newest
    }
}

/// Converts the files of a context for desks.
pub(super) fn shared_files(context: &IdeContext) -> Vec<SharedFile> {
    let files = context.workspace_state.iter().flat_map(|state| state.open_files.iter().flatten());
    let mut shared: Vec<SharedFile> = files
        .map(|file| SharedFile {
            path: file.path.clone(),
            active: file.is_active == Some(true),
            cursor: file.cursor.map(|cursor| Position {
                line: cursor.line.saturating_sub(1),
                character: cursor.character.saturating_sub(1),
            }),
            selected: file.selected_text.as_deref().map_or(0, |text| text.chars().count()),
        })
        .collect();
    shared.sort_by_key(|file| !file.active);
    shared
}

/// Converts an open file for the wire, with 1-based positions and a selection within the limit of agents.
fn file(entry: &ReportedFile, active: Option<&ActiveFile>) -> OpenFile {
    OpenFile {
        path: entry.path.clone(),
        timestamp: entry.focused,
        is_active: active.map(|_| true),
        cursor: active.and_then(|active| active.cursor).map(one_based_cursor),
        anchor: active.and_then(|active| active.anchor).map(one_based_cursor),
        selected_text: active
            .and_then(|active| active.selected_text.as_deref())
            .filter(|text| !text.is_empty())
            .map(|text| cut(text).to_owned()),
    }
}

fn one_based_cursor(Position { line, character }: Position) -> Cursor {
    Cursor { line: line.saturating_add(1), character: character.saturating_add(1) }
}

/// Cuts a selection to [`MAX_SELECTED_UTF16`] units, at a character boundary. The agent adds a marker.
fn cut(text: &str) -> &str {
    let mut units = 0;
    let excess = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MAX_SELECTED_UTF16
    });
    excess.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests;
