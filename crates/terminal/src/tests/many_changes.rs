//! Tests with many changes: going to a change by its number, and deciding on several changes at once.

use super::*;

/// Starts a desk with a review of `changes` changes.
async fn with_changes(changes: usize) -> Stage {
    let mut stage = Stage::connected(120, 24).await;
    let pieces: Vec<_> = (1..=changes)
        .flat_map(|n| {
            let around: String = (1..=9).map(|line| format!("line {line} of {n}\n")).collect();
            [same(&around), differs(&format!("old {n}\n"), &format!("new {n}\n"))]
        })
        .collect();
    stage.open(1, "/shop/many.py", &pieces);
    stage.a_while().await;
    stage
}

#[tokio::test(start_paused = true)]
async fn a_number_goes_to_that_change_or_that_many_further() {
    let mut stage = with_changes(30).await;
    stage.shows_on("1", "j/k so many changes g to that change Esc back").await;
    stage.shows_on("2", "back 12").await;
    stage.shows_on("g", "change 12 of 30").await;
    stage.shows_on("5j", "change 17 of 30").await;
    stage.shows_on("10k", "change 7 of 30").await;
    stage.shows_on("25G", "change 25 of 30").await;
    stage.shows_on("99g", "change 30 of 30").await;
    stage.shows("There are 30 changes.");
    stage.shows_on("99k", "change 1 of 30").await;
    // Without a number, G goes to the end.
    stage.shows_on("G", "new 30").await;
}

#[tokio::test(start_paused = true)]
async fn a_number_never_decides() {
    let mut stage = with_changes(3).await;
    stage.press("2a").await;
    assert_eq!(stage.asked(), []);
    stage.shows("A number goes with j, k, g and G; nothing was done.");
    stage.press("2⎋ ").await;
    assert_eq!(stage.asked(), [keeps(1, &[0], false)]);
}

#[tokio::test(start_paused = true)]
async fn the_rest_or_all_of_a_file_is_dropped_kept_and_undone_in_one_step() {
    let mut stage = with_changes(5).await;
    stage.press("3gx").await;
    assert_eq!(stage.asked(), [keeps(1, &[2, 3, 4], false)]);
    stage.shows("Dropped 3 changes; u undoes it.");
    stage.shows("2 kept, 3 dropped");
    stage.shows_on("u", "change 3 of 5: 5 kept").await;
    stage.press(" X").await;
    assert_eq!(stage.asked()[3..], [keeps(4, &[2], true)], "X keeps the dropped change that keys act on");
    stage.shows_on("1gX", "Dropped 5 changes; u undoes it.").await;
    stage.shows_on("X", "Kept 5 changes; u undoes it.").await;
    stage.shows_on("u", "5 dropped").await;
}

#[tokio::test(start_paused = true)]
async fn a_rejection_asks_first_if_the_person_has_edited() {
    let mut stage = Stage::reading(120, 28).await;
    stage.edit_piece(1, "mine\n");
    stage.a_while().await;
    stage.press("r").await;
    assert_eq!(stage.asked(), []);
    stage.shows("You edited a change; your text stays in drafts. Reject the proposal? y reject n no");
    stage.press("n").await;
    assert_eq!(stage.asked(), []);
    stage.press("ry").await;
    assert_eq!(stage.asked(), [decided(1, 2, Decision::Reject)]);
}

#[tokio::test(start_paused = true)]
async fn a_search_begins_at_the_current_change() {
    let mut stage = with_changes(30).await;
    stage.shows_on("2g", "new 1").await;
    stage.shows_on("/new\n", "change 2 of 30").await;
    stage.shows("/new 2/30");
}

#[tokio::test(start_paused = true)]
async fn the_current_change_stays_on_the_screen_when_the_size_changes() {
    let mut stage = with_changes(30).await;
    stage.resize(200, 60).await;
    stage.press("9g").await;
    for (width, height) in [(80, 24), (60, 12), (200, 60), (60, 12)] {
        stage.resize(width, height).await;
        stage.shows("new 9");
        stage.shows("change 9 of 30");
    }
}
