//! Many changes: going to one by its number, deciding on several at once, and words that the person wrote.

use alongside_desk::{Decision, HunkState, ReviewId};
use crossterm::event::KeyCode;

use super::*;

fn keeps(revision: u64, hunks: &[usize], keep: bool) -> Request {
    Request::KeepHunks { id: ReviewId(1), revision, hunks: hunks.to_vec(), keep }
}

/// A desk with a review of so many changes.
async fn with_changes(changes: usize) -> Stage {
    let mut stage = Stage::new(120, 24);
    stage.connect().await;
    let gemini = stage.gemini.clone();
    let pieces: Vec<_> = (1..=changes)
        .flat_map(|n| {
            let around: String = (1..=9).map(|line| format!("line {line} of {n}\n")).collect();
            [same(&around), differs(&format!("old {n}\n"), &format!("new {n}\n"))]
        })
        .collect();
    stage.companion.open(1, &gemini, "/shop/many.py", &pieces);
    stage.a_while().await;
    stage
}

#[tokio::test(start_paused = true)]
async fn a_number_goes_to_a_change_or_so_many_further() {
    let mut stage = with_changes(30).await;
    stage.press("1").await;
    stage.shows("j/k so many changes g to that change Esc back");
    stage.press("2").await;
    stage.shows("back 12");
    stage.press("g").await;
    stage.shows("change 12 of 30");
    stage.press("5j").await;
    stage.shows("change 17 of 30");
    stage.press("10k").await;
    stage.shows("change 7 of 30");
    stage.press("25G").await;
    stage.shows("change 25 of 30");
    stage.press("99g").await;
    stage.shows("change 30 of 30");
    stage.shows("There are 30 changes.");
    stage.press("99k").await;
    stage.shows("change 1 of 30");
    // Without a number, they are the keys that they were.
    stage.press("G").await;
    stage.shows("new 30");
}

#[tokio::test(start_paused = true)]
async fn a_number_never_decides() {
    let mut stage = with_changes(3).await;
    stage.press("2a").await;
    assert_eq!(stage.asked(), []);
    stage.shows("A number goes with j, k, g and G; nothing was done.");
    stage.press("2").await;
    stage.key(KeyCode::Esc).await;
    stage.press(" ").await;
    assert_eq!(stage.asked(), [keeps(1, &[0], false)]);
}

#[tokio::test(start_paused = true)]
async fn the_rest_or_all_of_a_file_is_dropped_kept_and_undone_in_one_step() {
    let mut stage = with_changes(5).await;
    stage.press("3gx").await;
    assert_eq!(stage.asked(), [keeps(1, &[2, 3, 4], false)]);
    stage.shows("Dropped 3 changes; u undoes it.");
    stage.shows("2 kept, 3 dropped");
    stage.press("u").await;
    stage.shows("change 3 of 5: 5 kept");
    stage.press(" X").await;
    assert_eq!(stage.asked()[3..], [keeps(4, &[2], true)], "the key brings back what it stands on");
    stage.press("1gX").await;
    stage.shows("Dropped 5 changes; u undoes it.");
    stage.press("X").await;
    stage.shows("Kept 5 changes; u undoes it.");
    stage.press("u").await;
    stage.shows("5 dropped");
}

#[tokio::test(start_paused = true)]
async fn a_rejection_asks_first_where_the_person_edited() {
    let mut stage = Stage::reading(120, 28).await;
    stage.companion.change(1, |_, pieces| {
        if let Some(Piece::Differs { state, now, .. }) = pieces.get_mut(1) {
            (*state, *now) = (HunkState::Edited, "mine\n".into());
        }
    });
    stage.a_while().await;
    stage.press("r").await;
    assert_eq!(stage.asked(), []);
    stage.shows("You edited a change; your text stays in drafts. Reject the proposal? y reject n no");
    stage.press("n").await;
    assert_eq!(stage.asked(), []);
    stage.press("ry").await;
    let decision = Decision::Reject;
    assert_eq!(stage.asked(), [Request::DecideReview { id: ReviewId(1), revision: 2, decision }]);
}

#[tokio::test(start_paused = true)]
async fn a_search_begins_at_the_change_of_the_person() {
    let mut stage = with_changes(30).await;
    stage.press("2g").await;
    stage.shows("new 1");
    stage.press("/new").await;
    stage.key(KeyCode::Enter).await;
    stage.shows("change 2 of 30");
    stage.shows("/new 2/30");
}

#[tokio::test(start_paused = true)]
async fn the_change_of_the_person_stays_on_the_screen_when_that_is_another_one() {
    let mut stage = with_changes(30).await;
    stage.resize(200, 60).await;
    stage.press("9g").await;
    for (width, height) in [(80, 24), (60, 12), (200, 60), (60, 12)] {
        stage.resize(width, height).await;
        stage.shows("new 9");
        stage.shows("change 9 of 30");
    }
}
