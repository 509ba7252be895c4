//! Tests snapshots by several processes at once, with too little time, and on a half-finished store.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use alongside_contract::turns::Moment;

use super::fixture::{Project, rows};
use crate::store::tree_store::TreeStore;
use crate::{Error, Recorded, TurnEvent, clear, record, seed, trim, unreviewed_in, unreviewed_trees};

fn event() -> TurnEvent {
    let (agent, session, turn) = ("Codex".to_owned(), "s".to_owned(), String::new());
    TurnEvent { moment: Moment::Prompt, agent, session, turn, is_attended: true, is_woken: false }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[test]
fn concurrent_hooks_each_take_a_snapshot() {
    let Some(project) = Project::new() else { return };
    std::thread::scope(|scope| {
        let hooks: Vec<_> =
            (0..4).map(|_| scope.spawn(|| record(&project.dirs, &event(), &project.top, soon()))).collect();
        for hook in hooks {
            assert_eq!(hook.join().unwrap(), Ok(Recorded::Kept));
        }
    });
    let log = project.tree_store().log().read().unwrap();
    assert_eq!(log.iter().filter(|record| record.tree == log[0].tree).count(), 4);
}

/// Git reads a file again that has changed in the second of its index or later, and trusts the index
/// otherwise.
#[test]
fn an_index_is_dated_before_the_snapshot_begins() {
    let Some(project) = Project::new() else { return };
    let store = project.tree_store();
    for take in [Project::prompt, |project: &Project| drop(project.look())] {
        let begun = SystemTime::now();
        take(&project);
        for name in ["index", "look-index"].map(|name| store.file(name)).iter().filter(|name| name.exists()) {
            assert!(name.metadata().unwrap().modified().unwrap() < begun, "{name:?} is older than its files");
        }
    }
}

#[test]
fn a_half_finished_store_is_created_again() {
    let Some(project) = Project::new() else { return };
    let store = project.tree_store();
    project.prompt();
    for name in ["index", "look-index"] {
        fs::write(store.file(name), "broken").unwrap();
        fs::write(store.file(&format!("{name}.new")), "broken").unwrap();
        fs::write(store.file(&format!("{name}.new.lock")), "").unwrap();
    }
    fs::create_dir_all(store.file("git.new/objects")).unwrap();
    project.write("a", "1\n");
    project.prompt();
    assert_eq!(rows(&project.look()), ["M a"]);
    fs::remove_file(store.file("format")).unwrap();
    project.prompt();
    assert!(project.look().files.is_empty(), "the store has begun anew");
}

#[test]
fn a_late_snapshot_is_a_remark_and_seeding_completes_the_index() {
    let Some(project) = Project::new() else { return };
    let late = record(&project.dirs, &event(), &project.top, Instant::now());
    assert_eq!(late, Ok(Recorded::TooLate(project.top.clone())));
    let remarks = project.look().remarks;
    assert!(remarks.iter().any(|it| it.contains("beginning of a turn of Codex is missing")), "{remarks:?}");
    seed(&project.dirs, &project.top, soon()).unwrap();
    project.prompt();
}

#[test]
fn homes_and_directories_without_a_repository_get_no_snapshot() {
    let Some(project) = Project::plain() else { return };
    assert_eq!(record(&project.dirs, &event(), &project.top, soon()), Ok(Recorded::Nothing));
    let home = project.beside("home");
    super::fixture::git_in(&home, &["init", "-q"]);
    fs::create_dir(home.join("below")).unwrap();
    for directory in [home.clone(), home.join("below"), project.beside("missing")] {
        assert_eq!(record(&project.dirs, &event(), &directory, soon()), Ok(Recorded::Nothing));
    }
    assert!(!project.dirs.state().exists());
}

#[test]
fn the_store_is_private_and_a_file_in_its_place_is_an_error() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(project) = Project::new() else { return };
    project.prompt();
    let store = project.tree_store();
    let mode = store.file("").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    fs::remove_dir_all(project.dirs.state()).unwrap();
    fs::write(project.dirs.state(), "").unwrap();
    assert!(matches!(record(&project.dirs, &event(), &project.top, soon()), Err(Error::Other(_))));
}

#[test]
fn a_waiting_turn_review_is_listed_until_it_is_cleared() {
    let Some(project) = Project::new() else { return };
    assert!(unreviewed_trees(&project.dirs).is_empty());
    assert_eq!(unreviewed_in(&project.dirs, &project.top), Ok(None));
    project.prompt();
    project.write("a", "1\n");
    let found = unreviewed_trees(&project.dirs);
    assert_eq!(
        (found.len(), &found[0].root, &found[0].agents[..]),
        (1, &project.top, &["Codex".to_owned()][..])
    );
    assert_eq!(rows(found[0].look.as_ref().unwrap()), ["M a"]);
    assert_eq!(clear(&project.dirs, &project.path("b"), soon()), Ok(Some(project.top.clone())));
    assert!(unreviewed_trees(&project.dirs).is_empty());
    assert_eq!(clear(&project.dirs, &project.top, soon()), Ok(None));
}

#[test]
fn old_stores_and_unused_stores_above_the_limit_are_removed() {
    let Some(project) = Project::new() else { return };
    let Some(other) = Project::new() else { return };
    let other = other.at(&other.top);
    let other_event = record(&project.dirs, &event(), &other.top, soon());
    assert_eq!(other_event, Ok(Recorded::Kept));
    project.prompt();
    let (own, others) = (project.tree_store(), TreeStore::of(project.dirs.state(), &other.top));
    assert!(crate::is_due(&project.dirs));
    trim(&project.dirs, &project.top, u64::MAX, soon()).unwrap();
    assert!(!crate::is_due(&project.dirs));
    assert!(own.file("log").exists() && others.file("log").exists());
    // The lines of the log stay. Above the limit, the store that is not in use is removed.
    trim(&project.dirs, &project.top, 1, soon()).unwrap();
    assert!(own.file("log").exists() && !others.file("log").exists());
    assert!(project.look().files.is_empty());
    // No process has written to this log for 15 days.
    record(&project.dirs, &event(), &other.top, soon()).unwrap();
    let old = std::time::SystemTime::now() - Duration::from_secs(15 * 24 * 60 * 60);
    fs::File::options().append(true).open(others.file("log")).unwrap().set_modified(old).unwrap();
    trim(&project.dirs, &project.top, u64::MAX, soon()).unwrap();
    assert!(!others.file("log").exists());
}

#[test]
fn a_failed_write_leaves_a_line_with_the_reason() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    let store = project.tree_store();
    // Git cannot write objects, even as root, because a file is in the place of their directory.
    fs::remove_dir_all(store.file("git/objects")).unwrap();
    fs::write(store.file("git/objects"), "").unwrap();
    project.write("a", "1\n");
    assert!(record(&project.dirs, &event(), &project.top, soon()).is_err());
    let log = store.log().read().unwrap();
    assert!(log.last().unwrap().why.is_some());
}
