//! Tests undos, and the reasons for which they are refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use alongside_companion::turns::source::{FoundFile, TurnLook, TurnSource as _, Undo, UndoTo};
use alongside_desk::{Author, FileChange, UndoneFile};

use super::fixture::{Project, file, rows};
use crate::TakeBack;
use crate::snapshots::compared_trees::ComparedTrees;
use crate::store::turn_log::Kind;
use crate::undo::{TAKEN_BACK, Undoing};

fn to_text(project: &Project, look: &TurnLook, name: &str, shown: &[u8], wanted: &[u8]) -> UndoneFile {
    let to = UndoTo::Text { shown: shown.to_vec(), wanted: wanted.to_vec() };
    project.store.undo(look, &[Undo { file: file(look, name).clone(), to }]).remove(0)
}

#[test]
fn hunks_are_undone_byte_for_byte_and_the_text_of_before_is_a_draft() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("run", "one\r\nnew\n");
    let look = project.look();
    let undone = to_text(&project, &look, "run", b"one\r\nnew\n", b"one\r\n");
    assert_eq!(undone.refused, None);
    assert_eq!(project.read("run").unwrap(), b"one\r\n");
    let mode = project.path("run").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "the mode stays");
    let draft = undone.draft.unwrap();
    assert_eq!(fs::read(&draft).unwrap(), b"one\r\nnew\n");
    let log = project.tree_store().log().read().unwrap();
    let noted = log.iter().find(|record| record.kind == Kind::Undo).and_then(|record| record.undone.clone());
    let noted = noted.unwrap();
    assert_eq!((&*noted.path, noted.copy), ("run", Some(draft)));
    assert!(noted.before.is_some() && noted.after.is_some() && noted.before != noted.after);
    let names: Vec<_> =
        fs::read_dir(&project.top).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names.len(), 4, "no unfinished file stays: {names:?}");
}

#[test]
fn an_undo_is_taken_back_if_the_file_has_not_changed_since() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("run", "one\nnew\n");
    project.write("deep/new", "n\n");
    let look = project.look();
    let undone = project.undo(&look, &["run", "deep/new"]);
    assert!(!project.path("deep").exists());
    // One value takes all undos back, and reads the log once.
    let mut way = TakeBack::new(&project.dirs);
    let mut back = |name: &str, draft: &Option<String>| {
        way.write(&project.path(name), Path::new(draft.as_deref().unwrap()))
    };
    for (name, text, undone) in [("run", "one\nnew\n", &undone[0]), ("deep/new", "n\n", &undone[1])] {
        assert_eq!(back(name, &undone.draft), Ok(()));
        assert_eq!(project.read(name).unwrap(), text.as_bytes());
        // The draft is not written over another text, nor a second time.
        let refused = back(name, &undone.draft).unwrap_err().to_string();
        assert!(
            matches!(&*refused, "it has changed since the undo" | "another file is in its place"),
            "{refused}"
        );
    }
    let mode = project.path("run").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "the mode stays");
    assert!(back("a", &undone[0].draft).is_err(), "it is another file's");
}

#[test]
fn taking_back_the_taking_back_of_an_undo_is_an_undo() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("run", "one\nnew\n");
    let undone = project.undo(&project.look(), &["run"]);
    let left = project.read("run");
    assert_eq!(project.take_back(&undone[0]), Ok(()));
    let drafts = project.dirs.drafts().list().unwrap();
    let went = drafts.iter().find(|draft| draft.state() == TAKEN_BACK).unwrap();
    assert_eq!(TakeBack::new(&project.dirs).write(&project.path("run"), &went.path), Ok(()));
    assert_eq!(project.read("run"), left);
    let log = project.tree_store().log().read().unwrap();
    let steps: Vec<_> = log.iter().filter_map(|record| Some(record.undone.as_ref()?.is_back)).collect();
    assert_eq!(steps, [false, true, false]);
}

#[test]
fn taking_an_undo_back_restores_the_mode() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    for (name, mode) in [("new", 0o755), ("private", 0o600), ("b/c", 0o755)] {
        project.write(name, "#!/bin/sh\n");
        project.chmod(name, mode);
    }
    let tree = project.tree();
    let undone = project.undo(&project.look(), &["new", "private", "b/c"]);
    assert!(!project.path("new").exists() && project.tree() != tree);
    for undone in undone {
        assert_eq!(project.take_back(&undone), Ok(()));
    }
    assert_eq!(project.tree(), tree);
}

#[test]
fn a_restored_change_keeps_its_author_until_the_file_changes() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("a", "one\ntwo\nthree\nfour\n");
    project.write("new", "n\n");
    project.end();
    project.write("b/c", "mine\n");
    let authors = || {
        let look = project.look();
        let author = |file: &FoundFile| (file.told.path.clone(), file.told.author);
        look.files.iter().map(author).collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = authors();
    assert_eq!((before["a"], before["new"], before["b/c"]), (Author::Agent, Author::Agent, Author::Person));
    let look = project.look();
    let undone = project.undo(&look, &["a", "new", "b/c"]);
    project.store.finish(&look);
    assert!(project.look().files.is_empty());
    let mut way = TakeBack::new(&project.dirs);
    for file in &undone {
        let draft = file.draft.as_deref().unwrap();
        assert_eq!(way.write(&project.path(&file.path), Path::new(draft)), Ok(()));
    }
    assert_eq!(authors(), before);
    // The authors stay once a snapshot holds the files. Then a person changes one.
    project.prompt();
    project.end();
    assert_eq!(authors(), before);
    project.write("a", "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(authors()["a"], Author::Both);
}

#[test]
fn undone_files_are_as_they_were_at_the_baseline() {
    let Some(project) = Project::new() else { return };
    project.write("gone/deep", "g\n");
    project.write("moved", "1\n2\n3\n4\n5\n6\n");
    project.write("binary", b"\xff\0a");
    symlink("a", project.path("link")).unwrap();
    symlink("a", project.path("lost")).unwrap();
    let before = project.tree();
    project.prompt();
    project.write("new/deep/er", "n\n");
    fs::remove_dir_all(project.path("gone")).unwrap();
    fs::rename(project.path("moved"), project.path("elsewhere")).unwrap();
    project.write("elsewhere", "1\n2\n3\n4\n5\n6\n7\n");
    project.write("binary", b"\xfe\0b");
    project.chmod("b/c", 0o755);
    fs::remove_file(project.path("run")).unwrap();
    symlink("a", project.path("run")).unwrap();
    fs::remove_file(project.path("link")).unwrap();
    project.write("link", "a file\n");
    fs::remove_file(project.path("lost")).unwrap();
    fs::remove_file(project.path("a")).unwrap();
    project.write("a/below", "x\n");
    let look = project.look();
    let names: Vec<&str> = look.files.iter().map(|file| file.path.to_str().unwrap()).collect();
    for undone in project.undo(&look, &names) {
        assert_eq!(undone.refused, None, "{}", undone.path);
    }
    let after = project.tree();
    let differing: Vec<_> = before.iter().filter(|(path, file)| after.get(*path) != Some(file)).collect();
    assert!(differing.is_empty() && before.len() == after.len(), "{differing:?}, {:?}", after.keys());
    assert!(project.look().files.is_empty());
}

#[test]
fn a_change_of_mode_is_listed_and_undone_with_its_file() {
    let Some(project) = Project::new() else { return };
    project.write("moved", "1\n2\n3\n4\n5\n6\n");
    project.write("tool", "1\n2\n3\n");
    project.chmod("tool", 0o755);
    let before = project.tree();
    project.prompt();
    fs::rename(project.path("moved"), project.path("elsewhere")).unwrap();
    project.chmod("elsewhere", 0o755);
    project.write("tool", "1\n2\nthree\n");
    project.chmod("tool", 0o644);
    project.chmod("b/c", 0o755);
    let look = project.look();
    let told = |name| {
        let told = &file(&look, name).told;
        (told.change, told.executable)
    };
    assert_eq!(told("elsewhere"), (FileChange::Renamed, Some(true)));
    assert_eq!(told("tool"), (FileChange::Modified, Some(false)));
    assert_eq!(told("b/c"), (FileChange::Mode, Some(true)));
    for undone in project.undo(&look, &["elsewhere", "tool", "b/c"]) {
        assert_eq!(undone.refused, None, "{}", undone.path);
    }
    assert_eq!(project.tree(), before);
}

#[test]
fn a_file_that_changed_since_it_was_shown_stays() {
    let Some(project) = Project::new() else { return };
    symlink("a", project.path("link")).unwrap();
    project.prompt();
    project.write("a", "shown\n");
    project.write("new", "n\n");
    project.chmod("b/c", 0o755);
    fs::remove_file(project.path("run")).unwrap();
    fs::remove_file(project.path("link")).unwrap();
    symlink("b", project.path("link")).unwrap();
    let look = project.look();
    project.write("a", "later\n");
    project.write("new", "m\n");
    project.write("run", "another\n");
    project.chmod("b/c", 0o644);
    fs::remove_file(project.path("link")).unwrap();
    symlink("c", project.path("link")).unwrap();
    let tree = project.tree();
    for undone in project.undo(&look, &["a", "new", "run", "b/c", "link"]) {
        assert_eq!(undone.refused.as_deref(), Some("it has changed since it was shown"), "{}", undone.path);
    }
    let refused = to_text(&project, &look, "a", b"shown\n", b"x").refused;
    assert_eq!(refused.as_deref(), Some("it has changed since it was shown"));
    assert_eq!(project.tree(), tree);
}

#[test]
fn links_hard_links_and_write_protected_files_are_not_written() {
    let Some(project) = Project::new() else { return };
    project.write("d/behind", "1\n");
    project.write("hard", "1\n");
    project.write("protected", "1\n");
    project.prompt();
    for name in ["d/behind", "hard", "protected", "a"] {
        project.write(name, "changed\n");
    }
    let outside = project.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("behind"), "changed\n").unwrap();
    fs::write(outside.join("a"), "changed\n").unwrap();
    let look = project.look();
    fs::rename(project.path("d"), project.beside("d")).unwrap();
    symlink(&outside, project.path("d")).unwrap();
    fs::hard_link(project.path("hard"), project.beside("other name")).unwrap();
    project.chmod("protected", 0o444);
    fs::remove_file(project.path("a")).unwrap();
    symlink(outside.join("a"), project.path("a")).unwrap();
    let why = |undone: Vec<UndoneFile>| undone.into_iter().map(|it| it.refused.unwrap_or_default()).collect();
    let why: Vec<String> = why(project.undo(&look, &["d/behind", "hard", "protected", "a"]));
    let expected = [
        "a link is on the way to it",
        "it has several names (hard links)",
        "it is write-protected",
        "it has changed since it was shown",
    ];
    assert_eq!(why, expected);
    let text = to_text(&project, &look, "a", b"changed\n", b"x").refused;
    assert_eq!(text.as_deref(), Some("it has changed since it was shown"));
    for name in ["behind", "a"] {
        assert_eq!(fs::read(outside.join(name)).unwrap(), b"changed\n");
    }
    assert_eq!(fs::read(project.beside("other name")).unwrap(), b"changed\n");
}

#[test]
fn another_users_file_stays() {
    let Some(project) = Project::new() else { return };
    if std::os::unix::fs::chown(project.path("a"), Some(65_534), None).is_err() {
        alongside_testing::skip("only root can give a file away");
        return;
    }
    project.prompt();
    fs::write(project.path("a"), "changed\n").unwrap();
    let look = project.look();
    assert_eq!(project.undo(&look, &["a"])[0].refused.as_deref(), Some("it belongs to another user"));
    assert_eq!(project.read("a").unwrap(), b"changed\n");
}

#[test]
fn a_text_that_the_store_does_not_hold_is_not_undone() {
    let Some(project) = Project::new() else { return };
    project.write(".gitignore", "*.log\n");
    project.write(".env", "A=1\n");
    project.prompt();
    std::thread::sleep(std::time::Duration::from_millis(50));
    project.write("x.log", "1\n");
    project.write(".env", "A=2\n");
    project.write("large", vec![b'x'; 9 << 20]);
    let look = project.look();
    assert_eq!(rows(&look), ["M- .env", "A- large", "?- x.log"]);
    assert!(look.files.iter().all(|file| file.told.without_undo), "it takes no mark");
    for undone in project.undo(&look, &[".env", "large", "x.log"]) {
        assert_eq!(undone.refused.as_deref(), Some("its earlier text is not kept"), "{}", undone.path);
    }
    assert!(project.path("large").exists() && project.path("x.log").exists());
}

#[test]
fn a_file_that_the_baseline_leaves_out_is_not_removed() {
    let Some(project) = Project::new() else { return };
    project.write("large", vec![b'x'; 9 << 20]);
    project.prompt();
    project.write("large", "small now\n");
    let look = project.look();
    assert_eq!(rows(&look), ["M- large"]);
    let undone = project.undo(&look, &["large"]);
    assert_eq!(undone[0].refused.as_deref(), Some("its earlier text is not kept"));
    assert_eq!(project.read("large").unwrap(), b"small now\n");
}

#[test]
fn more_files_than_one_read_of_git_are_undone() {
    let Some(project) = Project::new() else { return };
    let name = |number: usize| format!("many/{number}");
    (0..40).for_each(|number| project.write(&name(number), format!("{number}\n")));
    project.prompt();
    (0..40).for_each(|number| fs::remove_file(project.path(&name(number))).unwrap());
    fs::remove_dir(project.path("many")).unwrap();
    project.write("many", "in the place of a directory\n");
    (0..40).for_each(|number| project.write(&format!("new-{number}"), "n\n"));
    let look = project.look();
    let all: Vec<_> = look.files.iter().map(|file| file.told.path.clone()).collect();
    let all: Vec<_> = all.iter().map(String::as_str).collect();
    assert_eq!(all.len(), 81);
    assert!(project.undo(&look, &all).iter().all(|file| file.refused.is_none()));
    assert_eq!(project.read("many/39").unwrap(), b"39\n");
    assert!(project.look().files.is_empty());
}

#[test]
fn an_undo_starts_git_as_often_for_many_new_files_as_for_a_few() {
    let runs = |files: usize| {
        let project = Project::new()?;
        project.prompt();
        (0..files).for_each(|at| project.write(&format!("new/{at}"), "new\n"));
        let look = project.look();
        let undo = |file: &FoundFile| Undo { file: file.clone(), to: UndoTo::Baseline };
        let undos: Vec<Undo> = look.files.iter().map(undo).collect();
        let access = project.access();
        let (state, drafts) = (ComparedTrees::of_name(&look.snapshot).unwrap(), project.dirs.drafts());
        let undone = Undoing::new(&access, &state, &drafts).undo(&undos);
        assert!(undone.len() == files && undone.iter().all(|file| file.refused.is_none()), "{undone:?}");
        assert!(!project.path("new").exists());
        Some(access.git.runs())
    };
    assert_eq!(runs(2), runs(12));
}

#[test]
fn a_file_undone_in_place_of_a_removed_directory_leaves_its_deletion() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    fs::remove_file(project.path("a")).unwrap();
    project.write("a/below", "x\n");
    let look = project.look();
    assert_eq!(rows(&look), ["D a", "A a/below"]);
    // The person has not seen that the directory is removed, and no tree has both.
    fs::remove_dir_all(project.path("a")).unwrap();
    assert_eq!(project.undo(&look, &["a"])[0].refused, None);
    project.store.finish(&look);
    assert_eq!(rows(&project.look()), ["A a", "D a/below"]);
}

#[test]
fn a_path_that_leaves_the_tree_is_never_written() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("a", "1\n");
    let look = project.look();
    for path in ["../outside", "/outside", ".git/config", "b/../../outside", ".GIT/config", ""] {
        let mut file = file(&look, "a").clone();
        file.path = Path::new(path).to_owned();
        let texts = UndoTo::Text { shown: Vec::new(), wanted: b"x".to_vec() };
        for to in [UndoTo::Baseline, texts] {
            let undone = project.store.undo(&look, &[Undo { file: file.clone(), to }]);
            assert!(undone[0].refused.is_some(), "{path}");
        }
    }
    assert!(!project.beside("outside").exists());
    let stranger = TurnLook { snapshot: "--output=x:y::1".into(), ..look.clone() };
    assert!(project.undo(&stranger, &["a"])[0].refused.is_some());
}

#[test]
fn without_a_draft_or_a_log_nothing_is_undone() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("a", "1\n");
    let look = project.look();
    let drafts = project.dirs.state().join("drafts");
    fs::write(&drafts, "").unwrap();
    assert!(project.undo(&look, &["a"])[0].refused.as_deref().unwrap().contains("draft"));
    fs::remove_file(&drafts).unwrap();
    let log = project.tree_store().file("log");
    fs::rename(&log, log.with_extension("old")).unwrap();
    fs::create_dir(&log).unwrap();
    assert!(project.undo(&look, &["a"])[0].refused.as_deref().unwrap().contains("log"));
    assert_eq!(project.read("a").unwrap(), b"1\n");
}
