//! Tests with many changes: going to a change by its number, and deciding on several changes at once.

use super::*;

/// Starts a desk with a review of `changes` changes.
async fn with_changes(changes: usize) -> TestDesk {
    let mut desk = TestDesk::connected(120, 24).await;
    let pieces: Vec<_> = (1..=changes)
        .flat_map(|n| {
            let around: String = (1..=9).map(|line| format!("line {line} of {n}\n")).collect();
            [same(&around), differs(&format!("old {n}\n"), &format!("new {n}\n"))]
        })
        .collect();
    desk.open(1, "/shop/many.py", &pieces);
    desk.wait_until_keys_count().await;
    desk
}

#[tokio::test(start_paused = true)]
async fn a_number_goes_to_that_change_or_that_many_further() {
    let mut desk = with_changes(30).await;
    desk.press_expecting("1", "j/k so many changes g to that change Esc back").await;
    desk.press_expecting("2", "back 12").await;
    desk.press_expecting("g", "change 12 of 30").await;
    desk.press_expecting("5j", "change 17 of 30").await;
    desk.press_expecting("10k", "change 7 of 30").await;
    desk.press_expecting("25G", "change 25 of 30").await;
    desk.press_expecting("99g", "change 30 of 30").await;
    desk.assert_shows("There are 30 changes.");
    desk.press_expecting("99k", "change 1 of 30").await;
    // Without a number, G goes to the end.
    desk.press_expecting("G", "new 30").await;
}

#[tokio::test(start_paused = true)]
async fn a_number_never_decides() {
    let mut desk = with_changes(3).await;
    desk.press("2a").await;
    assert_eq!(desk.requests(), []);
    desk.assert_shows("A number goes with j, k, g and G; nothing was done.");
    desk.press("2⎋ ").await;
    assert_eq!(desk.requests(), [keeps(1, &[0], false)]);
}

#[tokio::test(start_paused = true)]
async fn the_rest_or_all_of_a_file_is_dropped_kept_and_undone_in_one_step() {
    let mut desk = with_changes(5).await;
    desk.press("3gx").await;
    assert_eq!(desk.requests(), [keeps(1, &[2, 3, 4], false)]);
    desk.assert_shows("Dropped 3 changes; u undoes it.");
    desk.assert_shows("2 kept, 3 dropped");
    desk.press_expecting("u", "change 3 of 5: 5 kept").await;
    desk.press(" X").await;
    assert_eq!(desk.requests()[3..], [keeps(4, &[2], true)], "X keeps the dropped change that keys act on");
    desk.press_expecting("1gX", "Dropped 5 changes; u undoes it.").await;
    desk.press_expecting("X", "Kept 5 changes; u undoes it.").await;
    desk.press_expecting("u", "5 dropped").await;
}

#[tokio::test(start_paused = true)]
async fn a_rejection_asks_first_if_the_person_has_edited() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.edit_piece(1, "mine\n");
    desk.wait_until_keys_count().await;
    desk.press("r").await;
    assert_eq!(desk.requests(), []);
    desk.assert_shows("You edited a change; your text stays in drafts. Reject the proposal? y reject n no");
    desk.press("n").await;
    assert_eq!(desk.requests(), []);
    desk.press("ry").await;
    assert_eq!(desk.requests(), [decided(1, 2, Decision::Reject)]);
}

#[tokio::test(start_paused = true)]
async fn a_search_begins_at_the_current_change() {
    let mut desk = with_changes(30).await;
    desk.press_expecting("2g", "new 1").await;
    desk.press_expecting("/new\n", "change 2 of 30").await;
    desk.assert_shows("/new 2/30");
}

#[tokio::test(start_paused = true)]
async fn the_current_change_stays_on_the_screen_when_the_size_changes() {
    let mut desk = with_changes(30).await;
    desk.resize(200, 60).await;
    desk.press("9g").await;
    for (width, height) in [(80, 24), (60, 12), (200, 60), (60, 12)] {
        desk.resize(width, height).await;
        desk.assert_shows("new 9");
        desk.assert_shows("change 9 of 30");
    }
}
