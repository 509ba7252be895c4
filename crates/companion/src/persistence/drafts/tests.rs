//! Saving, listing, settling and ageing of drafts.

use super::*;

fn drafts() -> (tempfile::TempDir, Drafts) {
    let directory = tempfile::tempdir().unwrap();
    let drafts = Drafts::open(&AppDirs::below(directory.path()));
    (directory, drafts)
}

fn new(id: &str, text: &str) -> NewDraft {
    NewDraft {
        id: id.into(),
        number: 0,
        file: "/p/a b.rs".into(),
        agent: "Gemini CLI".into(),
        why: "rejected".into(),
        text: text.into(),
        ..NewDraft::default()
    }
}

#[test]
fn a_draft_says_whether_its_review_is_open_or_was_interrupted() {
    let (_directory, drafts) = drafts();
    let open = NewDraft { why: "its review is still open".into(), is_open: true, ..new("1-1", "mine\n") };
    drafts.save(&open).unwrap();
    let state = || drafts.list().unwrap()[0].state().to_owned();
    assert_eq!(state(), "its review is still open");
    let description = drafts.directory().join("1-1").join(DESCRIPTION);
    let written = fs::read_to_string(&description).unwrap();
    // No process has this id.
    let of_process = |pid: &str| written.replace(&format!(": {},", std::process::id()), &format!(": {pid},"));
    fs::write(&description, of_process("4294967294")).unwrap();
    assert_eq!(state(), "its review was interrupted");
    let saved_early = |text: String| {
        let saved = drafts.list().unwrap()[0].saved_at_ms.to_string();
        text.replace(&saved, "1000000000000")
    };
    fs::write(&description, saved_early(written.clone())).unwrap();
    assert_eq!(state(), "its review was interrupted", "this process is younger than the draft");
    drafts.save(&NewDraft { why: "it was rejected".into(), is_open: false, ..open }).unwrap();
    assert_eq!(state(), "it was rejected");
}

#[test]
fn an_awaited_draft_goes_when_its_file_holds_the_text() {
    let (directory, drafts) = drafts();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let [plain, windows, marked] = ["plain", "windows", "marked"].map(path);
    for (id, file) in [("1-1", &plain), ("1-2", &windows), ("1-3", &marked)] {
        drafts.save(&NewDraft { file: file.clone(), awaited: true, ..new(id, "one\ntwo\n") }).unwrap();
    }
    // The draft of a rejected review is not awaited.
    drafts.save(&NewDraft { file: plain.clone(), ..new("1-4", "one\ntwo\n") }).unwrap();
    let left = || {
        let mut left: Vec<_> = drafts.list().unwrap().into_iter().map(|draft| draft.id).collect();
        left.sort();
        left
    };
    let settle = || {
        drafts.settle();
        drafts.list().unwrap().iter().any(|draft| draft.awaited)
    };
    assert!(settle(), "none of the files is there");
    fs::write(&plain, "one\n").unwrap();
    fs::write(&windows, "one\r\ntwo\r\n\r\n").unwrap();
    fs::write(&marked, [b"one\ntwo\n".as_slice(), &[0xff]].concat()).unwrap();
    assert!(settle());
    assert_eq!(left(), ["1-1", "1-2", "1-3", "1-4"], "each holds something else");
    fs::write(&plain, "one\ntwo\n").unwrap();
    fs::write(&windows, "one\r\ntwo\r\n").unwrap();
    assert!(settle());
    assert_eq!(left(), ["1-3", "1-4"]);
    fs::write(&marked, "\u{feff}one\ntwo\n").unwrap();
    assert!(!settle(), "nobody is waited for any more");
    assert_eq!(left(), ["1-4"]);
}

#[test]
fn a_draft_is_saved_replaced_listed_read_and_deleted() {
    let (_directory, drafts) = drafts();
    assert_eq!(drafts.list().unwrap(), []);
    drafts.save(&new("1-1", "one")).unwrap();
    let path = drafts.save(&new("1-1", "two")).unwrap();
    assert_eq!(path, drafts.path_of("1-1", "/p/a b.rs"));
    let listed = drafts.list().unwrap();
    assert_eq!((listed.len(), listed[0].path.clone()), (1, path));
    assert_eq!(drafts.read("1-1").unwrap(), "two");
    drafts.delete("1-1").unwrap();
    assert_eq!(drafts.list().unwrap(), []);
}

#[test]
fn a_draft_is_deleted_by_the_path_of_its_text_alone() {
    let (directory, drafts) = drafts();
    let path = drafts.keep("/p/a.txt", "Gemini CLI", "a test", "mine").unwrap();
    let id = drafts.list().unwrap()[0].id.clone();
    assert!(drafts.delete_at(&directory.path().join(id).join("a.txt")).is_err(), "this is no draft");
    assert_eq!(drafts.list().unwrap().len(), 1);
    drafts.delete_at(&path).unwrap();
    assert_eq!(drafts.list().unwrap(), []);
}

#[test]
fn a_draft_has_the_harmless_name_of_its_file() {
    let (_directory, drafts) = drafts();
    for (id, file, name) in [
        ("1-1", "/p/a\u{202e}sr\u{200b}.\x1b[2Jtxt", "a_sr_._[2Jtxt"),
        ("1-2", "/p/draft.json", "draft.json.txt"),
        ("1-3", "/p/..", "proposal"),
    ] {
        let path = drafts.save(&NewDraft { file: file.into(), ..new(id, "mine") }).unwrap();
        assert_eq!(path.file_name().unwrap(), name);
        assert_eq!(drafts.read(id).unwrap(), "mine", "{file:?}");
    }
    // The draft of a release that kept more of the file's name is found under the name that it has.
    let draft_directory = drafts.directory().join("1-1");
    let rename = |from: &str, to: &str| {
        fs::rename(draft_directory.join(from), draft_directory.join(to)).unwrap();
        let about = fs::read(draft_directory.join(DESCRIPTION)).unwrap();
        let mut about: serde_json::Value = serde_json::from_slice(&about).unwrap();
        about["textFile"] = to.into();
        fs::write(draft_directory.join(DESCRIPTION), about.to_string()).unwrap();
    };
    rename("a_sr_._[2Jtxt", "a\u{202e}sr.txt");
    assert_eq!(drafts.read("1-1").unwrap(), "mine");
}

#[test]
fn a_text_that_no_companion_took_over_is_kept() {
    let (_directory, drafts) = drafts();
    let paths = ["one", "two"].map(|text| drafts.keep("/p/a.rs", "Gemini CLI", "it ended", text).unwrap());
    assert_ne!(paths[0], paths[1]);
    assert_eq!(paths.map(|path| fs::read_to_string(path).unwrap()), ["one", "two"]);
    assert_eq!(drafts.list().unwrap().len(), 2);
}

#[test]
fn an_id_cannot_lead_elsewhere() {
    let (_directory, drafts) = drafts();
    for id in ["..", "", "a", "1/../..", "/etc"] {
        assert!(drafts.delete(id).is_err(), "{id}");
        assert!(drafts.save(&new(id, "x")).is_err(), "{id}");
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap()
}

#[test]
fn a_draft_goes_two_weeks_old_when_seen_so_on_two_days() {
    let (_directory, drafts) = drafts();
    drafts.save(&new("1-1", "x")).unwrap();
    let now = alongside_desk::now_ms();
    drafts.prune(now);
    let old = now + millis(RETENTION) + 60_000;
    drafts.prune(old);
    drafts.prune(old + millis(MIN_CHECK_INTERVAL) - 1);
    assert_eq!(drafts.list().unwrap().len(), 1);
    drafts.prune(old + millis(MIN_CHECK_INTERVAL));
    assert_eq!(drafts.list().unwrap().len(), 0);
    assert_eq!(fs::read_dir(drafts.directory()).unwrap().count(), 0);
}

#[test]
fn a_clock_that_is_wrong_for_a_while_removes_no_draft() {
    let (_directory, drafts) = drafts();
    drafts.save(&new("1-1", "x")).unwrap();
    let now = alongside_desk::now_ms();
    let far = now + 73 * 365 * millis(MIN_CHECK_INTERVAL);
    drafts.prune(far);
    drafts.prune(far + 60_000);
    drafts.prune(now);
    assert_eq!(drafts.list().unwrap()[0].old_since_ms, None, "it was right again");
    drafts.prune(far);
    drafts.prune(0);
    drafts.prune(now + 2 * millis(MIN_CHECK_INTERVAL));
    assert_eq!(drafts.list().unwrap()[0].saved_at_ms / 60_000, now / 60_000, "nor makes it older");
}

#[test]
fn unfinished_drafts_of_dead_processes_are_removed() {
    let (_directory, drafts) = drafts();
    drafts.save(&new("1-1", "x")).unwrap();
    let half = |name: &str| {
        let half = drafts.directory().join(name);
        fs::create_dir(&half).unwrap();
        fs::write(half.join("a b.rs"), "half").unwrap();
        half
    };
    let own = std::process::id();
    let [old, now] = [half(&format!(".2-1-{own}-0")), half(&format!(".3-1-{own}-0"))];
    let of_the_dead = half(&format!(".4-1-{}-0", u32::MAX >> 1));
    let long_ago = std::time::SystemTime::now() - 2 * private_files::WRITE_TIMEOUT;
    fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
    assert_eq!(drafts.list().unwrap().len(), 1, "nobody is shown half of one");
    drafts.prune(alongside_desk::now_ms());
    assert!(!old.exists() && !of_the_dead.exists());
    assert!(now.exists(), "another companion may be at it");
    assert_eq!(drafts.read("1-1").unwrap(), "x");
}

#[cfg(unix)]
#[test]
fn a_draft_is_private_at_every_step() {
    use std::os::unix::fs::MetadataExt as _;
    let (_directory, drafts) = drafts();
    let text = drafts.save(&new("1-1", "x")).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    let draft_directory = text.parent().unwrap();
    assert_eq!([drafts.directory().as_path(), draft_directory].map(mode), [0o700; 2]);
    assert_eq!([text.as_path(), &draft_directory.join(DESCRIPTION)].map(mode), [0o600; 2]);
}
