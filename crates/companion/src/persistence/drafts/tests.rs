//! Tests of saving, listing, deleting and ageing drafts, and of removing drafts whose file holds the text.

use super::*;

fn drafts() -> (tempfile::TempDir, Drafts) {
    let directory = tempfile::tempdir().unwrap();
    let drafts = Drafts::open(&AppDirs::below(directory.path()));
    (directory, drafts)
}

fn draft(id: &str, text: &str) -> NewDraft {
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
    let open = NewDraft { why: "its review is still open".into(), is_open: true, ..draft("1-1", "mine\n") };
    drafts.save(&open).unwrap();
    let state = || drafts.list().unwrap()[0].state().to_owned();
    assert_eq!(state(), "its review is still open");
    let description = drafts.directory().join("1-1").join(DESCRIPTION);
    let written = fs::read_to_string(&description).unwrap();
    // No process has this id.
    let with_process_id =
        |pid: &str| written.replace(&format!(": {},", std::process::id()), &format!(": {pid},"));
    fs::write(&description, with_process_id("4294967294")).unwrap();
    assert_eq!(state(), "its review was interrupted");
    let with_saved_at_2001 = |text: String| {
        let saved = drafts.list().unwrap()[0].saved_at_ms.to_string();
        text.replace(&saved, "1000000000000")
    };
    fs::write(&description, with_saved_at_2001(written.clone())).unwrap();
    assert_eq!(
        state(),
        "its review was interrupted",
        "the process id was reused: this process started after the draft was saved"
    );
    drafts.save(&NewDraft { why: "it was rejected".into(), is_open: false, ..open }).unwrap();
    assert_eq!(state(), "it was rejected");
}

#[test]
fn a_draft_for_an_accepted_text_is_removed_when_its_file_holds_it() {
    let (directory, drafts) = drafts();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let [lf, crlf, with_bom] = ["lf", "crlf", "with_bom"].map(path);
    for (id, file) in [("1-1", &lf), ("1-2", &crlf), ("1-3", &with_bom)] {
        drafts.save(&NewDraft { file: file.clone(), awaited: true, ..draft(id, "one\ntwo\n") }).unwrap();
    }
    // The agent does not write the text of a rejected review, so this draft is not awaited.
    drafts.save(&NewDraft { file: lf.clone(), ..draft("1-4", "one\ntwo\n") }).unwrap();
    let remaining_ids = || {
        let mut ids: Vec<_> = drafts.list().unwrap().into_iter().map(|draft| draft.id).collect();
        ids.sort();
        ids
    };
    let remove_written_and_ask_awaited = || {
        drafts.settle();
        drafts.list().unwrap().iter().any(|draft| draft.awaited)
    };
    assert!(remove_written_and_ask_awaited(), "none of the files exists");
    fs::write(&lf, "one\n").unwrap();
    fs::write(&crlf, "one\r\ntwo\r\n\r\n").unwrap();
    fs::write(&with_bom, [b"one\ntwo\n".as_slice(), &[0xff]].concat()).unwrap();
    assert!(remove_written_and_ask_awaited());
    assert_eq!(remaining_ids(), ["1-1", "1-2", "1-3", "1-4"], "each file holds something else");
    fs::write(&lf, "one\ntwo\n").unwrap();
    fs::write(&crlf, "one\r\ntwo\r\n").unwrap();
    assert!(remove_written_and_ask_awaited());
    assert_eq!(remaining_ids(), ["1-3", "1-4"]);
    fs::write(&with_bom, "\u{feff}one\ntwo\n").unwrap();
    assert!(!remove_written_and_ask_awaited(), "no awaited draft is left");
    assert_eq!(remaining_ids(), ["1-4"]);
}

#[test]
fn a_draft_is_saved_replaced_listed_read_and_deleted() {
    let (_directory, drafts) = drafts();
    assert_eq!(drafts.list().unwrap(), []);
    drafts.save(&draft("1-1", "one")).unwrap();
    let path = drafts.save(&draft("1-1", "two")).unwrap();
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
    assert!(
        drafts.delete_at(&directory.path().join(id).join("a.txt")).is_err(),
        "the path is not that of a draft's text"
    );
    assert_eq!(drafts.list().unwrap().len(), 1);
    drafts.delete_at(&path).unwrap();
    assert_eq!(drafts.list().unwrap(), []);
}

#[test]
fn the_name_of_a_draft_is_that_of_its_file_made_harmless() {
    let (_directory, drafts) = drafts();
    for (id, file, name) in [
        ("1-1", "/p/a\u{202e}sr\u{200b}.\x1b[2Jtxt", "a_sr_._[2Jtxt"),
        ("1-2", "/p/draft.json", "draft.json.txt"),
        ("1-3", "/p/..", "proposal"),
    ] {
        let path = drafts.save(&NewDraft { file: file.into(), ..draft(id, "mine") }).unwrap();
        assert_eq!(path.file_name().unwrap(), name);
        assert_eq!(drafts.read(id).unwrap(), "mine", "{file:?}");
    }
    // Drafts of older releases have less escaped names; they are found by the name in their description.
    let draft_directory = drafts.directory().join("1-1");
    let rename = |from: &str, to: &str| {
        fs::rename(draft_directory.join(from), draft_directory.join(to)).unwrap();
        let description = fs::read(draft_directory.join(DESCRIPTION)).unwrap();
        let mut description: serde_json::Value = serde_json::from_slice(&description).unwrap();
        description["textFile"] = to.into();
        fs::write(draft_directory.join(DESCRIPTION), description.to_string()).unwrap();
    };
    rename("a_sr_._[2Jtxt", "a\u{202e}sr.txt");
    assert_eq!(drafts.read("1-1").unwrap(), "mine");
}

#[test]
fn two_unsent_texts_of_one_file_are_both_kept() {
    let (_directory, drafts) = drafts();
    let paths = ["one", "two"].map(|text| drafts.keep("/p/a.rs", "Gemini CLI", "it ended", text).unwrap());
    assert_ne!(paths[0], paths[1]);
    assert_eq!(paths.map(|path| fs::read_to_string(path).unwrap()), ["one", "two"]);
    assert_eq!(drafts.list().unwrap().len(), 2);
}

#[test]
fn an_id_cannot_name_a_path_outside_the_drafts() {
    let (_directory, drafts) = drafts();
    for id in ["..", "", "a", "1/../..", "/etc"] {
        assert!(drafts.delete(id).is_err(), "{id}");
        assert!(drafts.save(&draft(id, "x")).is_err(), "{id}");
    }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap()
}

#[test]
fn a_draft_is_removed_when_found_too_old_on_two_days() {
    let (_directory, drafts) = drafts();
    drafts.save(&draft("1-1", "x")).unwrap();
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
    drafts.save(&draft("1-1", "x")).unwrap();
    let now = alongside_desk::now_ms();
    let far = now + 73 * 365 * millis(DAY);
    drafts.prune(far);
    drafts.prune(far + 60_000);
    drafts.prune(now);
    assert_eq!(
        drafts.list().unwrap()[0].old_since_ms,
        None,
        "the clock was right again, so the draft is not old"
    );
    drafts.prune(far);
    drafts.prune(0);
    drafts.prune(now + 2 * millis(DAY));
    assert_eq!(
        drafts.list().unwrap()[0].saved_at_ms / 60_000,
        now / 60_000,
        "a wrong clock does not change the time of saving"
    );
}

#[test]
fn unfinished_drafts_of_dead_processes_are_removed() {
    let (_directory, drafts) = drafts();
    drafts.save(&draft("1-1", "x")).unwrap();
    let unfinished = |name: &str| {
        let path = drafts.directory().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("a b.rs"), "half").unwrap();
        path
    };
    let own = std::process::id();
    let [own_old, own_recent] = [unfinished(&format!(".2-1-{own}-0")), unfinished(&format!(".3-1-{own}-0"))];
    let of_dead_process = unfinished(&format!(".4-1-{}-0", u32::MAX >> 1));
    let long_ago = std::time::SystemTime::now() - 2 * private_files::WRITE_TIMEOUT;
    let mut options = fs::File::options();
    #[cfg(unix)]
    options.read(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        // A directory is opened only as for a backup, and its time is one of the attributes.
        let (write_attributes, backup_semantics) = (0x100, 0x0200_0000);
        options.access_mode(write_attributes).custom_flags(backup_semantics);
    }
    options.open(&own_old).unwrap().set_modified(long_ago).unwrap();
    assert_eq!(drafts.list().unwrap().len(), 1, "an unfinished draft is not listed");
    drafts.prune(alongside_desk::now_ms());
    assert!(!own_old.exists() && !of_dead_process.exists());
    assert!(own_recent.exists(), "a write of a live process may still be under way");
    assert_eq!(drafts.read("1-1").unwrap(), "x");
}

#[cfg(unix)]
#[test]
fn a_draft_is_private_at_every_step() {
    use std::os::unix::fs::MetadataExt as _;
    let (_directory, drafts) = drafts();
    let text = drafts.save(&draft("1-1", "x")).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    let draft_directory = text.parent().unwrap();
    assert_eq!([drafts.directory().as_path(), draft_directory].map(mode), [0o700; 2]);
    assert_eq!([text.as_path(), &draft_directory.join(DESCRIPTION)].map(mode), [0o600; 2]);
}
