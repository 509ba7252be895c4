//! Tests the results of a look after ordinary changes.

use std::fs;
use std::os::unix::fs::symlink;

use alongside_companion::turns::source::{TurnLook, TurnSource as _};
use alongside_contract::turns::Moment;
use alongside_desk::Author;

use super::fixture::{Project, file, rows};

#[test]
fn each_kind_of_change_since_the_prompt_is_a_row() {
    let Some(project) = Project::new() else { return };
    project.write("gone", "g\n");
    project.write("moved", "1\n2\n3\n4\n5\n6\n");
    symlink("a", project.path("link")).unwrap();
    project.prompt();
    assert!(project.look().files.is_empty());
    project.write("a", "one\n2\nthree\n");
    project.write("new", "n\n");
    fs::remove_file(project.path("gone")).unwrap();
    fs::rename(project.path("moved"), project.path("Moved")).unwrap();
    project.chmod("b/c", 0o755);
    fs::remove_file(project.path("link")).unwrap();
    symlink("b", project.path("link")).unwrap();
    fs::remove_file(project.path("run")).unwrap();
    symlink("a", project.path("run")).unwrap();
    project.write("binary", b"a\0b");
    let look = project.look();
    let expected =
        ["R Moved", "M a", "X b/c", "A- binary", "D gone", "M- link", "A new", "T- run"].map(str::to_owned);
    assert_eq!(rows(&look), expected);
    let told = &file(&look, "a").told;
    assert_eq!((told.added, told.removed, told.author), (1, 1, Author::Agent));
    assert_eq!(file(&look, "Moved").told.from.as_deref(), Some("moved"));
    let texts = project.texts(&look, "a");
    assert_eq!(texts.before.as_deref(), Some(b"one\ntwo\nthree\n".as_slice()));
    assert_eq!(texts.now.as_deref(), Some(b"one\n2\nthree\n".as_slice()));
    assert_eq!(project.texts(&look, "new").before, None);
    assert_eq!(project.texts(&look, "gone").now, None);
    assert_eq!(project.texts(&look, "Moved").before.unwrap().len(), 12);
    assert!(project.store.texts(&look, file(&look, "link")).is_err());
    assert_eq!(look.baseline.name, "the first prompt to Codex");
}

#[test]
fn a_file_becomes_a_directory_and_a_directory_a_file() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    fs::remove_file(project.path("a")).unwrap();
    project.write("a/deep/er", "x\n");
    fs::remove_dir_all(project.path("b")).unwrap();
    project.write("b", "y\n");
    let look = project.look();
    assert_eq!(rows(&look), ["D a", "A a/deep/er", "A b", "D b/c"]);
    let texts = project.texts(&look, "a");
    assert_eq!((texts.before.as_deref(), texts.now), (Some(b"one\ntwo\nthree\n".as_slice()), None));
}

#[test]
fn a_file_replaced_by_a_pipe_or_a_socket_is_listed_and_not_undone() {
    let Some(project) = Project::new() else { return };
    let pipe = |name: &str| {
        fs::remove_file(project.path(name)).unwrap();
        project.pipe(name);
    };
    // A pipe that was there at the prompt is not a change of the turn.
    pipe("run");
    project.prompt();
    pipe("a");
    fs::remove_file(project.path("b/c")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(project.path("b/c")).unwrap();
    // Git lists such a file only when it removes the file from an index.
    for _ in 0..2 {
        let look = project.look();
        assert_eq!(rows(&look), ["T- a", "T- b/c"]);
        let why = Some("something that is no file has replaced it");
        for name in ["a", "b/c"] {
            assert_eq!(file(&look, name).told.without_text.as_deref(), why);
            assert_eq!(project.undo(&look, &[name])[0].refused.as_deref(), why);
        }
        project.end();
    }
    assert_eq!(rows(&project.since("HEAD")), ["T- a", "T- b/c", "T- run"]);
    // A deletion that the person has seen is not a change any more, until there is a file again.
    project.store.finish(&project.look());
    assert_eq!(rows(&project.look()), [""; 0]);
    fs::remove_file(project.path("a")).unwrap();
    project.write("a", "a file again\n");
    assert_eq!(rows(&project.look()), ["M- a"]);
}

#[test]
fn a_rename_from_or_to_the_place_of_a_pipe_is_a_deletion_and_a_new_file() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    fs::rename(project.path("a"), project.path("moved")).unwrap();
    project.pipe("a");
    // Git lists such a file only once.
    for _ in 0..2 {
        assert_eq!(rows(&project.look()), ["T- a", "A moved"]);
    }
    project.store.finish(&project.look());
    fs::remove_file(project.path("a")).unwrap();
    fs::rename(project.path("moved"), project.path("a")).unwrap();
    let look = project.look();
    assert_eq!(rows(&look), ["M- a", "D moved"]);
    assert_eq!(file(&look, "moved").told.removed, 3);
    assert_eq!(project.undo(&look, &["moved"])[0].refused, None);
    assert_eq!(fs::read(project.path("moved")).unwrap(), b"one\ntwo\nthree\n");
}

#[test]
fn a_stash_and_a_rebase_within_a_turn_leave_the_baseline() {
    let Some(project) = Project::new() else { return };
    project.git(&["checkout", "-q", "-b", "other"]);
    project.write("other", "o\n");
    project.commit();
    project.git(&["checkout", "-q", "main"]);
    project.prompt();
    project.write("a", "1\n");
    project.write("new", "n\n");
    project.git(&["stash", "-q", "-u"]);
    assert!(project.look().files.is_empty());
    project.git(&["stash", "pop", "-q"]);
    assert_eq!(rows(&project.look()), ["M a", "A new"]);
    project.commit();
    project.git(&["rebase", "-q", "other"]);
    let look = project.look();
    assert_eq!(rows(&look), ["M a", "A new", "A other"]);
    assert!(look.remarks.iter().any(|it| it.contains("The commit has changed")), "{:?}", look.remarks);
}

#[test]
fn a_baseline_stays_until_a_review_is_finished() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("first", "1\n");
    project.end();
    project.write("persons", "p\n");
    project.prompt();
    project.write("second", "2\n");
    let look = project.look();
    assert_eq!(rows(&look), ["A first", "A persons", "A second"]);
    let authors: Vec<Author> = look.files.iter().map(|file| file.told.author).collect();
    assert_eq!(authors, [Author::Agent, Author::Person, Author::Agent]);
    // The person has not seen a change after the look.
    project.write("late", "l\n");
    project.write("second", "2\nmore\n");
    project.store.finish(&look);
    let next = project.look();
    assert_eq!(rows(&next), ["A late", "M second"]);
    assert_eq!(next.baseline.name, "the end of your last review");
    project.end();
    project.write("after", "x\n");
    assert_eq!(file(&project.look(), "after").told.author, Author::Person);
}

#[test]
fn an_undone_change_is_no_change_after_the_finish() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("a", "1\n");
    project.write("b/c", "2\n");
    let look = project.look();
    assert_eq!(project.undo(&look, &["a"])[0].refused, None);
    project.store.finish(&look);
    assert!(project.look().files.is_empty(), "{:?}", rows(&project.look()));
}

#[test]
fn a_missing_end_and_another_commit_or_branch_are_remarks() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.write("x", "1\n");
    project.prompt();
    project.commit();
    let look = project.look();
    assert_eq!(file(&look, "x").told.author, Author::Unknown);
    assert!(look.remarks.iter().any(|it| it.contains("The commit has changed")), "{:?}", look.remarks);
    assert!(look.remarks.iter().any(|it| it.contains("has no end")), "{:?}", look.remarks);
    project.git(&["checkout", "-q", "-b", "other"]);
    assert!(project.look().remarks[0].contains("it was main and is other"), "{:?}", project.look().remarks);
}

#[test]
fn without_a_turn_the_last_commit_is_the_baseline() {
    let Some(project) = Project::new() else { return };
    project.write("a", "1\n");
    let look = project.look();
    assert_eq!((rows(&look), look.baseline.at), (vec!["M a".to_owned()], None));
    assert!(look.baseline.name.starts_with("the commit "), "{}", look.baseline.name);
    assert_eq!(file(&look, "a").told.author, Author::Unknown);
    project.commit();
    assert!(project.look().files.is_empty());
    let since = project.since("HEAD~1");
    assert_eq!(rows(&since), ["M a"]);
    assert_eq!(since.baseline.asked.as_deref(), Some("HEAD~1"));
    for revision in ["nothing", "--help", "-x", "HEAD:a", "\u{1b}[31m", "", "a\0b"] {
        let error = project.store.look(&project.top, Some(revision)).unwrap_err();
        assert!(!error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn secrets_and_large_and_ignored_files_are_listed_without_text() {
    let Some(project) = Project::new() else { return };
    project.write(".env", "TOKEN=tracked\n");
    project.write("large", vec![b'x'; 9 << 20]);
    project.write(".gitignore", "*.log\nout/\n");
    project.commit();
    project.write("old.log", "1\n");
    project.write("out/old", "1\n");
    project.write("quiet/key.pem", "SECRET\n");
    std::thread::sleep(std::time::Duration::from_millis(50));
    project.prompt();
    assert_eq!(rows(&project.look()), [""; 0]);
    project.write(".env", "TOKEN=changed\n");
    project.write("large", vec![b'y'; 9 << 20]);
    project.write("new.log", "1\n");
    project.write("out/deep/new", "1\n");
    project.write("other.pem", "SECRET\n");
    fs::remove_file(project.path("quiet/key.pem")).unwrap();
    let look = project.look();
    let expected = ["M- .env", "M- large", "?- new.log", "A- other.pem", "?- out/", "D- quiet/key.pem"]
        .map(str::to_owned);
    assert_eq!(rows(&look), expected);
    let repository = project.tree_store().repository();
    let blobs = super::fixture::git_in(&repository, &["cat-file", "--batch-all-objects", "--batch"]);
    assert!(!blobs.contains("SECRET") && !blobs.contains("TOKEN=changed"));
    let objects = project.look();
    assert!(project.store.texts(&objects, file(&objects, ".env")).is_err());
    // The same holds for a review since a commit.
    assert_eq!(rows(&project.since("HEAD"))[0], "M- .env");
}

#[test]
fn the_author_of_a_file_outside_snapshots_follows_from_its_time() {
    let Some(project) = Project::new() else { return };
    project.write(".gitignore", "*.bak\n");
    project.commit();
    project.prompt();
    project.write("turn.bak", "1\n");
    project.write("turn.pem", "1\n");
    project.end();
    project.write("later.bak", "1\n");
    project.write("later.pem", "1\n");
    let look = project.look();
    assert_eq!(rows(&look), ["?- later.bak", "A- later.pem", "?- turn.bak", "A- turn.pem"]);
    let authors: Vec<Author> = look.files.iter().map(|file| file.told.author).collect();
    assert_eq!(authors, [Author::Unknown, Author::Unknown, Author::Agent, Author::Agent]);
}

#[test]
fn a_file_that_the_person_changes_between_turns_has_both_authors() {
    let Some(project) = Project::new() else { return };
    let author = |name: &str| file(&project.look(), name).told.author;
    project.prompt();
    project.write("a", "agent\n");
    project.end();
    project.write("a", "agent\nperson\n");
    project.write("b/c", "person\n");
    assert_eq!((author("a"), author("b/c")), (Author::Both, Author::Person));
    project.prompt();
    project.write("b/c", "person\nagent\n");
    project.write("new", "agent\n");
    project.end();
    assert_eq!((author("a"), author("b/c"), author("new")), (Author::Both, Author::Both, Author::Agent));
}

#[test]
fn a_turn_without_an_end_is_a_remark_if_no_agent_is_at_work() {
    let Some(project) = Project::new() else { return };
    let has = |look: &TurnLook| look.remarks.iter().any(|it| it.contains("Codex has no end yet"));
    project.prompt();
    project.write("a", "1\n");
    let look = project.look();
    assert_eq!(look.at_work.len(), 1);
    assert_eq!(look.remarks, [""; 0], "desks say it in their own words");
    // The prompt was two days ago.
    let store = project.tree_store();
    let mut log = store.log().read().unwrap();
    log[0].at -= 2 * 24 * 60 * 60 * 1000;
    std::fs::remove_file(store.file("log")).unwrap();
    store.log().append(&log[0]).unwrap();
    let look = project.look();
    assert!(look.at_work.is_empty() && has(&look), "{:?}", look.remarks);
    // The end of a review ends no turn.
    project.store.finish(&look);
    assert!(has(&project.look()));
    project.prompt();
    assert!(project.look().remarks.iter().any(|it| it.contains("Codex has no end: ")));
    project.end();
    assert!(!has(&project.look()));
}

#[test]
fn a_continuation_within_a_turn_begins_no_turn() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    assert_eq!(project.event(Moment::Continued, "s"), Ok(crate::Recorded::Nothing));
    project.end();
    assert_eq!(project.event(Moment::Continued, "s"), Ok(crate::Recorded::Kept));
}

#[test]
fn a_look_names_agents_at_work_and_the_time_of_the_last_finish() {
    let Some(project) = Project::new() else { return };
    assert!(!project.store.has_turns(&project.top) && project.look().at_work.is_empty());
    project.prompt();
    assert!(project.store.has_turns(&project.path("b")));
    project.write("a", "1\n");
    let look = project.look();
    let at_work: Vec<_> = look.at_work.iter().map(|open| &*open.told.agent).collect();
    assert_eq!(at_work, ["Codex"]);
    project.end();
    let seen = project.look();
    assert!(seen.at_work.is_empty());
    assert!(project.store.has_turns(&project.top), "nobody has reviewed it");
    // The person reads the review for a while.
    let later = alongside_desk::now_ms() + 2;
    while alongside_desk::now_ms() < later {
        std::thread::yield_now();
    }
    project.store.finish(&seen);
    assert!(!project.store.has_turns(&project.top));
    let since = project.look().baseline;
    assert_eq!(since.name, "the end of your last review");
    assert!(since.at.is_some_and(|at| at >= later), "not the time of the look that the person saw");
}
