//! Tests of turn reviews at the desk: they are read like other reviews, and neither a turn review nor a
//! proposal replaces the other on the screen without a key.

use alongside_desk::{
    AtWork, Author, Baseline, Closing, Event, FileChange, Lines, OpenedTurnFile, Refusal, Route, Turn,
    TurnFile, TurnId,
};
use insta::assert_snapshot;

use super::*;
use crate::TurnOptions;

pub(super) const ID: TurnId = TurnId(7);

pub(super) fn file(path: &str, change: FileChange, added: usize, removed: usize) -> TurnFile {
    TurnFile { path: path.into(), change, added, removed, ..TurnFile::default() }
}

pub(super) fn turn(files: Vec<TurnFile>) -> Turn {
    let name = "the end of the last turn of Codex".into();
    let baseline = Baseline { asked: None, name, at: Some(NOW - 5 * 60_000) };
    Turn { id: ID, root: "/shop".into(), revision: 1, baseline, files, ..Turn::default() }
}

/// Six files with all kinds of changes.
pub(super) fn files() -> Vec<TurnFile> {
    vec![
        TurnFile { author: Author::Person, ..file("README.md", FileChange::Modified, 3, 2) },
        TurnFile {
            without_text: Some("it is binary".into()),
            ..file("assets/logo.png", FileChange::Added, 0, 0)
        },
        file("src/basket.py", FileChange::Modified, 7, 6),
        TurnFile {
            from: Some("src/pay.py".into()),
            staged: true,
            ..file("src/checkout/payment.py", FileChange::Renamed, 1, 1)
        },
        TurnFile { author: Author::Unknown, ..file("src/new\u{1b}file.py", FileChange::Added, 3, 0) },
        file("src/old.py", FileChange::Deleted, 0, 2),
    ]
}

impl TestDesk {
    /// Sets the turn review, with texts for all files that have one.
    pub(super) fn set_turn(&mut self, turn: Turn) {
        for file in turn.files.iter().filter(|file| file.without_text.is_none()) {
            let few = match file.change {
                FileChange::Added => vec![differs("", "one\ntwo\nthree\n")],
                FileChange::Deleted => vec![differs("one\ntwo\n", "")],
                _ if file.path.ends_with(".py") => pieces(),
                _ => vec![same("# Shop\n\n"), differs("It sells.\nA lot.\n", "It sells things.\n\nAll.\n")],
            };
            self.companion.turn_files.insert(file.path.clone(), few);
        }
        self.companion.turn = Some(turn);
    }

    /// Sends this turn review, and waits until keys count.
    pub(super) async fn send_turn(&mut self, turn: Turn) {
        self.set_turn(turn);
        self.companion.send_turn();
        self.wait_until_keys_count().await;
    }

    /// The turn changes without a person's doing.
    pub(super) async fn change_turn(&mut self, change: impl FnOnce(&mut Turn)) {
        change(self.companion.turn.as_mut().unwrap());
        self.companion.send_turn();
        self.deliver_all().await;
    }

    /// Starts a desk with a turn review of six files on the screen.
    pub(super) async fn in_turn(width: u16, height: u16, sidebar: Option<bool>) -> Self {
        Self::in_turn_of(turn(files()), width, height, sidebar, Options::default()).await
    }

    /// Starts a desk with this turn review on the screen.
    pub(super) async fn in_turn_of(
        turn: Turn,
        width: u16,
        height: u16,
        sidebar: Option<bool>,
        options: Options,
    ) -> Self {
        let mut desk = Self::with_sidebar(width, height, "false", sidebar, options);
        desk.connect().await;
        desk.set_turn(turn);
        desk.press_and_wait("T").await;
        desk
    }

    /// The number of requests that opened a file.
    pub(super) fn open_file_requests(&self) -> usize {
        self.requests().iter().filter(|asked| matches!(asked, Request::OpenTurnFile { .. })).count()
    }

    /// The requests about turns, but for looks and opened files.
    pub(super) fn turn_requests(&self) -> Vec<Request> {
        let quiet =
            |request: &Request| matches!(request, Request::ReviewTurn { .. } | Request::OpenTurnFile { .. });
        self.requests().into_iter().filter(|request| !quiet(request)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn files_are_listed_and_read_like_reviews_on_screens_of_every_size() {
    for (width, height) in [(130, 40), (80, 24), (60, 20), (200, 60)] {
        let mut desk = TestDesk::in_turn(width, height, None).await;
        desk.press_and_wait("\t\t").await;
        assert_snapshot!(format!("turn_{width}x{height}"), desk.screen());
    }
    let desk = TestDesk::in_turn(130, 40, Some(true)).await;
    assert_snapshot!("turn_130x40_with_lists", desk.screen());
    assert_eq!(desk.turn_requests(), [], "looking marks nothing");
}

#[tokio::test(start_paused = true)]
async fn a_file_without_text_says_why() {
    let mut desk = TestDesk::in_turn(100, 24, None).await;
    desk.key(KeyCode::Tab).await;
    assert_snapshot!("turn_without_text", desk.screen());
    desk.press_expecting("s", "This file is only undone as a whole: X marks it.").await;
    desk.companion.turn_files.remove("src/basket.py");
    desk.press_expecting("\t", "The changes cannot be told: there is no repository. Press r to try again.")
        .await;
}

#[tokio::test(start_paused = true)]
async fn all_files_and_remarks_are_in_a_list() {
    let mut desk = TestDesk::connected(100, 24).await;
    let remarks = vec![
        "The beginning of a turn is missing: the hook took longer than two seconds.".into(),
        "HEAD has moved since.".into(),
    ];
    desk.set_turn(Turn { remarks, ..turn(files()) });
    desk.press_expecting("T", "! The beginning of a turn is missing").await;
    desk.assert_shows("(1 more: L)");
    desk.press("L").await;
    assert_snapshot!("turn_list", desk.screen());
    desk.press_and_wait_expecting("jjj\n", "R src/checkout/payment.py was src/pay.py").await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_changes_says_so() {
    let mut desk = TestDesk::connected(80, 24).await;
    desk.set_turn(turn(Vec::new()));
    desk.press("T").await;
    assert_snapshot!("turn_without_changes", desk.screen());
    desk.press_expecting("⎋", "Nothing to review.").await;
    desk.assert_hides("A turn waits");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_only_records_turns_is_listed_without_a_promise() {
    let mut desk = TestDesk::new(100, 24);
    desk.wait_until_keys_count().await;
    desk.assert_shows("No agent is connected yet.");
    let route = Some(Route { agent: "Codex".into(), ..Route::default() });
    desk.send_turn(Turn { route, ..turn(Vec::new()) }).await;
    desk.assert_shows("Codex by its hook");
    desk.assert_shows("Codex notes its turns here: T shows what changed since your last look.");
    desk.assert_hides("No agent is connected yet.");
    desk.assert_hides("before you accept it");
}

#[tokio::test(start_paused = true)]
async fn an_agent_at_work_is_named_until_its_turn_ends() {
    let at_work = |minutes: u64| vec![AtWork { agent: "Gemini CLI".into(), since: NOW - minutes * 60_000 }];
    let turn_at = |revision, at_work, files| Turn { revision, at_work, ..turn(files) };
    for (width, sidebar, name) in [
        (130, Some(true), "Gemini CLI at work, 2 min│"),
        (100, None, "Gemini CLI (at work, 2 min), Qwen Code"),
    ] {
        let mut desk = TestDesk::with_sidebar(width, 30, "false", sidebar, Options::default());
        desk.connect().await;
        desk.assert_hides("at work");
        desk.send_turn(turn_at(1, at_work(2), Vec::new())).await;
        desk.assert_shows("Gemini CLI is at work, 2 min: more changes may come, unless Esc has");
        desk.assert_shows(name);
        desk.send_turn(turn_at(2, Vec::new(), files())).await;
        desk.assert_hides("at work");
        desk.assert_shows("6 files changed");
        desk.press_and_wait("T").await;
        desk.send_turn(turn_at(3, at_work(0), files())).await;
        desk.assert_shows("Gemini CLI is at work: more changes may come, unless Esc has stopped it.");
    }
}

/// Qwen Code ends its turn after a rejected diff, without an event.
#[tokio::test(start_paused = true)]
async fn a_rejection_that_may_have_ended_a_turn_is_named_until_the_next_sign() {
    let mut desk = TestDesk::connected(130, 30).await;
    let at_work = |agent: &str, since| vec![AtWork { agent: agent.into(), since }];
    desk.set_turn(Turn { at_work: at_work("Qwen Code", NOW - 60_000), ..turn(Vec::new()) });
    desk.companion.send_turn();
    let (gemini, qwen) = (desk.gemini.clone(), desk.qwen.clone());
    let ended = "Qwen Code is at work, 1 min, unless the rejection";
    let goes_on = "Qwen Code is at work, 1 min: more changes may come";
    for (id, agent, closing, said) in [
        (1, &qwen, Closing::Accepted, goes_on),
        (2, &gemini, Closing::Rejected, goes_on),
        (3, &qwen, Closing::Rejected, ended),
        // A proposal shows that the agent is at work.
        (4, &qwen, Closing::Accepted, goes_on),
        (5, &qwen, Closing::Rejected, ended),
    ] {
        desk.companion.open(id, agent, "/shop/basket.py", &pieces());
        desk.wait_until_keys_count().await;
        desk.companion.close(id, closing, None);
        desk.wait_until_keys_count().await;
        desk.assert_shows(said);
    }
    // A new turn shows it, too.
    desk.send_turn(Turn { revision: 2, at_work: at_work("Qwen Code", NOW), ..turn(Vec::new()) }).await;
    desk.assert_hides("unless the rejection");
    desk.assert_shows("Qwen Code is at work: more changes may come");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_turn_is_announced_once_without_a_proposal() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.send_turn(turn(files())).await;
    desk.assert_hides("A turn waits");
    desk.companion.close(1, Closing::AgentGone, None);
    desk.wait_until_keys_count().await;
    desk.assert_hides("A turn waits");
    desk.press_and_wait("?⎋").await;
    let waits = "A turn waits: 6 files changed since the end of the last turn of Codex; T shows them.";
    desk.assert_shows(waits);
    desk.press("?⎋").await;
    desk.assert_hides("A turn waits");
    desk.companion.send_turn();
    desk.wait_until_keys_count().await;
    desk.assert_hides("A turn waits");
    desk.assert_shows("6 files changed since the end of the last turn of Codex, 5 min ago. Press T");
    // Fewer files are no news; more are.
    let mut fewer = turn(files()[..2].to_vec());
    fewer.revision = 2;
    desk.companion.send(Event::Turn(fewer));
    desk.wait_until_keys_count().await;
    desk.assert_hides("A turn waits");
    let more = Turn { revision: 3, ..turn(files()) };
    desk.companion.send(Event::Turn(more));
    desk.wait_until_keys_count().await;
    desk.assert_shows(waits);
    // Another desk shows another turn review.
    desk.press("T").await;
    let baseline = Baseline { asked: Some("main".into()), ..Baseline::default() };
    desk.companion.send(Event::Turn(Turn { id: TurnId(9), baseline, ..Turn::default() }));
    desk.wait_until_keys_count().await;
    desk.assert_shows("Changes (6 files)");
}

#[tokio::test(start_paused = true)]
async fn an_arriving_proposal_does_not_replace_the_turn_review() {
    let mut desk = TestDesk::in_turn(100, 24, None).await;
    desk.assert_shows("M README.md");
    desk.propose(1, "/shop/basket.py").await;
    desk.assert_shows("New review: basket.py by Gemini CLI. T goes to it.");
    desk.assert_shows("M README.md");
    desk.assert_shows("1 review waits: T goes to it.");
    // Keys still act on the turn review.
    desk.press_expecting("a", "Nothing waits for a yes here: what changed stays.").await;
    desk.propose(2, "/shop/other.py").await;
    desk.assert_shows("Nothing waits for a yes here: what changed stays.");
    desk.assert_shows("New review: other.py by Gemini CLI; 2 are waiting (T: back).");
    desk.companion.close(1, Closing::AgentGone, None);
    desk.wait_until_keys_count().await;
    desk.assert_shows("M README.md");
    assert_eq!(desk.turn_requests(), []);
    desk.press_and_wait_expecting("T", "other.py Gemini CLI").await;
    desk.press("r").await;
    assert_eq!(desk.turn_requests().len(), 1, "keys act on the proposal again");
}

#[tokio::test(start_paused = true)]
async fn a_desk_may_begin_with_a_turn_since_a_revision() {
    let since = TurnOptions { directory: Some("/shop".into()), since: Some("main".into()), at_start: true };
    let options = Options { turn: since, ..Options::default() };
    let mut desk = TestDesk::with_sidebar(100, 24, "false", None, options);
    let mut turn = turn(files());
    turn.baseline = Baseline { asked: Some("main".into()), name: "the commit 1a2b3c4".into(), at: None };
    desk.set_turn(turn);
    desk.wait_until_keys_count().await;
    desk.assert_shows("Since main, the commit 1a2b3c4");
    let look = Request::ReviewTurn { directory: Some("/shop".into()), since: Some("main".into()) };
    assert_eq!(desk.requests()[0], look);
}

#[tokio::test(start_paused = true)]
async fn refusals_name_the_remedy() {
    let mut desk = TestDesk::connected(100, 24).await;
    desk.press_expecting("T", "The changes cannot be told: there is no repository. Press T to try again.")
        .await;
    desk.assert_shows("Nothing to review.");
    let words = "there is no method \"alongside/reviewTurn\"".to_owned();
    desk.companion.refuse = Some(Refusal::Other { words });
    desk.wait_until_keys_count().await;
    desk.press_expecting("T", "The companion that runs is older and shows no turns.").await;
    desk.set_turn(turn(files()));
    desk.wait_until_keys_count().await;
    desk.press_and_wait("T").await;
    desk.companion.refuse = Some(Refusal::NoSuchTurn);
    desk.press_expecting("X", "The list of changes is another one now. Look at it again; r renews it.").await;
    desk.press_expecting("r", "M README.md").await;
}

#[tokio::test(start_paused = true)]
async fn the_person_stays_at_their_file_when_the_list_changes() {
    let mut desk = TestDesk::in_turn(120, 24, None).await;
    for _ in 0..5 {
        desk.key(KeyCode::Tab).await;
    }
    desk.assert_shows("D src/old.py");
    let mut files = files();
    files.insert(0, file("AGENTS.md", FileChange::Added, 3, 0));
    desk.send_turn(Turn { revision: 2, ..turn(files) }).await;
    desk.assert_shows("D src/old.py");
    desk.assert_shows("file 7 of 7");
    desk.assert_shows("1 file more changed: L lists all.");
    // The message goes if the new list is empty.
    desk.send_turn(Turn { revision: 3, ..turn(Vec::new()) }).await;
    desk.assert_hides("more changed");
}

#[tokio::test(start_paused = true)]
async fn files_that_are_skipped_quickly_are_not_read() {
    let mut desk = TestDesk::connected(130, 40).await;
    let files =
        (0..2000).map(|n| file(&format!("src/part{}/file{n}.py", n / 50), FileChange::Modified, 7, 6));
    desk.set_turn(turn(files.collect()));
    desk.press("T").await;
    for _ in 0..100 {
        desk.code(KeyCode::Tab, KeyModifiers::NONE);
    }
    desk.wait_until_keys_count().await;
    desk.assert_shows("file100.py");
    assert!(desk.open_file_requests() < 100, "{}", desk.open_file_requests());
    desk.press_and_wait_expecting("LG\n", "src/part39/file1999.py").await;
    desk.press_expecting("\t", "src/part0/file0.py").await;
}

#[tokio::test(start_paused = true)]
async fn an_open_file_that_changes_is_shown_as_it_is_now() {
    let mut desk = TestDesk::in_turn(120, 24, None).await;
    let (revision, file) = (1, 0);
    let pieces = [same("# Shop\n\n"), differs("It sells.\n", "It sells everything.\n")];
    let review = scripted_companion::review(2000, &desk.gemini, "/shop/README.md", &pieces);
    let opened = OpenedTurnFile { turn: ID, revision, file, review, new: None, accepted: Vec::new() };
    desk.companion.send(Event::TurnFile(opened.clone()));
    desk.deliver_all().await;
    desk.assert_shows("It sells everything.");
    desk.assert_shows("The file has changed on disk; this is how it stands now.");
    // A file of another list is ignored, because its index means another file.
    let review = scripted_companion::review(2001, &desk.gemini, "/shop/README.md", &[same("no\n")]);
    desk.companion.send(Event::TurnFile(OpenedTurnFile { revision: 9, review, ..opened }));
    desk.deliver_all().await;
    desk.assert_shows("It sells everything.");
}

#[tokio::test(start_paused = true)]
async fn a_click_goes_to_a_file() {
    let mut desk = TestDesk::in_turn(200, 60, None).await;
    let screen = desk.screen();
    let row = screen.lines().position(|line| line.contains("M basket.py")).unwrap();
    desk.click(5, u16::try_from(row).unwrap()).await;
    desk.wait_until_keys_count().await;
    desk.assert_shows("M src/basket.py");
    desk.assert_shows("change 1 of 3");
    desk.press_expecting("/names\n", "/names 1/").await;
    desk.press_expecting("⎋", "M src/basket.py").await;
    desk.press_expecting("⎋", "Nothing to review.").await;
}

#[tokio::test(start_paused = true)]
async fn help_shows_the_keys_of_the_page() {
    let mut desk = TestDesk::in_turn(80, 24, None).await;
    desk.press("?").await;
    assert_snapshot!("turn_help_80x24", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn changes_accepted_before_the_write_are_folded_and_named() {
    let mut desk = TestDesk::connected(130, 40).await;
    let basket = file("src/basket.py", FileChange::Modified, 7, 6);
    let saved = TurnFile { saved: true, ..file("src/saved.py", FileChange::Modified, 7, 6) };
    let known = TurnFile { accepted: true, saved: true, ..file("src/known.py", FileChange::Modified, 7, 6) };
    desk.set_turn(turn(vec![basket, saved, known]));
    desk.companion.accepted = vec![Lines { start: 0, end: 12 }];
    desk.press_and_wait("T").await;
    assert_snapshot!("turn_partly_accepted", desk.screen());
    desk.press_expecting("k", "(accepted before the write)").await;
    // The change is folded until the key for folds opens it.
    assert!(!desk.screen().contains("With tax"), "{}", desk.screen());
    desk.press_expecting("\n", "With tax").await;
    desk.key(KeyCode::Enter).await;
    assert!(!desk.screen().contains("With tax"), "{}", desk.screen());
    // A comment on the change opens the fold.
    desk.press_expecting("c", "With tax").await;
    desk.press_expecting("⎋L", "saved by you, too").await;
}
