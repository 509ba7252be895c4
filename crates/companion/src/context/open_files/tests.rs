//! Tests of the context that agents get from the reports of desks.

use std::fs;
use std::path::PathBuf;

use alongside_desk::{OpenFile as DeskFile, Position};

use super::*;
use crate::{AppDirs, Workspace};

struct Project {
    directory: tempfile::TempDir,
    files: OpenFiles,
    privacy: Privacy,
}

impl Project {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace { roots: vec![directory.path().to_owned()], ..Workspace::default() };
        let privacy = Privacy::new(&workspace, false, &AppDirs::below(directory.path())).unwrap();
        Self { directory, files: OpenFiles::default(), privacy }
    }

    fn file(&self, name: &str) -> String {
        let path: PathBuf = self.directory.path().join(name);
        fs::write(&path, "").unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn focus(&mut self, desk: u64, path: &str) {
        let cursor = Some(Position::default());
        let active = ActiveFile { path: path.into(), cursor, ..ActiveFile::default() };
        self.files.report(DeskId(desk), ContextReport { active: Some(active), ..ContextReport::default() });
    }

    fn context(&mut self) -> Vec<OpenFile> {
        self.files.scan(&self.privacy).context.open_files().to_vec()
    }
}

#[test]
fn the_active_file_is_newest_and_timestamps_strictly_rise() {
    let mut project = Project::new();
    let (a, b) = (project.file("a"), project.file("b"));
    let before = now_ms();
    for path in [&a, &b, &a] {
        project.focus(1, path);
    }
    let files = project.context();
    assert_eq!(files.iter().map(|file| &file.path).collect::<Vec<_>>(), [&a, &b]);
    assert!(files[0].timestamp > files[1].timestamp);
    assert!((before..before + 60_000).contains(&files[1].timestamp), "milliseconds: {}", files[1].timestamp);
    assert_eq!((files[0].is_active, files[1].is_active), (Some(true), None));
}

#[test]
fn a_desk_that_gets_the_focus_has_the_cursor_without_a_report() {
    let mut project = Project::new();
    let (a, b) = (project.file("a"), project.file("b"));
    project.focus(1, &a);
    project.focus(2, &b);
    assert!(project.files.focus(DeskId(1)));
    let files = project.context();
    assert_eq!((&files[0].path, files[0].is_active), (&a, Some(true)));
    assert_eq!((&files[1].path, files[1].is_active), (&b, None));
    assert!(!project.files.focus(DeskId(3)), "a desk without files");
}

#[test]
fn with_two_desks_the_one_focused_last_has_the_cursor() {
    let mut project = Project::new();
    let (a, b) = (project.file("a"), project.file("b"));
    project.focus(1, &a);
    project.focus(2, &b);
    project.focus(1, &a);
    let summary = |project: &mut Project| -> Vec<(String, bool, bool)> {
        let files = project.context().into_iter();
        files.map(|file| (file.path, file.is_active == Some(true), file.cursor.is_some())).collect()
    };
    assert_eq!(summary(&mut project), [(a, true, true), (b.clone(), false, false)]);
    project.files.leave(DeskId(1));
    assert_eq!(summary(&mut project), [(b, true, true)]);
}

#[test]
fn positions_are_one_based_and_selections_end_at_a_character() {
    let mut project = Project::new();
    let path = project.file("a");
    let selected_text = "a".repeat(MAX_SELECTED_UTF16 - 1) + "😀😀";
    let cursor = Some(Position { line: 0, character: 4 });
    let active = ActiveFile { path, cursor, anchor: None, selected_text: Some(selected_text) };
    project.files.report(DeskId(1), ContextReport { active: Some(active), ..ContextReport::default() });
    let files = project.context();
    assert_eq!(files[0].cursor, Some(Cursor { line: 1, character: 5 }));
    assert_eq!(files[0].selected_text.as_deref().map(str::len), Some(MAX_SELECTED_UTF16 - 1));
}

#[test]
fn agents_get_at_most_ten_existing_files_that_they_may_know() {
    let mut project = Project::new();
    let mut open: Vec<DeskFile> =
        (0..12).map(|n| DeskFile { path: project.file(&format!("f{n}")), dirty: false }).collect();
    let gone = project.file("gone");
    fs::remove_file(&gone).unwrap();
    open.insert(0, DeskFile { path: gone, dirty: false });
    open.insert(0, DeskFile { path: project.file(".env"), dirty: true });
    open.insert(0, DeskFile { path: "relative".into(), dirty: false });
    let env = open[1].path.clone();
    project.files.report(DeskId(1), ContextReport { open_files: Some(open), ..ContextReport::default() });
    project.focus(1, &env);
    let files = project.context();
    assert_eq!(files.len(), MAX_OPEN_FILES);
    assert!(files[0].path.ends_with("f0"));
    // The person is in a file that agents may not know: no other file counts as the active one.
    assert!(files.iter().all(|file| file.is_active.is_none() && file.cursor.is_none()));
    assert!(project.files.is_dirty(&env, Path::new("/elsewhere")));
}

#[test]
fn a_paused_context_has_no_files() {
    let mut project = Project::new();
    let path = project.file("a");
    project.focus(1, &path);
    project.files.pause(true).unwrap();
    assert!(project.context().is_empty());
}

#[test]
fn trust_is_sent_only_if_a_desk_reports_it() {
    let mut project = Project::new();
    let path = project.file("a");
    project.focus(1, &path);
    let trusted = |project: &mut Project| {
        let context = project.files.scan(&project.privacy).context;
        context.workspace_state.and_then(|state| state.is_trusted)
    };
    assert_eq!(trusted(&mut project), None);
    project.files.report(DeskId(2), ContextReport { trusted: Some(false), ..ContextReport::default() });
    assert_eq!(trusted(&mut project), Some(false));
    project.files.leave(DeskId(2));
    assert_eq!(trusted(&mut project), None);
}
