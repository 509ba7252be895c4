//! Tests that files which a person saves become the context while no editor reports them.

use std::fs;

use alongside_companion::turns::source::{TurnSource as _, Undo, UndoTo};
use alongside_contract::turns::Moment;
use alongside_desk::{AtWork, Call, Closed, Review, Seat, Turn, TurnId, Word};
use alongside_platform::paths::{Canonical as _, to_bytes};
use alongside_turns::{TakeBack, TurnEvent, TurnStore, record};

use super::*;

/// A watched project, and the companion's end of the desk.
struct Watched {
    _dir: tempfile::TempDir,
    /// The directory of the store of turns.
    store: tempfile::TempDir,
    root: PathBuf,
    seat: Seat,
}

impl Watched {
    async fn project() -> Self {
        let (dir, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = dir.path().canonical().unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        let (desk, seat) = alongside_desk::pair();
        let filter = SaveFilter::new(std::slice::from_ref(&root), &[], false);
        start(desk, vec![root.clone()], filter, TurnDirs::below(store.path()));
        let mut watched = Self { _dir: dir, store, root, seat };
        // The watcher starts in the background and is ready once it notices a save.
        for attempt in 0.. {
            watched.save("ready", &format!("{attempt}"));
            let noticed = tokio::time::timeout(Duration::from_millis(500), watched.any_report()).await;
            if noticed.is_ok() {
                return watched;
            }
            assert!(attempt < 40, "a save in {} was never noticed", watched.root.display());
        }
        watched
    }

    fn save(&self, file: &str, text: &str) {
        fs::write(self.root.join(file), text).unwrap();
    }

    /// Sends the watcher an event, and waits until it was handled: the watcher answers a flush only
    /// afterwards.
    async fn send_and_wait(&mut self, event: Event) {
        self.seat.events.send(event).unwrap();
        self.seat.events.send(Event::FlushReview { id: ReviewId(1) }).unwrap();
        let is_flushed = |call: Call| matches!(call.request, Request::Flushed { .. });
        let heard =
            async { while !is_flushed(self.seat.calls.recv().await.expect("the watcher is there")) {} };
        tokio::time::timeout(Duration::from_secs(20), heard).await.expect("the watcher answers a flush");
    }

    /// Accepts a proposal for `src/a.rs`, so that an agent is to write the file.
    async fn accepts(&mut self) {
        let file = self.root.join("src/a.rs").display().to_string();
        self.send_and_wait(Event::Opened(Review { id: ReviewId(1), file, ..Review::default() })).await;
        let closed = Closed {
            id: ReviewId(1),
            closing: Closing::Accepted,
            decided_here: true,
            decided_in: None,
            draft: None,
            follows: alongside_desk::Follows::Write,
        };
        self.send_and_wait(Event::Closed(closed)).await;
    }

    /// Reports that agents are at work in these turns.
    async fn works(&mut self, at_work: Vec<AtWork>) {
        let root = self.root.display().to_string();
        self.send_and_wait(Event::Turn(Turn { id: TurnId(1), root, at_work, ..Turn::default() })).await;
    }

    /// Sends the last word of the review of `src/a.rs`.
    fn tell(&self, word: Word) {
        let file = self.root.join("src/a.rs").display().to_string();
        let told = LastWord { id: ReviewId(1), file, word, message: String::new() };
        self.seat.events.send(Event::LastWord(told)).unwrap();
    }

    /// Returns the open files of the next report, newest first, relative to the root, with slashes.
    async fn report(&mut self) -> Vec<String> {
        loop {
            let files = self.any_report().await;
            // A save that showed that the watcher is ready may be reported late.
            if files != ["ready"] {
                return files;
            }
        }
    }

    async fn next_report(&mut self) -> Vec<String> {
        tokio::time::timeout(Duration::from_secs(20), self.report()).await.expect("a report")
    }

    async fn any_report(&mut self) -> Vec<String> {
        loop {
            let Call { request, .. } = self.seat.calls.recv().await.expect("the watcher is there");
            if let Request::ChangeContext(report) = request {
                let open = report.open_files.unwrap_or_default();
                assert_eq!(
                    report.active.map(|active| active.path),
                    open.first().map(|file| file.path.clone())
                );
                let below = |file: &OpenFile| {
                    let below = to_bytes(Path::new(&file.path).strip_prefix(&self.root).unwrap());
                    String::from_utf8(below).unwrap()
                };
                return open.iter().map(below).collect();
            }
        }
    }

    /// Waits for a report whose first file is `file`.
    async fn newest_is(&mut self, file: &str) {
        let mut last = Vec::new();
        let waited = tokio::time::timeout(Duration::from_secs(20), async {
            loop {
                last = self.report().await;
                if last.first().map(String::as_str) == Some(file) {
                    return;
                }
            }
        });
        if waited.await.is_err() {
            panic!("{file} never became the active file; the last report was {last:?}");
        }
    }
}

#[tokio::test]
async fn a_saved_file_becomes_the_active_file() {
    let mut project = Watched::project().await;
    project.save("src/a.rs", "fn a() {}");
    project.newest_is("src/a.rs").await;
    project.save("b.rs", "fn b() {}");
    project.newest_is("b.rs").await;
    fs::create_dir(project.root.join("new")).unwrap();
    project.save("new/c.rs", "fn c() {}");
    project.newest_is("new/c.rs").await;
    project.save("src/a.rs", "fn a() { again() }");
    project.newest_is("src/a.rs").await;
}

#[tokio::test]
async fn noise_and_accepted_files_do_not_count() {
    let mut project = Watched::project().await;
    project.accepts().await;
    project.save("src/a.rs", "one\r\ntwo\r\n");
    // The last word may come after the event of the file.
    tokio::time::sleep(SETTLE_TIME * 3).await;
    project.tell(Word::WrittenAsAccepted);
    project.save("debug.log", "noise");
    project.save(".b.rs.swp", "noise");
    project.save("4913", "");
    // The next save is the first that the watcher reports.
    tokio::time::sleep(SETTLE_TIME * 3).await;
    project.save("b.rs", "mine");
    let files = project.next_report().await;
    assert_eq!(files.first().map(String::as_str), Some("b.rs"));
    for noise in ["src/a.rs", "debug.log", ".b.rs.swp", "4913"] {
        assert!(!files.iter().any(|file| file == noise), "{noise} in {files:?}");
    }
    project.save("src/a.rs", "one\ntwo\nthree, by hand\n");
    project.newest_is("src/a.rs").await;
}

#[tokio::test]
async fn a_file_that_was_not_written_as_accepted_counts_as_saved() {
    let mut project = Watched::project().await;
    project.accepts().await;
    project.save("src/a.rs", "by hand");
    tokio::time::sleep(SETTLE_TIME * 3).await;
    project.save("b.rs", "mine");
    project.newest_is("b.rs").await;
    project.tell(Word::SomethingElse);
    project.newest_is("src/a.rs").await;
}

#[tokio::test]
async fn a_file_written_while_an_agent_is_at_work_does_not_count() {
    let mut project = Watched::project().await;
    project.works(vec![AtWork { agent: "Codex".into(), since: 1 }]).await;
    project.save("src/a.rs", "the agent's");
    tokio::time::sleep(SETTLE_TIME * 3).await;
    project.works(Vec::new()).await;
    // The next save is the first that the watcher reports.
    project.save("b.rs", "mine");
    let files = project.next_report().await;
    assert_eq!(files.first().map(String::as_str), Some("b.rs"));
    assert!(!files.iter().any(|file| file == "src/a.rs"), "{files:?}");
    project.save("src/a.rs", "mine, too");
    project.newest_is("src/a.rs").await;
}

/// No event reports Esc before the next prompt.
#[tokio::test]
async fn a_file_saved_alone_while_an_agent_seems_at_work_counts() {
    let mut project = Watched::project().await;
    project.works(vec![AtWork { agent: "Codex".into(), since: 1 }]).await;
    let quiet = async || {
        tokio::time::pause();
        tokio::time::advance(turn_saves::QUIET_TIME).await;
        tokio::time::resume();
    };
    quiet().await;
    project.save("b.rs", "mine");
    for attempt in 0.. {
        // The watcher may receive the event of the file only now, and then waits again.
        quiet().await;
        let reported = tokio::time::timeout(Duration::from_millis(500), project.report()).await;
        if let Ok(files) = reported {
            assert_eq!(files.first().map(String::as_str), Some("b.rs"));
            return;
        }
        assert!(attempt < 40, "the save was never reported");
    }
}

/// Runs git in the project. Returns false without git.
fn git(project: &Watched, args: &[&str]) -> bool {
    let mut git = std::process::Command::new("git");
    git.current_dir(&project.root).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.output().is_ok_and(|output| output.status.success())
}

#[tokio::test]
async fn a_file_written_by_a_checkout_does_not_count() {
    let mut project = Watched::project().await;
    fs::remove_dir_all(project.root.join(".git")).unwrap();
    if !git(&project, &["init", "--quiet"]) {
        return alongside_testing::skip("there is no git here");
    }
    project.save("src/a.rs", "one\n");
    project.save("b.rs", "one\n");
    assert!(git(&project, &["add", "src", "b.rs"]) && git(&project, &["commit", "--quiet", "-m", "one"]));
    assert!(git(&project, &["checkout", "--quiet", "-b", "other"]));
    project.save("src/a.rs", "two\n");
    assert!(git(&project, &["commit", "--quiet", "-a", "-m", "two"]));
    project.save("b.rs", "mine\n");
    project.newest_is("b.rs").await;
    assert!(git(&project, &["checkout", "--quiet", "-"]));
    assert_eq!(fs::read_to_string(project.root.join("src/a.rs")).unwrap(), "one\n");
    // The next save is the first that the watcher reports.
    tokio::time::sleep(SETTLE_TIME * 3).await;
    project.save("c.rs", "mine\n");
    let files = project.next_report().await;
    assert_eq!(files.first().map(String::as_str), Some("c.rs"));
    let newer = files.iter().take_while(|file| *file != "b.rs").count();
    assert_eq!(newer, 1, "the checkout counts: {files:?}");
}

#[tokio::test]
async fn a_file_written_by_an_undo_or_by_taking_it_back_does_not_count() {
    let mut project = Watched::project().await;
    fs::remove_dir_all(project.root.join(".git")).unwrap();
    if !git(&project, &["init", "--quiet"]) {
        return alongside_testing::skip("there is no git here");
    }
    let (dirs, file) = (TurnDirs::below(project.store.path()), project.root.join("src/a.rs"));
    project.save("src/a.rs", "one\n");
    let (agent, session, turn) = ("Codex".to_owned(), "s".to_owned(), String::new());
    let prompt =
        TurnEvent { moment: Moment::Prompt, agent, session, turn, is_attended: true, is_woken: false };
    let until = std::time::Instant::now() + Duration::from_secs(60);
    record(&dirs, &prompt, &project.root, until).unwrap();
    project.save("src/a.rs", "one\ntwo\n");
    project.newest_is("src/a.rs").await;
    project.save("b.rs", "mine\n");
    project.newest_is("b.rs").await;
    let store = TurnStore::new(dirs.clone());
    let look = store.look(&project.root, None).unwrap();
    let found = look.files.iter().find(|found| found.told.path == "src/a.rs").unwrap();
    let undone = store.undo(&look, &[Undo { file: found.clone(), to: UndoTo::Baseline }]).remove(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
    // The next save is the first that the watcher reports.
    tokio::time::sleep(SETTLE_TIME * 3).await;
    TakeBack::new(&dirs).write(&file, Path::new(&undone.draft.unwrap())).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    tokio::time::sleep(SETTLE_TIME * 3).await;
    project.save("c.rs", "mine\n");
    let files = project.next_report().await;
    assert_eq!(files.get(..2), Some(["c.rs".to_owned(), "b.rs".to_owned()].as_slice()), "{files:?}");
    project.save("src/a.rs", "mine, too\n");
    project.newest_is("src/a.rs").await;
}

/// Windows reports that a folder was modified whenever a file in it is.
#[test]
fn the_files_of_a_folder_count_only_when_it_is_created() {
    use notify::event::{CreateKind, DataChange, RenameMode};

    for kind in [EventKind::Create(CreateKind::Any), EventKind::Modify(ModifyKind::Name(RenameMode::To))] {
        assert!(may_create(kind), "{kind:?}");
    }
    for kind in [ModifyKind::Any, ModifyKind::Data(DataChange::Any)].map(EventKind::Modify) {
        assert!(may_save(kind) && !may_create(kind), "{kind:?}");
    }
}

#[test]
fn a_system_limit_names_its_setting() {
    let limit = problem(&notify::Error::new(notify::ErrorKind::MaxFilesWatch)).unwrap();
    assert!(limit.hint.unwrap().contains("sysctl fs.inotify.max_user_watches"));
    let io = |code| notify::Error::io(std::io::Error::from_raw_os_error(code));
    assert!(problem(&io(24)).unwrap().hint.unwrap().contains("max_user_instances"));
    assert_eq!(problem(&io(2)), None);
}
