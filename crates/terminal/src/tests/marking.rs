//! Tests of marks in a turn review, and of the finish that undoes the marked changes.

use std::sync::{Arc, Mutex, mpsc};

use alongside_desk::{AtWork, FileChange, Marked, Refusal, Route, Turn, TurnId};
use insta::assert_snapshot;

use super::turns::{ID, file, files, turn};
use super::*;
use crate::{UndoBack, UndoneText};

fn mark(file: usize, undo: bool, revision: u64) -> Request {
    Request::MarkTurnFile { turn: ID, revision, file, undo }
}

fn hunk(file: u64, revision: u64, hunk: usize, keep: bool) -> Request {
    Request::KeepHunks { id: ReviewId(1000 + file), revision, hunks: vec![hunk], keep }
}

fn finish(revision: u64) -> Request {
    Request::FinishTurn { turn: ID, revision, send: false, ask_to_undo: false }
}

/// Starts a desk at the third file of a turn, which has three changes.
async fn at_basket(width: u16, height: u16) -> Stage {
    let mut stage = Stage::in_turn(width, height, None).await;
    stage.press_and_read("\t\t").await;
    stage
}

#[tokio::test(start_paused = true)]
async fn space_marks_a_change_and_takes_the_mark_back() {
    let mut stage = at_basket(130, 40).await;
    stage.shows("space mark");
    stage.press_and_read(" ").await;
    assert_snapshot!("turn_marked", stage.screen());
    stage.shows("space unmark");
    stage.reads_on("j ", "change 2 of 3: 2 marked").await;
    stage.shows_on(" u", "Your last step is taken back.").await;
    stage.shows("2 marked");
    stage.ctrl('r').await;
    stage.shows("Your step is made again.");
    stage.shows("change 2 of 3: 1 marked");
    let asked = stage.asked_of_turn();
    assert_eq!(asked[..3], [hunk(2, 1, 0, false), hunk(2, 2, 1, false), hunk(2, 3, 1, true)]);
    for word in ["drop", "accept", "reject"] {
        stage.does_not_show(word);
    }
    assert_eq!(stage.opened(), 2, "a mark opens no file anew");
}

#[tokio::test(start_paused = true)]
async fn a_whole_file_is_marked_by_its_key_and_one_without_text_by_space() {
    let mut stage = Stage::in_turn(100, 24, None).await;
    stage.shows_on("X", "all marked").await;
    stage.shows_on("\t ", "Marked: the new file is removed, once you finish (f). X unmarks it.").await;
    stage.shows_on("X", "It stays as it is.").await;
    stage.press_and_read("⇤").await;
    stage.press("X").await;
    stage.does_not_show("marked");
    assert_eq!(
        stage.asked_of_turn(),
        [mark(0, true, 1), mark(1, true, 2), mark(1, false, 3), mark(0, false, 4)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_file_without_an_earlier_text_takes_no_mark_and_says_why() {
    let mut stage = Stage::connected(130, 24).await;
    let mut files = files();
    let why = "git ignores it, so its earlier text is not kept";
    (files[1].without_undo, files[1].without_text) = (true, Some(why.into()));
    stage.set_turn(turn(files));
    stage.reads_on("T\t", "It cannot be undone here, and stays as it is. c asks the agent.").await;
    stage.does_not_show("X marks");
    for key in ["X", " ", "s"] {
        stage.shows_on(key, &format!("logo.png cannot be undone: {why}. c asks the agent.")).await;
    }
    assert_eq!(stage.asked_of_turn(), []);
    stage.press_and_read("E").await;
    let marks = [mark(2, true, 1), mark(3, true, 2), mark(4, true, 3), mark(5, true, 4)];
    assert_eq!(stage.asked_of_turn(), marks);
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_all_files_is_marked_and_taken_back_in_one_step() {
    let mut stage = at_basket(100, 24).await;
    stage.press_and_read("\t").await;
    stage.press_and_read("X⇤").await;
    stage.reads_on("E", "3 files marked to be undone. u takes that back.").await;
    // A file that has a mark already is not part of the step.
    let marks = [mark(3, true, 1), mark(2, true, 2), mark(4, true, 3), mark(5, true, 4)];
    assert_eq!(stage.asked_of_turn(), marks);
    stage.reads_on("u", "The marks of 3 files are taken back.").await;
    let back = [mark(5, false, 5), mark(4, false, 6), mark(2, false, 7)];
    assert_eq!(stage.asked_of_turn()[4..], back);
}

#[tokio::test(start_paused = true)]
async fn marks_before_a_refusal_are_taken_back_in_one_step() {
    let mut stage = at_basket(100, 24).await;
    stage.companion.not_marked.push((4, true));
    stage.reads_on("E", "2 files marked before that; u takes these marks back.").await;
    stage.companion.not_marked.push((2, false));
    for _ in 0..2 {
        stage.press_and_read("u").await;
    }
    stage.shows("The marks of 1 file are taken back.");
    let set = [mark(2, true, 1), mark(3, true, 2), mark(4, true, 3)];
    let back = [mark(3, false, 3), mark(2, false, 4), mark(2, false, 4)];
    assert_eq!(stage.asked_of_turn(), [set, back].concat());
}

#[tokio::test(start_paused = true)]
async fn a_key_before_the_file_was_seen_marks_nothing() {
    let mut stage = Stage::in_turn(100, 24, None).await;
    stage.code(KeyCode::Tab, KeyModifiers::NONE);
    stage.press_fast("X ").await;
    assert_eq!(stage.asked_of_turn(), []);
    stage.shows("Ignored: you typed that before this was on the screen.");
}

#[tokio::test(start_paused = true)]
async fn a_finish_undoes_the_listed_changes_after_a_yes() {
    for (width, height) in [(130, 40), (80, 24), (60, 20), (200, 60)] {
        let mut stage = at_basket(width, height).await;
        stage.shows_on("f", "Nothing is to be undone or sent: all of this").await;
        stage.shows("Finish?");
        stage.press_and_read("n ⇤").await;
        stage.press_and_read("X⇤").await;
        stage.press(" f").await;
        assert_snapshot!(format!("turn_finish_{width}x{height}"), stage.screen());
        stage.press("n").await;
        assert_eq!(stage.asked_of_turn().len(), 3, "a no undoes nothing");
        stage.companion.not_undone.insert("README.md".into(), "it has changed since it was shown".into());
        stage.press_and_read("fy").await;
        assert_eq!(stage.asked_of_turn()[3..], [finish(4)]);
        assert_snapshot!(format!("turn_finished_{width}x{height}"), stage.screen());
        stage.key(KeyCode::Esc).await;
        stage.does_not_show("Not undone");
        stage.shows("M README.md");
    }
}

/// Takes undos back, except for one file, and stores the requests.
#[derive(Debug, Default)]
struct Undos(Mutex<Vec<(String, String)>>);

impl UndoBack for Undos {
    fn take_back(&self, undone: &[UndoneText]) -> Vec<Result<(), String>> {
        self.0.lock().unwrap().extend(undone.iter().map(|text| (text.file.clone(), text.draft.clone())));
        let refused = || Err("it has changed since the undo".into());
        let done = |text: &UndoneText| if text.file.ends_with("README.md") { refused() } else { Ok(()) };
        undone.iter().map(done).collect()
    }
}

/// Takes undos back once a test sends a value.
#[derive(Debug)]
struct SlowUndos(Mutex<mpsc::Receiver<()>>);

impl UndoBack for SlowUndos {
    fn take_back(&self, undone: &[UndoneText]) -> Vec<Result<(), String>> {
        // The sender may be gone after a failure of the test.
        let _ = self.0.lock().unwrap().recv();
        undone.iter().map(|_| Ok(())).collect()
    }
}

/// Starts a desk that takes the undo of one file back, which ends once the sender sends. The clock is not
/// paused, because it would stand still while a thread works.
async fn taking_back() -> (Stage, mpsc::Sender<()>) {
    let (go, wait) = mpsc::channel();
    let undo_back: Option<Arc<dyn UndoBack>> = Some(Arc::new(SlowUndos(Mutex::new(wait))));
    let options = Options { undo_back, ..Options::default() };
    let mut stage = Stage::in_turn_of(turn(files()), 100, 24, None, options).await;
    stage.press_and_read("X").await;
    stage.press_and_read("fy").await;
    stage.shows_on("u", "Taking the undo back…").await;
    (stage, go)
}

#[tokio::test]
async fn nothing_is_marked_while_an_undo_is_taken_back() {
    let (mut stage, go) = taking_back().await;
    stage.press("uX").await;
    assert_eq!(stage.asked_of_turn(), [mark(0, true, 1), finish(2)]);
    go.send(()).unwrap();
    let told = timeout(Duration::from_secs(20), async {
        while !stage.screen().contains("Taken back: README.md is as it was before f.") {
            stage.moment().await;
        }
    });
    told.await.expect("the desk says that it is done");
}

#[tokio::test]
async fn the_desk_closes_once_an_undo_is_taken_back() {
    let (mut stage, go) = taking_back().await;
    stage.shows_on("q", "Taking the undo back… The desk closes once that is done.").await;
    assert!(!stage.ended.is_finished());
    go.send(()).unwrap();
    assert_eq!(stage.ending().await.0, Ending::Left);
}

#[tokio::test]
async fn a_desk_that_loses_its_companion_takes_an_undo_back_first() {
    let (stage, go) = taking_back().await;
    let Stage { companion, ended, input, .. } = stage;
    drop(companion);
    // All tasks run on this thread, so after some yields the desk has handled the end of the companion.
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!ended.is_finished());
    go.send(()).unwrap();
    let ended = timeout(Duration::from_secs(20), ended).await.expect("the desk ends").unwrap();
    drop(input);
    assert_eq!(ended.0.unwrap(), Ending::Gone);
}

#[tokio::test(start_paused = true)]
async fn the_desk_closes_once_a_finish_is_written() {
    for is_whole in [true, false] {
        let mut stage = Stage::in_turn(100, 24, None).await;
        stage.press("Xf").await;
        if !is_whole {
            stage.companion.not_undone.insert("README.md".into(), "it has changed since".into());
        }
        // The companion has not answered when the person leaves.
        stage.press_at_once("yq");
        let told = timeout(Duration::from_secs(10), async {
            while !stage.screen().contains("The desk closes once that is done.") {
                sleep(Duration::from_millis(1)).await;
            }
        });
        told.await.expect("the desk says why it stays");
        stage.a_while().await;
        match is_whole {
            true => assert_eq!(stage.ending().await.0, Ending::Left),
            // The person has to read the refusal.
            false => stage.shows("Not undone; these are as they were:"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_undo_key_after_a_finish_takes_its_undos_back() {
    let undos = Arc::new(Undos::default());
    let options = Options { undo_back: Some(undos.clone()), ..Options::default() };
    let mut stage = Stage::in_turn_of(turn(files()), 100, 24, None, options).await;
    stage.press_and_read("X\t\t").await;
    stage.press_and_read("X").await;
    stage.reads_on("fy", "u takes it back, while nothing else changes there.").await;
    stage.shows("u take it back");
    // The new list has the files again.
    stage.set_turn(Turn { revision: 9, ..turn(files()) });
    stage.press_and_read("u").await;
    let asked = |file: &str| (format!("/shop/{file}"), format!("/drafts/{file}"));
    assert_eq!(*undos.0.lock().unwrap(), ["README.md", "src/basket.py"].map(asked));
    stage.does_not_show("u take it back");
    stage.does_not_show("more changed");
    stage.shows(
        "Taken back: basket.py is as it was before f. README.md stays as f has left it: It has changed",
    );
    // The finish is taken back once, and a later mark becomes the last step.
    stage.press_and_read("uX").await;
    stage.press_and_read("u").await;
    assert_eq!(undos.0.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_a_finish_names_the_lines_of_each_marked_change() {
    let mut stage = at_basket(100, 24).await;
    stage.reads_on(" j ", "to be undone: ").await;
    stage.press("f").await;
    assert_snapshot!("turn_finish_lines", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn an_undone_git_mv_says_that_the_index_of_git_stays() {
    let mut stage = at_basket(100, 24).await;
    let said = "Git's index stays as it is: `git restore --staged` takes a git mv out of it.";
    stage.press("Xf").await;
    assert!(!stage.flat().contains(said), "{}", stage.screen());
    stage.press_and_read("n\t").await;
    stage.press("Xf").await;
    assert!(stage.flat().contains(said), "{}", stage.screen());
    stage.shows_on("y", "2 files undone. Git's index stays as it is").await;
    // A rename that is not in the index has no such sentence.
    let renamed = alongside_desk::TurnFile {
        from: Some("src/pay.py".into()),
        ..file("src/payment.py", FileChange::Renamed, 1, 1)
    };
    let mut stage = Stage::in_turn_of(turn(vec![renamed]), 100, 24, Some(true), Options::default()).await;
    stage.shows_on("Xf", "it is src/pay.py again").await;
    assert!(!stage.flat().contains("index"), "{}", stage.screen());
    stage.shows_on("y", "1 file undone.").await;
    assert!(!stage.flat().contains("index"), "{}", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn a_yes_before_the_list_was_seen_undoes_nothing() {
    let mut stage = at_basket(100, 24).await;
    stage.press(" ").await;
    stage.press_fast("fy").await;
    stage.shows("Undo 1 change?");
    assert_eq!(stage.asked_of_turn().len(), 1);
    stage.press("y").await;
    assert_eq!(stage.asked_of_turn()[1..], [finish(2)]);
}

#[tokio::test(start_paused = true)]
async fn a_long_list_is_read_to_its_end_first() {
    let mut stage = Stage::connected(100, 16).await;
    let all = (0..30).map(|n| alongside_desk::TurnFile {
        marked: Marked::Whole,
        ..file(&format!("file{n}.py"), FileChange::Modified, 7, 6)
    });
    stage.set_turn(turn(all.collect()));
    stage.press_and_read("T").await;
    stage.press("fy").await;
    assert_eq!(stage.asked_of_turn(), []);
    stage.shows("Undo what is marked in these 30 files? The list goes on below (j).");
    stage.press("jjjjjjjjjjjjjjjjjjjjjjjjjjjjy").await;
    assert_eq!(stage.asked_of_turn(), [finish(1)]);
}

#[tokio::test(start_paused = true)]
async fn marks_of_another_desk_close_the_list() {
    let mut stage = at_basket(100, 24).await;
    stage.shows_on(" f", "Undo 1 change?").await;
    stage
        .change_turn(|turn| {
            turn.revision += 1;
            turn.files[5].marked = Marked::Whole;
        })
        .await;
    stage.shows("Nothing was undone or sent: the list has changed. Press f for the new one.");
    stage.press("y").await;
    assert_eq!(stage.asked_of_turn().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_an_undo_says_that_an_agent_is_at_work() {
    let mut stage = at_basket(100, 24).await;
    let at_work = vec![AtWork { agent: "Claude Code".into(), since: NOW }];
    stage.change_turn(|turn| turn.at_work = at_work).await;
    stage.shows_on(" f", "Undo 1 change?").await;
    stage.shows("Claude Code is at work: more changes may come");
}

#[tokio::test(start_paused = true)]
async fn only_another_agent_closes_the_list_of_a_finish() {
    let mut stage = at_basket(100, 24).await;
    let read_by = |agent: &str, words: &str| {
        let route = Route { agent: agent.into(), words: words.into(), ..Route::default() };
        move |turn: &mut Turn| turn.route = Some(route)
    };
    stage.change_turn(read_by("Claude Code", "Claude Code reads it at once")).await;
    stage.shows_on(" f", "Claude Code reads it at once").await;
    stage.change_turn(read_by("Claude Code", "Claude Code reads it when its turn ends")).await;
    stage.shows("Undo 1 change");
    stage.shows("Claude Code reads it when its turn ends");
    stage.change_turn(read_by("Codex", "Codex reads it")).await;
    stage.shows("Nothing was undone or sent: the list has changed. Press f for the new one.");
}

#[tokio::test(start_paused = true)]
async fn leaving_with_marks_asks_first() {
    let mut stage = at_basket(100, 24).await;
    stage.shows_on(" T", "Nothing is undone yet: your marks wait. T comes back, f undoes them.").await;
    stage.press("q").await;
    assert_snapshot!("turn_leave", stage.screen());
    stage.shows_on("n", "Nothing to review.").await;
    stage.press("qy").await;
    let (ending, _) = stage.ending().await;
    assert_eq!(ending, Ending::Left);
}

#[tokio::test(start_paused = true)]
async fn a_refused_finish_undoes_nothing_and_says_so() {
    let mut stage = at_basket(100, 24).await;
    stage.press(" f").await;
    stage.companion.refuse = Some(Refusal::NoSuchTurn);
    stage.shows_on("y", "The list of changes is another one now. Look at it again; r renews it.").await;
    stage.shows("change 1 of 3: 1 marked");
    // Another turn review has no marks of this one.
    let other = Turn { id: TurnId(8), ..turn(files()[..2].to_vec()) };
    stage.companion.turn = Some(other);
    stage.reads_on("r", "file 2 of 2").await;
    stage.does_not_show("marked");
}
