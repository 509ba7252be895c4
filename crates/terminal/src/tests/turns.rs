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

impl Stage {
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
    pub(super) async fn tell_turn(&mut self, turn: Turn) {
        self.set_turn(turn);
        self.companion.tell_turn();
        self.a_while().await;
    }

    /// The turn changes without a person's doing.
    pub(super) async fn change_turn(&mut self, change: impl FnOnce(&mut Turn)) {
        change(self.companion.turn.as_mut().unwrap());
        self.companion.tell_turn();
        self.moment().await;
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
        let mut stage = Self::with_sidebar(width, height, "false", sidebar, options);
        stage.connect().await;
        stage.set_turn(turn);
        stage.press_and_read("T").await;
        stage
    }

    /// The number of requests that opened a file.
    pub(super) fn opened(&self) -> usize {
        self.asked().iter().filter(|asked| matches!(asked, Request::OpenTurnFile { .. })).count()
    }

    /// The requests about turns, but for looks and opened files.
    pub(super) fn asked_of_turn(&self) -> Vec<Request> {
        let quiet =
            |request: &Request| matches!(request, Request::ReviewTurn { .. } | Request::OpenTurnFile { .. });
        self.asked().into_iter().filter(|request| !quiet(request)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn files_are_listed_and_read_like_reviews_on_screens_of_every_size() {
    for (width, height) in [(130, 40), (80, 24), (60, 20), (200, 60)] {
        let mut stage = Stage::in_turn(width, height, None).await;
        stage.press_and_read("\t\t").await;
        assert_snapshot!(format!("turn_{width}x{height}"), stage.screen());
    }
    let stage = Stage::in_turn(130, 40, Some(true)).await;
    assert_snapshot!("turn_130x40_with_lists", stage.screen());
    assert_eq!(stage.asked_of_turn(), [], "looking marks nothing");
}

#[tokio::test(start_paused = true)]
async fn a_file_without_text_says_why() {
    let mut stage = Stage::in_turn(100, 24, None).await;
    stage.key(KeyCode::Tab).await;
    assert_snapshot!("turn_without_text", stage.screen());
    stage.shows_on("s", "This file is only undone as a whole: X marks it.").await;
    stage.companion.turn_files.remove("src/basket.py");
    stage.shows_on("\t", "The changes cannot be told: there is no repository. Press r to try again.").await;
}

#[tokio::test(start_paused = true)]
async fn all_files_and_remarks_are_in_a_list() {
    let mut stage = Stage::connected(100, 24).await;
    let remarks = vec![
        "The beginning of a turn is missing: the hook took longer than two seconds.".into(),
        "HEAD has moved since.".into(),
    ];
    stage.set_turn(Turn { remarks, ..turn(files()) });
    stage.shows_on("T", "! The beginning of a turn is missing").await;
    stage.shows("(1 more: L)");
    stage.press("L").await;
    assert_snapshot!("turn_list", stage.screen());
    stage.reads_on("jjj\n", "R src/checkout/payment.py was src/pay.py").await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_changes_says_so() {
    let mut stage = Stage::connected(80, 24).await;
    stage.set_turn(turn(Vec::new()));
    stage.press("T").await;
    assert_snapshot!("turn_without_changes", stage.screen());
    stage.shows_on("⎋", "Nothing to review.").await;
    stage.does_not_show("A turn waits");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_only_records_turns_is_listed_without_a_promise() {
    let mut stage = Stage::new(100, 24);
    stage.a_while().await;
    stage.shows("No agent is connected yet.");
    let route = Some(Route { agent: "Codex".into(), ..Route::default() });
    stage.tell_turn(Turn { route, ..turn(Vec::new()) }).await;
    stage.shows("Codex by its hook");
    stage.shows("Codex notes its turns here: T shows what changed since your last look.");
    stage.does_not_show("No agent is connected yet.");
    stage.does_not_show("before you accept it");
}

#[tokio::test(start_paused = true)]
async fn an_agent_at_work_is_named_until_its_turn_ends() {
    let at_work = |minutes: u64| vec![AtWork { agent: "Gemini CLI".into(), since: NOW - minutes * 60_000 }];
    let turn_at = |revision, at_work, files| Turn { revision, at_work, ..turn(files) };
    for (width, sidebar, name) in [
        (130, Some(true), "Gemini CLI at work, 2 min│"),
        (100, None, "Gemini CLI (at work, 2 min), Qwen Code"),
    ] {
        let mut stage = Stage::with_sidebar(width, 30, "false", sidebar, Options::default());
        stage.connect().await;
        stage.does_not_show("at work");
        stage.tell_turn(turn_at(1, at_work(2), Vec::new())).await;
        stage.shows("Gemini CLI is at work, 2 min: more changes may come, unless Esc has");
        stage.shows(name);
        stage.tell_turn(turn_at(2, Vec::new(), files())).await;
        stage.does_not_show("at work");
        stage.shows("6 files changed");
        stage.press_and_read("T").await;
        stage.tell_turn(turn_at(3, at_work(0), files())).await;
        stage.shows("Gemini CLI is at work: more changes may come, unless Esc has stopped it.");
    }
}

/// Qwen Code ends its turn after a rejected diff, without an event.
#[tokio::test(start_paused = true)]
async fn a_rejection_that_may_have_ended_a_turn_is_named_until_the_next_sign() {
    let mut stage = Stage::connected(130, 30).await;
    let at_work = |agent: &str, since| vec![AtWork { agent: agent.into(), since }];
    stage.set_turn(Turn { at_work: at_work("Qwen Code", NOW - 60_000), ..turn(Vec::new()) });
    stage.companion.tell_turn();
    let (gemini, qwen) = (stage.gemini.clone(), stage.qwen.clone());
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
        stage.companion.open(id, agent, "/shop/basket.py", &pieces());
        stage.a_while().await;
        stage.companion.close(id, closing, None);
        stage.a_while().await;
        stage.shows(said);
    }
    // A new turn shows it, too.
    stage.tell_turn(Turn { revision: 2, at_work: at_work("Qwen Code", NOW), ..turn(Vec::new()) }).await;
    stage.does_not_show("unless the rejection");
    stage.shows("Qwen Code is at work: more changes may come");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_turn_is_announced_once_without_a_proposal() {
    let mut stage = Stage::reading(120, 24).await;
    stage.tell_turn(turn(files())).await;
    stage.does_not_show("A turn waits");
    stage.companion.close(1, Closing::AgentGone, None);
    stage.a_while().await;
    stage.does_not_show("A turn waits");
    stage.press_and_read("?⎋").await;
    let waits = "A turn waits: 6 files changed since the end of the last turn of Codex; T shows them.";
    stage.shows(waits);
    stage.press("?⎋").await;
    stage.does_not_show("A turn waits");
    stage.companion.tell_turn();
    stage.a_while().await;
    stage.does_not_show("A turn waits");
    stage.shows("6 files changed since the end of the last turn of Codex, 5 min ago. Press T");
    // Fewer files are no news; more are.
    let mut fewer = turn(files()[..2].to_vec());
    fewer.revision = 2;
    stage.companion.tell(Event::Turn(fewer));
    stage.a_while().await;
    stage.does_not_show("A turn waits");
    let more = Turn { revision: 3, ..turn(files()) };
    stage.companion.tell(Event::Turn(more));
    stage.a_while().await;
    stage.shows(waits);
    // Another desk shows another turn review.
    stage.press("T").await;
    let baseline = Baseline { asked: Some("main".into()), ..Baseline::default() };
    stage.companion.tell(Event::Turn(Turn { id: TurnId(9), baseline, ..Turn::default() }));
    stage.a_while().await;
    stage.shows("Changes (6 files)");
}

#[tokio::test(start_paused = true)]
async fn an_arriving_proposal_does_not_replace_the_turn_review() {
    let mut stage = Stage::in_turn(100, 24, None).await;
    stage.shows("M README.md");
    stage.propose(1, "/shop/basket.py").await;
    stage.shows("New review: basket.py by Gemini CLI. T goes to it.");
    stage.shows("M README.md");
    stage.shows("1 review waits: T goes to it.");
    // Keys still act on the turn review.
    stage.shows_on("a", "Nothing waits for a yes here: what changed stays.").await;
    stage.propose(2, "/shop/other.py").await;
    stage.shows("Nothing waits for a yes here: what changed stays.");
    stage.shows("New review: other.py by Gemini CLI; 2 are waiting (T: back).");
    stage.companion.close(1, Closing::AgentGone, None);
    stage.a_while().await;
    stage.shows("M README.md");
    assert_eq!(stage.asked_of_turn(), []);
    stage.reads_on("T", "other.py Gemini CLI").await;
    stage.press("r").await;
    assert_eq!(stage.asked_of_turn().len(), 1, "keys act on the proposal again");
}

#[tokio::test(start_paused = true)]
async fn a_desk_may_begin_with_a_turn_since_a_revision() {
    let since = TurnOptions { directory: Some("/shop".into()), since: Some("main".into()), at_start: true };
    let options = Options { turn: since, ..Options::default() };
    let mut stage = Stage::with_sidebar(100, 24, "false", None, options);
    let mut turn = turn(files());
    turn.baseline = Baseline { asked: Some("main".into()), name: "the commit 1a2b3c4".into(), at: None };
    stage.set_turn(turn);
    stage.a_while().await;
    stage.shows("Since main, the commit 1a2b3c4");
    let look = Request::ReviewTurn { directory: Some("/shop".into()), since: Some("main".into()) };
    assert_eq!(stage.asked()[0], look);
}

#[tokio::test(start_paused = true)]
async fn refusals_name_the_remedy() {
    let mut stage = Stage::connected(100, 24).await;
    stage.shows_on("T", "The changes cannot be told: there is no repository. Press T to try again.").await;
    stage.shows("Nothing to review.");
    let words = "there is no method \"alongside/reviewTurn\"".to_owned();
    stage.companion.refuse = Some(Refusal::Other { words });
    stage.a_while().await;
    stage.shows_on("T", "The companion that runs is older and shows no turns.").await;
    stage.set_turn(turn(files()));
    stage.a_while().await;
    stage.press_and_read("T").await;
    stage.companion.refuse = Some(Refusal::NoSuchTurn);
    stage.shows_on("X", "The list of changes is another one now. Look at it again; r renews it.").await;
    stage.shows_on("r", "M README.md").await;
}

#[tokio::test(start_paused = true)]
async fn the_person_stays_at_their_file_when_the_list_changes() {
    let mut stage = Stage::in_turn(120, 24, None).await;
    for _ in 0..5 {
        stage.key(KeyCode::Tab).await;
    }
    stage.shows("D src/old.py");
    let mut files = files();
    files.insert(0, file("AGENTS.md", FileChange::Added, 3, 0));
    stage.tell_turn(Turn { revision: 2, ..turn(files) }).await;
    stage.shows("D src/old.py");
    stage.shows("file 7 of 7");
    stage.shows("1 file more changed: L lists all.");
    // The message goes if the new list is empty.
    stage.tell_turn(Turn { revision: 3, ..turn(Vec::new()) }).await;
    stage.does_not_show("more changed");
}

#[tokio::test(start_paused = true)]
async fn files_that_are_skipped_quickly_are_not_read() {
    let mut stage = Stage::connected(130, 40).await;
    let files =
        (0..2000).map(|n| file(&format!("src/part{}/file{n}.py", n / 50), FileChange::Modified, 7, 6));
    stage.set_turn(turn(files.collect()));
    stage.press("T").await;
    for _ in 0..100 {
        stage.code(KeyCode::Tab, KeyModifiers::NONE);
    }
    stage.a_while().await;
    stage.shows("file100.py");
    assert!(stage.opened() < 100, "{}", stage.opened());
    stage.reads_on("LG\n", "src/part39/file1999.py").await;
    stage.shows_on("\t", "src/part0/file0.py").await;
}

#[tokio::test(start_paused = true)]
async fn an_open_file_that_changes_is_shown_as_it_is_now() {
    let mut stage = Stage::in_turn(120, 24, None).await;
    let (revision, file) = (1, 0);
    let pieces = [same("# Shop\n\n"), differs("It sells.\n", "It sells everything.\n")];
    let review = scripted_companion::review(2000, &stage.gemini, "/shop/README.md", &pieces);
    let opened = OpenedTurnFile { turn: ID, revision, file, review, new: None, accepted: Vec::new() };
    stage.companion.tell(Event::TurnFile(opened.clone()));
    stage.moment().await;
    stage.shows("It sells everything.");
    stage.shows("The file has changed on disk; this is how it stands now.");
    // A file of another list is ignored, because its index means another file.
    let review = scripted_companion::review(2001, &stage.gemini, "/shop/README.md", &[same("no\n")]);
    stage.companion.tell(Event::TurnFile(OpenedTurnFile { revision: 9, review, ..opened }));
    stage.moment().await;
    stage.shows("It sells everything.");
}

#[tokio::test(start_paused = true)]
async fn a_click_goes_to_a_file() {
    let mut stage = Stage::in_turn(200, 60, None).await;
    let screen = stage.screen();
    let row = screen.lines().position(|line| line.contains("M basket.py")).unwrap();
    stage.click(5, u16::try_from(row).unwrap()).await;
    stage.a_while().await;
    stage.shows("M src/basket.py");
    stage.shows("change 1 of 3");
    stage.shows_on("/names\n", "/names 1/").await;
    stage.shows_on("⎋", "M src/basket.py").await;
    stage.shows_on("⎋", "Nothing to review.").await;
}

#[tokio::test(start_paused = true)]
async fn help_shows_the_keys_of_the_page() {
    let mut stage = Stage::in_turn(80, 24, None).await;
    stage.press("?").await;
    assert_snapshot!("turn_help_80x24", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn changes_accepted_before_the_write_are_folded_and_named() {
    let mut stage = Stage::connected(130, 40).await;
    let basket = file("src/basket.py", FileChange::Modified, 7, 6);
    let saved = TurnFile { saved: true, ..file("src/saved.py", FileChange::Modified, 7, 6) };
    let known = TurnFile { accepted: true, saved: true, ..file("src/known.py", FileChange::Modified, 7, 6) };
    stage.set_turn(turn(vec![basket, saved, known]));
    stage.companion.accepted = vec![Lines { start: 0, end: 12 }];
    stage.press_and_read("T").await;
    assert_snapshot!("turn_partly_accepted", stage.screen());
    stage.shows_on("k", "(accepted before the write)").await;
    // The change is folded until the key for folds opens it.
    assert!(!stage.screen().contains("With tax"), "{}", stage.screen());
    stage.shows_on("\n", "With tax").await;
    stage.key(KeyCode::Enter).await;
    assert!(!stage.screen().contains("With tax"), "{}", stage.screen());
    // A comment on the change opens the fold.
    stage.shows_on("c", "With tax").await;
    stage.shows_on("⎋L", "saved by you, too").await;
}
