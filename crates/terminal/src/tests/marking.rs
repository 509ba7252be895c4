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
async fn at_basket(width: u16, height: u16) -> TestDesk {
    let mut desk = TestDesk::in_turn(width, height, None).await;
    desk.press_and_wait("\t\t").await;
    desk
}

#[tokio::test(start_paused = true)]
async fn space_marks_a_change_and_takes_the_mark_back() {
    let mut desk = at_basket(130, 40).await;
    desk.assert_shows("space mark");
    desk.press_and_wait(" ").await;
    assert_snapshot!("turn_marked", desk.screen());
    desk.assert_shows("space unmark");
    desk.press_and_wait_expecting("j ", "change 2 of 3: 2 marked").await;
    desk.press_expecting(" u", "Your last step is taken back.").await;
    desk.assert_shows("2 marked");
    desk.ctrl('r').await;
    desk.assert_shows("Your step is made again.");
    desk.assert_shows("change 2 of 3: 1 marked");
    let asked = desk.turn_requests();
    assert_eq!(asked[..3], [hunk(2, 1, 0, false), hunk(2, 2, 1, false), hunk(2, 3, 1, true)]);
    for word in ["drop", "accept", "reject"] {
        desk.assert_hides(word);
    }
    assert_eq!(desk.open_file_requests(), 2, "a mark opens no file anew");
}

#[tokio::test(start_paused = true)]
async fn a_whole_file_is_marked_by_its_key_and_one_without_text_by_space() {
    let mut desk = TestDesk::in_turn(100, 24, None).await;
    desk.press_expecting("X", "all marked").await;
    desk.press_expecting("\t ", "Marked: the new file is removed, once you finish (f). X unmarks it.").await;
    desk.press_expecting("X", "It stays as it is.").await;
    desk.press_and_wait("⇤").await;
    desk.press("X").await;
    desk.assert_hides("marked");
    assert_eq!(
        desk.turn_requests(),
        [mark(0, true, 1), mark(1, true, 2), mark(1, false, 3), mark(0, false, 4)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_file_without_an_earlier_text_takes_no_mark_and_says_why() {
    let mut desk = TestDesk::connected(130, 24).await;
    let mut files = files();
    let why = "git ignores it, so its earlier text is not kept";
    (files[1].without_undo, files[1].without_text) = (true, Some(why.into()));
    desk.set_turn(turn(files));
    desk.press_and_wait_expecting("T\t", "It cannot be undone here, and stays as it is. c asks the agent.")
        .await;
    desk.assert_hides("X marks");
    for key in ["X", " ", "s"] {
        desk.press_expecting(key, &format!("logo.png cannot be undone: {why}. c asks the agent.")).await;
    }
    assert_eq!(desk.turn_requests(), []);
    desk.press_and_wait("E").await;
    let marks = [mark(2, true, 1), mark(3, true, 2), mark(4, true, 3), mark(5, true, 4)];
    assert_eq!(desk.turn_requests(), marks);
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_all_files_is_marked_and_taken_back_in_one_step() {
    let mut desk = at_basket(100, 24).await;
    desk.press_and_wait("\t").await;
    desk.press_and_wait("X⇤").await;
    desk.press_and_wait_expecting("E", "3 files marked to be undone. u takes that back.").await;
    // A file that has a mark already is not part of the step.
    let marks = [mark(3, true, 1), mark(2, true, 2), mark(4, true, 3), mark(5, true, 4)];
    assert_eq!(desk.turn_requests(), marks);
    desk.press_and_wait_expecting("u", "The marks of 3 files are taken back.").await;
    let back = [mark(5, false, 5), mark(4, false, 6), mark(2, false, 7)];
    assert_eq!(desk.turn_requests()[4..], back);
}

#[tokio::test(start_paused = true)]
async fn marks_before_a_refusal_are_taken_back_in_one_step() {
    let mut desk = at_basket(100, 24).await;
    desk.companion.not_marked.push((4, true));
    desk.press_and_wait_expecting("E", "2 files marked before that; u takes these marks back.").await;
    desk.companion.not_marked.push((2, false));
    for _ in 0..2 {
        desk.press_and_wait("u").await;
    }
    desk.assert_shows("The marks of 1 file are taken back.");
    let set = [mark(2, true, 1), mark(3, true, 2), mark(4, true, 3)];
    let back = [mark(3, false, 3), mark(2, false, 4), mark(2, false, 4)];
    assert_eq!(desk.turn_requests(), [set, back].concat());
}

#[tokio::test(start_paused = true)]
async fn a_key_before_the_file_was_seen_marks_nothing() {
    let mut desk = TestDesk::in_turn(100, 24, None).await;
    desk.code(KeyCode::Tab, KeyModifiers::NONE);
    desk.press_fast("X ").await;
    assert_eq!(desk.turn_requests(), []);
    desk.assert_shows("Ignored: you typed that before this was on the screen.");
}

#[tokio::test(start_paused = true)]
async fn a_finish_undoes_the_listed_changes_after_a_yes() {
    for (width, height) in [(130, 40), (80, 24), (60, 20), (200, 60)] {
        let mut desk = at_basket(width, height).await;
        desk.press_expecting("f", "Nothing is to be undone or sent: all of this").await;
        desk.assert_shows("Finish?");
        desk.press_and_wait("n ⇤").await;
        desk.press_and_wait("X⇤").await;
        desk.press(" f").await;
        assert_snapshot!(format!("turn_finish_{width}x{height}"), desk.screen());
        desk.press("n").await;
        assert_eq!(desk.turn_requests().len(), 3, "a no undoes nothing");
        desk.companion.not_undone.insert("README.md".into(), "it has changed since it was shown".into());
        desk.press_and_wait("fy").await;
        assert_eq!(desk.turn_requests()[3..], [finish(4)]);
        assert_snapshot!(format!("turn_finished_{width}x{height}"), desk.screen());
        desk.key(KeyCode::Esc).await;
        desk.assert_hides("Not undone");
        desk.assert_shows("M README.md");
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
async fn taking_back() -> (TestDesk, mpsc::Sender<()>) {
    let (go, wait) = mpsc::channel();
    let undo_back: Option<Arc<dyn UndoBack>> = Some(Arc::new(SlowUndos(Mutex::new(wait))));
    let options = Options { undo_back, ..Options::default() };
    let mut desk = TestDesk::in_turn_of(turn(files()), 100, 24, None, options).await;
    desk.press_and_wait("X").await;
    desk.press_and_wait("fy").await;
    desk.press_expecting("u", "Taking the undo back…").await;
    (desk, go)
}

#[tokio::test]
async fn nothing_is_marked_while_an_undo_is_taken_back() {
    let (mut desk, go) = taking_back().await;
    desk.press("uX").await;
    assert_eq!(desk.turn_requests(), [mark(0, true, 1), finish(2)]);
    go.send(()).unwrap();
    let told = timeout(Duration::from_secs(20), async {
        while !desk.screen().contains("Taken back: README.md is as it was before f.") {
            desk.deliver_all().await;
        }
    });
    told.await.expect("the desk says that it is done");
}

#[tokio::test]
async fn the_desk_closes_once_an_undo_is_taken_back() {
    let (mut desk, go) = taking_back().await;
    desk.press_expecting("q", "Taking the undo back… The desk closes once that is done.").await;
    assert!(!desk.ended.is_finished());
    go.send(()).unwrap();
    assert_eq!(desk.ending().await.0, Ending::Left);
}

#[tokio::test]
async fn a_desk_that_loses_its_companion_takes_an_undo_back_first() {
    let (desk, go) = taking_back().await;
    let TestDesk { companion, ended, input, .. } = desk;
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
        let mut desk = TestDesk::in_turn(100, 24, None).await;
        desk.press("Xf").await;
        if !is_whole {
            desk.companion.not_undone.insert("README.md".into(), "it has changed since".into());
        }
        // The companion has not answered when the person leaves.
        desk.press_at_once("yq");
        let told = timeout(Duration::from_secs(10), async {
            while !desk.screen().contains("The desk closes once that is done.") {
                sleep(Duration::from_millis(1)).await;
            }
        });
        told.await.expect("the desk says why it stays");
        desk.wait_until_keys_count().await;
        match is_whole {
            true => assert_eq!(desk.ending().await.0, Ending::Left),
            // The person has to read the refusal.
            false => desk.assert_shows("Not undone; these are as they were:"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_undo_key_after_a_finish_takes_its_undos_back() {
    let undos = Arc::new(Undos::default());
    let options = Options { undo_back: Some(undos.clone()), ..Options::default() };
    let mut desk = TestDesk::in_turn_of(turn(files()), 100, 24, None, options).await;
    desk.press_and_wait("X\t\t").await;
    desk.press_and_wait("X").await;
    desk.press_and_wait_expecting("fy", "u takes it back, while nothing else changes there.").await;
    desk.assert_shows("u take it back");
    // The new list has the files again.
    desk.set_turn(Turn { revision: 9, ..turn(files()) });
    desk.press_and_wait("u").await;
    let asked = |file: &str| (format!("/shop/{file}"), format!("/drafts/{file}"));
    assert_eq!(*undos.0.lock().unwrap(), ["README.md", "src/basket.py"].map(asked));
    desk.assert_hides("u take it back");
    desk.assert_hides("more changed");
    desk.assert_shows(
        "Taken back: basket.py is as it was before f. README.md stays as f has left it: It has changed",
    );
    // The finish is taken back once, and a later mark becomes the last step.
    desk.press_and_wait("uX").await;
    desk.press_and_wait("u").await;
    assert_eq!(undos.0.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_a_finish_names_the_lines_of_each_marked_change() {
    let mut desk = at_basket(100, 24).await;
    desk.press_and_wait_expecting(" j ", "to be undone: ").await;
    desk.press("f").await;
    assert_snapshot!("turn_finish_lines", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn an_undone_git_mv_says_that_the_index_of_git_stays() {
    let mut desk = at_basket(100, 24).await;
    let said = "Git's index stays as it is: `git restore --staged` takes a git mv out of it.";
    desk.press("Xf").await;
    assert!(!desk.flat().contains(said), "{}", desk.screen());
    desk.press_and_wait("n\t").await;
    desk.press("Xf").await;
    assert!(desk.flat().contains(said), "{}", desk.screen());
    desk.press_expecting("y", "2 files undone. Git's index stays as it is").await;
    // A rename that is not in the index has no such sentence.
    let renamed = alongside_desk::TurnFile {
        from: Some("src/pay.py".into()),
        ..file("src/payment.py", FileChange::Renamed, 1, 1)
    };
    let mut desk = TestDesk::in_turn_of(turn(vec![renamed]), 100, 24, Some(true), Options::default()).await;
    desk.press_expecting("Xf", "it is src/pay.py again").await;
    assert!(!desk.flat().contains("index"), "{}", desk.screen());
    desk.press_expecting("y", "1 file undone.").await;
    assert!(!desk.flat().contains("index"), "{}", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn a_yes_before_the_list_was_seen_undoes_nothing() {
    let mut desk = at_basket(100, 24).await;
    desk.press(" ").await;
    desk.press_fast("fy").await;
    desk.assert_shows("Undo 1 change?");
    assert_eq!(desk.turn_requests().len(), 1);
    desk.press("y").await;
    assert_eq!(desk.turn_requests()[1..], [finish(2)]);
}

#[tokio::test(start_paused = true)]
async fn a_long_list_is_read_to_its_end_first() {
    let mut desk = TestDesk::connected(100, 16).await;
    let all = (0..30).map(|n| alongside_desk::TurnFile {
        marked: Marked::Whole,
        ..file(&format!("file{n}.py"), FileChange::Modified, 7, 6)
    });
    desk.set_turn(turn(all.collect()));
    desk.press_and_wait("T").await;
    desk.press("fy").await;
    assert_eq!(desk.turn_requests(), []);
    desk.assert_shows("Undo what is marked in these 30 files? The list goes on below (j).");
    desk.press("jjjjjjjjjjjjjjjjjjjjjjjjjjjjy").await;
    assert_eq!(desk.turn_requests(), [finish(1)]);
}

#[tokio::test(start_paused = true)]
async fn marks_of_another_desk_close_the_list() {
    let mut desk = at_basket(100, 24).await;
    desk.press_expecting(" f", "Undo 1 change?").await;
    desk.change_turn(|turn| {
        turn.revision += 1;
        turn.files[5].marked = Marked::Whole;
    })
    .await;
    desk.assert_shows("Nothing was undone or sent: the list has changed. Press f for the new one.");
    desk.press("y").await;
    assert_eq!(desk.turn_requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_an_undo_says_that_an_agent_is_at_work() {
    let mut desk = at_basket(100, 24).await;
    let at_work = vec![AtWork { agent: "Claude Code".into(), since: NOW }];
    desk.change_turn(|turn| turn.at_work = at_work).await;
    desk.press_expecting(" f", "Undo 1 change?").await;
    desk.assert_shows("Claude Code is at work: more changes may come");
}

#[tokio::test(start_paused = true)]
async fn only_another_agent_closes_the_list_of_a_finish() {
    let mut desk = at_basket(100, 24).await;
    let read_by = |agent: &str, words: &str| {
        let route = Route { agent: agent.into(), words: words.into(), ..Route::default() };
        move |turn: &mut Turn| turn.route = Some(route)
    };
    desk.change_turn(read_by("Claude Code", "Claude Code reads it at once")).await;
    desk.press_expecting(" f", "Claude Code reads it at once").await;
    desk.change_turn(read_by("Claude Code", "Claude Code reads it when its turn ends")).await;
    desk.assert_shows("Undo 1 change");
    desk.assert_shows("Claude Code reads it when its turn ends");
    desk.change_turn(read_by("Codex", "Codex reads it")).await;
    desk.assert_shows("Nothing was undone or sent: the list has changed. Press f for the new one.");
}

#[tokio::test(start_paused = true)]
async fn leaving_with_marks_asks_first() {
    let mut desk = at_basket(100, 24).await;
    desk.press_expecting(" T", "Nothing is undone yet: your marks wait. T comes back, f undoes them.").await;
    desk.press("q").await;
    assert_snapshot!("turn_leave", desk.screen());
    desk.press_expecting("n", "Nothing to review.").await;
    desk.press("qy").await;
    let (ending, _) = desk.ending().await;
    assert_eq!(ending, Ending::Left);
}

#[tokio::test(start_paused = true)]
async fn a_refused_finish_undoes_nothing_and_says_so() {
    let mut desk = at_basket(100, 24).await;
    desk.press(" f").await;
    desk.companion.refuse = Some(Refusal::NoSuchTurn);
    desk.press_expecting("y", "The list of changes is another one now. Look at it again; r renews it.").await;
    desk.assert_shows("change 1 of 3: 1 marked");
    // Another turn review has no marks of this one.
    let other = Turn { id: TurnId(8), ..turn(files()[..2].to_vec()) };
    desk.companion.turn = Some(other);
    desk.press_and_wait_expecting("r", "file 2 of 2").await;
    desk.assert_hides("marked");
}
