//! Changes count as seen in line mode only once they are printed: long changes are printed in pages, and
//! accepting a change that was not printed asks first.

use super::*;

/// Returns 5000 different lines that begin with this name.
fn lines(name: &str) -> String {
    (0..5_000).map(|line| format!("{name} {line}\n")).collect()
}

#[tokio::test]
async fn a_long_change_counts_as_seen_once_all_of_it_was_printed() {
    let (home, mut desk, _agent, diff) = proposed("long.txt", &lines("old"), &lines("new")).await;
    desk.shows("\n... (6000 more lines; m shows the next ones, e the whole text in your editor)\n").await;
    let listed = desk.answers_all_and_shows(&["A"], "]? ").await;
    desk.types("a");
    let asked = desk.answers_all(&["n"]).await;
    desk.shows("\n... (2000 more lines;").await;
    desk.answers_all_and_shows(&["m"], "+new 4999\n").await;
    let last = desk.answers_all(&["m", "A", "y"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&lines("new")));
    assert_snapshot!(home.stable(listed + &asked + &last));
}

#[tokio::test]
async fn printing_a_long_change_continues_where_it_stopped() {
    let (original, text) = (format!("{}end\n", lines("old")), format!("{}END\n", lines("new")));
    let original = original.replace("end\n", "same\nsame\nsame\nend\n");
    let text = text.replace("END\n", "same\nsame\nsame\nEND\n");
    let (_home, mut desk, _agent, diff) = proposed("long.txt", &original, &text).await;
    desk.answers_all(&["y", "y", "a"]).await;
    let asked = "1 of 2 changes was not on the screen yet. Accept all the same (n shows the rest) [y,n]? ";
    desk.answers(asked, "n").await;
    let rest = desk.answers_all(&["m"]).await;
    assert!(rest.contains(" goes on\n-old 2000\n"), "{rest}");
    desk.shows("+new 4999\n").await;
    desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&text));
}

#[tokio::test]
async fn accepting_an_emptied_file_asks_first() {
    let (_home, mut desk, _agent, diff) = proposed("a.txt", "one\ntwo\n", "").await;
    desk.answers_all(&["a"]).await;
    desk.answers("All 2 lines go: the file will be empty. Accept that [y,n]? ", "n").await;
    desk.answers_all(&["a"]).await;
    desk.answers("Accept that [y,n]? ", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(""));
}

#[tokio::test]
async fn an_undone_edit_does_not_count_as_seeing_the_proposal() {
    let home = Home::new();
    let editor = home.review_with_editor("sed -i 1q");
    let (mut desk, _agent, diff) =
        home.proposal(&home.file("long.txt", "old\n"), &lines("new"), editor).await;
    desk.answers_all_and_shows(&["e"], "edited by hand\n").await;
    desk.answers_all_and_shows(&["u"], "+new 1999\n").await;
    desk.answers_all(&["a"]).await;
    desk.answers(
        "3000 of 5001 lines were not on the screen yet. Accept all the same (n shows the rest) [y,n]? ",
        "n",
    )
    .await;
    desk.answers_all(&["m", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&lines("new")));
}

#[tokio::test]
async fn accepting_changes_not_yet_printed_asks_first() {
    // The last change adds only a blank at the end of a line.
    let proposed_text = PROPOSED.replace("ten\n", "ten \n");
    let (home, mut desk, _agent, diff) = proposed("numbers.txt", ORIGINAL, &proposed_text).await;
    let shown = desk.answers_all(&["a", "maybe", "n", "l", "a", "n", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&proposed_text));
    assert_snapshot!(home.stable(shown));
}

#[tokio::test]
async fn an_undivided_text_is_printed_in_pages() {
    let home = Home::new();
    let binary = home.file("binary.bin", "");
    std::fs::write(&binary, b"\xff\xfe\x00\x01").unwrap();
    let (mut desk, _agent, diff) = home.proposal(&binary, &lines("new"), home.review(&[])).await;
    desk.shows("\n... (3000 more lines; m shows the next ones)\n").await;
    desk.shows("binary.bin: 1 change: 1 kept; seen 2000 of 5000 lines.\n").await;
    desk.answers("accept or reject [m,a,r,?]? ", "a").await;
    desk.answers(
        "3000 of 5000 lines were not on the screen yet. Accept all the same (n shows the rest) [y,n]? ",
        "n",
    )
    .await;
    desk.answers_all_and_shows(&["m"], "binary.bin: 1 change: 1 kept.\naccept or reject [a,r,?]? ").await;
    desk.types("a");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&lines("new")));
}

#[tokio::test]
async fn a_changed_word_in_a_long_line_is_printed() {
    let line = |word: &str| format!("{}{word}{}\n", "before ".repeat(900), "after ".repeat(900));
    let (home, mut desk, _agent, diff) = proposed("data.json", &line("OLD"), &line("NEW")).await;
    let shown = desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(&line("NEW")));
    let shown = home.stable(shown);
    let (_, hunk) = shown.split_once("@@\n").unwrap();
    assert_snapshot!(hunk);
}

#[tokio::test]
async fn a_long_change_edited_at_another_desk_is_printed_anew() {
    let (home, mut desk, _agent, _diff) = proposed("long.txt", &lines("old"), &lines("new")).await;
    desk.answers_all_and_shows(&["m"], "@@ -1,5000 +1,5000 @@ goes on\n").await;
    desk.shows("]? ").await;
    let mut other = home.review_with_editor("sed -i 's/new 4000/newer/'");
    other.answers_all(&["e"]).await;
    desk.shows("changed at another desk").await;
    desk.shows("@@ -1,5000 +1,5000 @@ edited by hand\n-old 0\n").await;
    desk.answers_all(&["a"]).await;
    desk.answers("6000 of 10000 lines were not on the screen yet", "n").await;
}
