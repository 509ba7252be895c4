//! Tests of writing the journal, taking it over after a crash, and removing it.

use std::sync::Arc;
use std::time::SystemTime;

use super::*;
use crate::persistence::journal::{Undecided, Unsettled};
use crate::persistence::journal_file::MAX_FILE_BYTES;

fn take_store(state: &Path) -> RecoveryStore {
    loop {
        match RecoveryStore::take(state, "e").unwrap() {
            Some(store) => return store,
            // Until its exec, a child that another test has started holds the lock as well.
            None => std::thread::sleep(std::time::Duration::from_millis(1)),
        }
    }
}

fn store_in_directory() -> (tempfile::TempDir, RecoveryStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = take_store(directory.path());
    (directory, store)
}

fn journal() -> Journal {
    Journal { port: 7, token: "t".into(), ..Journal::default() }
}

fn first_changes() -> JournalChanges {
    JournalChanges { journal: journal(), is_all: true, ..JournalChanges::default() }
}

/// Returns changes with sessions of these ids, each with an open review.
fn changes_of(sessions: &[&str]) -> JournalChanges {
    let known = |id: &&str| KnownSession {
        id: (*id).to_owned(),
        undecided: vec![Undecided { file_path: "/p/a".into(), text: Some("x".into()), draft: None }],
        ..KnownSession::default()
    };
    let journal = Journal { sessions: sessions.iter().map(known).collect(), ..journal() };
    JournalChanges { journal, ..JournalChanges::default() }
}

fn session_ids(store: &RecoveryStore) -> Vec<String> {
    let mut ids: Vec<_> =
        store.left_behind().unwrap().unwrap().sessions.into_iter().map(|known| known.id).collect();
    ids.sort();
    ids
}

#[test]
fn one_companion_holds_the_journal_and_a_crash_leaves_it() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path();
    let mut first = take_store(state);
    assert!(RecoveryStore::take(state, "e").unwrap().is_none());
    assert!(RecoveryStore::take(state, "f").unwrap().is_some());
    assert_eq!(first.left_behind().unwrap(), None);
    first.write(&first_changes()).unwrap();
    drop(first);
    assert_eq!(take_store(state).left_behind().unwrap(), Some(journal()));
}

#[test]
fn only_changed_sessions_are_written() {
    let (_directory, mut store) = store_in_directory();
    store.write(&JournalChanges { is_all: true, ..changes_of(&["a", "b", "c"]) }).unwrap();
    assert_eq!(store.left_behind().unwrap().unwrap().sessions[0].undecided.len(), 1);
    let untouched = session_file(store.path(), "b");
    fs::write(&untouched, "as it was").unwrap();
    store.write(&JournalChanges { ended_ids: vec!["c".into()], ..changes_of(&["a"]) }).unwrap();
    assert_eq!(fs::read_to_string(&untouched).unwrap(), "as it was");
    assert!(store.exists());
    // An unreadable file costs its session, and no other.
    assert!(store.left_behind().unwrap().unwrap().is_damaged);
    assert_eq!(session_ids(&store), ["a"]);
    fs::remove_file(&untouched).unwrap();
    assert!(!store.exists(), "a file of a session is missing");
}

#[test]
fn a_record_that_a_crash_cut_off_does_not_count() {
    let (_directory, mut store) = store_in_directory();
    store.write(&JournalChanges { is_all: true, ..changes_of(&["a", "b"]) }).unwrap();
    let file = session_file(store.path(), "a");
    let before = [store.path(), file.as_path()].map(|path| fs::read(path).unwrap());
    let mut next = JournalChanges { ended_ids: vec!["b".into()], ..changes_of(&["a"]) };
    next.journal.last_review = 7;
    next.journal.sessions[0].undecided.clear();
    store.write(&next).unwrap();
    let after = [store.path(), file.as_path()].map(|path| fs::read(path).unwrap());
    assert!(
        after.iter().zip(&before).all(|(after, before)| after.starts_with(before)),
        "the records are appended"
    );
    let read_back = || {
        let recovered = store.left_behind().unwrap().unwrap();
        (recovered.last_review, recovered.sessions[0].undecided.len())
    };
    assert_eq!(read_back(), (7, 0));
    for cut in before[0].len()..after[0].len() - 1 {
        fs::write(store.path(), &after[0][..cut]).unwrap();
        assert_eq!(read_back().0, 0, "cut after {cut} bytes");
    }
    for cut in before[1].len()..after[1].len() - 1 {
        fs::write(&file, &after[1][..cut]).unwrap();
        assert_eq!(read_back().1, 1, "cut after {cut} bytes");
    }
}

#[test]
fn the_newest_review_id_is_found_in_every_file() {
    let (_directory, mut store) = store_in_directory();
    store.write(&JournalChanges { is_all: true, ..changes_of(&["a", "b"]) }).unwrap();
    let before = fs::read(store.path()).unwrap();
    let mut next = changes_of(&["b"]);
    (next.journal.last_review, next.journal.sessions[0].last_review) = (7, 7);
    store.write(&next).unwrap();
    assert_eq!(fs::read(store.path()).unwrap(), before, "a session needs one record");
    assert_eq!(store.left_behind().unwrap().unwrap().last_review, 7);
    let end = JournalChanges { ended_ids: vec!["b".into()], ..JournalChanges::default() };
    store.write(&JournalChanges { journal: Journal { last_review: 7, ..journal() }, ..end }).unwrap();
    assert_eq!(
        (session_ids(&store), store.left_behind().unwrap().unwrap().last_review),
        (vec!["a".into()], 7)
    );
}

#[test]
fn a_full_or_cut_off_file_is_written_from_its_start() {
    let (_directory, mut store) = store_in_directory();
    let mut large = changes_of(&["a"]);
    let reviews = &mut large.journal.sessions[0].undecided;
    reviews[0].text = Some("x".repeat(60_000).into());
    *reviews = vec![reviews[0].clone(); *MAX_FILE_BYTES.end() as usize * 2 / 5 / 60_000];
    let mut lengths = Vec::new();
    for _ in 0..4 {
        store.write(&large).unwrap();
        lengths.push(session_file(store.path(), "a").metadata().unwrap().len());
    }
    assert_eq!(lengths, [1, 2, 1, 2].map(|records| records * lengths[0]));
    // A record that a full disk has cut off does not count, and the next record is not part of it.
    store.sessions.clear();
    fs::write(session_file(store.path(), "a"), "half a rec").unwrap();
    store.write(&changes_of(&["a"])).unwrap();
    assert_eq!(session_ids(&store), ["a"]);
}

#[test]
fn a_large_text_is_written_once_and_removed_with_its_last_record() {
    let (_directory, mut store) = store_in_directory();
    let large: Arc<str> = "more\n".repeat(20_000).into();
    let mut changes = JournalChanges { is_all: true, ..changes_of(&["a", "b"]) };
    changes.journal.sessions[0].undecided[0].text = Some(large.clone());
    store.write(&changes).unwrap();
    let text_files = |store: &RecoveryStore| -> Vec<PathBuf> {
        session_files(store.path()).filter(|file| !is_record(file)).collect()
    };
    let [file] = &text_files(&store)[..] else { panic!("{:?}", text_files(&store)) };
    assert_eq!(fs::read_to_string(file).unwrap(), *large);
    assert_eq!(store.left_behind().unwrap().unwrap().sessions.len(), 2);

    // The outcome has the same text, and a second outcome has another one.
    changes.is_all = false;
    changes.journal.sessions.truncate(1);
    let known = &mut changes.journal.sessions[0];
    let other: Arc<str> = format!("other {large}").into();
    let unsettled = |text| Unsettled { file_path: "/p/a".into(), is_accepted: true, text };
    known.unsettled = vec![unsettled(large), unsettled(other)];
    known.undecided.clear();
    assert!(!store.appends_little(&changes), "one of the texts is large and new");
    store.write(&changes).unwrap();
    assert!(store.appends_little(&changes));
    let files = text_files(&store);
    assert!(files.contains(file) && files.len() == 2);
    let recovered = store.left_behind().unwrap().unwrap();
    assert_eq!(recovered.sessions.iter().find(|known| known.id == "a"), changes.journal.sessions.first());
    assert!(session_file(store.path(), "a").metadata().unwrap().len() < 2_000);
    assert!(store.exists());

    changes.journal.sessions[0].unsettled.clear();
    assert!(!store.appends_little(&changes), "files are removed");
    store.write(&changes).unwrap();
    assert_eq!(text_files(&store), Vec::<PathBuf>::new());
}

#[test]
fn a_session_whose_large_text_is_gone_or_foreign_is_damaged() {
    let (directory, mut store) = store_in_directory();
    let mut changes = JournalChanges { is_all: true, ..changes_of(&["a", "b"]) };
    changes.journal.sessions[0].undecided[0].text = Some("more\n".repeat(20_000).into());
    store.write(&changes).unwrap();
    let text = session_files(store.path()).find(|file| !is_record(file)).unwrap();
    fs::remove_file(&text).unwrap();
    assert!(!store.exists());
    assert_eq!(
        (session_ids(&store), store.left_behind().unwrap().unwrap().is_damaged),
        (vec!["b".to_owned()], true)
    );

    fs::write(directory.path().join("secret"), "secret").unwrap();
    let record = fs::read_to_string(session_file(store.path(), "a")).unwrap();
    let name = text.file_name().unwrap().to_str().unwrap();
    for foreign in ["../../secret", "..", "/etc/hostname", ""] {
        fs::write(session_file(store.path(), "a"), record.replace(name, foreign)).unwrap();
        assert_eq!(session_ids(&store), ["b"], "{foreign}");
    }
}

#[test]
fn the_next_companion_keeps_large_texts_until_its_records_name_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let mut changes = JournalChanges { is_all: true, ..changes_of(&["a"]) };
    changes.journal.sessions[0].undecided[0].text = Some("more\n".repeat(20_000).into());
    let mut crashed = take_store(directory.path());
    crashed.write(&changes).unwrap();
    drop(crashed);
    let mut next = take_store(directory.path());
    // The next companion is killed before it writes the session.
    next.restart(&changes.journal.sessions).unwrap();
    assert_eq!(next.left_behind().unwrap().unwrap().sessions, changes.journal.sessions);
    next.write(&changes).unwrap();
    assert_eq!(next.left_behind().unwrap().unwrap().sessions, changes.journal.sessions);
    assert_eq!(session_files(next.path()).count(), 2, "the text file of the crashed companion is removed");
}

#[test]
fn the_next_companion_removes_sessions_that_have_ended() {
    let (directory, mut crashed) = store_in_directory();
    crashed.write(&JournalChanges { is_all: true, ..changes_of(&["a", "b"]) }).unwrap();
    drop(crashed);
    let mut next = take_store(directory.path());
    assert_eq!(session_ids(&next), ["a", "b"]);
    fs::write(next.path().with_extension("").join(".alongside-x"), "unfinished").unwrap();
    next.write(&JournalChanges { is_all: true, ..changes_of(&["b", "c"]) }).unwrap();
    assert_eq!(session_ids(&next), ["b", "c"]);
    assert_eq!(session_files(next.path()).count(), 2);
    next.retire();
    assert_eq!(fs::read_dir(super::directory(directory.path())).unwrap().count(), 0);
}

#[test]
fn a_normal_stop_removes_journal_and_lock() {
    let (directory, mut first) = store_in_directory();
    first.write(&first_changes()).unwrap();
    first.retire();
    assert_eq!(fs::read_dir(super::directory(directory.path())).unwrap().count(), 0);
    assert!(!is_kept(&AppDirs::below(directory.path()), "e"));
}

#[test]
fn a_damaged_or_foreign_journal_is_an_error_at_once() {
    let (_directory, mut store) = store_in_directory();
    store.write(&first_changes()).unwrap();
    let good = fs::read(store.path()).unwrap();
    // A record is whole even without its line end, so the last cut is one byte before that.
    for cut in 0..good.len() - 1 {
        fs::write(store.path(), &good[..cut]).unwrap();
        assert!(store.left_behind().is_err(), "cut after {cut} bytes");
    }
    for bad in [
        r#"{"port":7,"token":"","sessions":[],"undecided":[],"unsettled":[]}"#,
        r#"{"port":0,"token":"t"}"#,
        "[]",
    ] {
        fs::write(store.path(), bad).unwrap();
        assert!(store.left_behind().is_err(), "{bad}");
    }
    // The journal of another release gives port and token, and counts as damaged.
    fs::write(store.path(), r#"{"port":7,"token":"t","sessions":[{"id":1}],"more":{}}"#).unwrap();
    let recovered = store.left_behind().unwrap().unwrap();
    assert_eq!((recovered.port, recovered.token.as_str(), recovered.is_damaged), (7, "t", true));
    fs::remove_file(store.path()).unwrap();
    fs::create_dir(store.path()).unwrap();
    assert!(store.left_behind().is_err());
    #[cfg(unix)]
    {
        fs::remove_dir(store.path()).unwrap();
        crate::make_pipe(store.path());
        assert!(store.left_behind().is_err());
    }
}

#[test]
fn a_removed_directory_is_restored_unless_another_took_it() {
    let (directory, mut first) = store_in_directory();
    first.write(&first_changes()).unwrap();
    fs::remove_dir_all(super::directory(directory.path())).unwrap();
    assert!(!first.exists());
    first.write(&first_changes()).unwrap();
    assert!(first.exists() && RecoveryStore::take(directory.path(), "e").unwrap().is_none());
    fs::remove_dir_all(super::directory(directory.path())).unwrap();
    let second = take_store(directory.path());
    let refused = first.write(&first_changes()).unwrap_err();
    assert!(refused.to_string().contains("another companion"), "{refused}");
    first.retire();
    let lock = second.path().with_extension("lock");
    assert!(private_files::leads_to(&lock, &second.lock), "the lock of the other companion stays");
}

#[test]
fn a_crashed_journal_stays_two_weeks_and_a_lone_lock_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let dirs = AppDirs::below(directory.path());
    let old = SystemTime::now() - RETENTION - std::time::Duration::from_secs(60);
    for (name, age) in [("alive", Some(old)), ("old", Some(old)), ("new", None)] {
        let mut store = RecoveryStore::take(&dirs.state, name).unwrap().unwrap();
        store.write(&first_changes()).unwrap();
        if let Some(at) = age {
            File::options().append(true).open(store.path()).unwrap().set_modified(at).unwrap();
        }
        if name == "alive" {
            std::mem::forget(store);
        }
    }
    drop(RecoveryStore::take(&dirs.state, "bare").unwrap());
    sweep(&dirs);
    let entries = fs::read_dir(super::directory(&dirs.state)).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["alive.json", "alive.lock", "new.json", "new.lock"]);
    assert!(is_kept(&dirs, "alive") && !is_kept(&dirs, "new") && was_left(&dirs, "new"));
}
