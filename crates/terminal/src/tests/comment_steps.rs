//! Tests of the undo and redo of comments on a turn, and of the keys in the list of comments.

use alongside_desk::{Comment, Turn, TurnMessage};
use insta::assert_snapshot;

use super::commenting::{change, on_basket, route};
use super::turns::{files, turn};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_step_back_takes_comments_back_and_then_marks() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.press_and_read(" ").await;
    stage.press_and_read("cwhy\n").await;
    stage.press_and_read("Call of it\n").await;
    let before = stage.asked_of_turn().len();
    for id in [2, 1] {
        stage.press_and_read("u").await;
        stage.shows("Comment taken back. Ctrl-R writes it again; the next c there begins with its words.");
        assert_eq!(stage.asked_of_turn().last(), Some(&change(id, "")));
    }
    stage.press_and_read("u").await;
    assert!(matches!(stage.asked_of_turn()[before + 2..], [Request::UndoReview { .. }]));
    stage.shows_on("c", "> why").await;
    stage.key(KeyCode::Esc).await;
    // After a mark, an undo removes the mark.
    stage.press_and_read("c again\n").await;
    stage.press_and_read(" ").await;
    stage.press("u").await;
    assert!(matches!(stage.asked_of_turn().last(), Some(Request::UndoReview { .. })));
}

#[tokio::test(start_paused = true)]
async fn the_keys_of_the_list_fit_from_60_columns_on() {
    for width in [60, 79, 80] {
        let message = Some(TurnMessage { text: "read this".into(), ..TurnMessage::default() });
        let turn = Turn { route: route(), message, ..turn(files()) };
        let mut stage = Stage::commenting_on(width, 24, turn, Options::default()).await;
        stage.press("L").await;
        let screen = stage.screen();
        assert!(screen.contains("Enter open  c comment  C on all  y copy  p paste  Esc back"), "{screen}");
        assert_eq!(screen.contains("j/k move"), width > 70, "{screen}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_redo_sets_marks_and_then_writes_comments_again() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.press_and_read(" ").await;
    stage.press_and_read("cwhy\n").await;
    // The comment gets another text, which the redo must write.
    stage.press_and_read("c?\n").await;
    stage.press_and_read("Call of it\n").await;
    let before = stage.asked_of_turn().len();
    for _ in 0..3 {
        stage.press_and_read("u").await;
    }
    for _ in 0..3 {
        stage.ctrl('r').await;
        stage.a_while().await;
    }
    stage.shows("Comment kept. f sends 2.");
    let asked = stage.asked_of_turn();
    assert!(matches!(
        asked[before + 2..before + 4],
        [Request::UndoReview { .. }, Request::RedoReview { .. }]
    ));
    let again = |asked: &Request| match asked {
        Request::AddComment { file, lines, text, .. } => Some((*file, lines.is_some(), text.clone())),
        _ => None,
    };
    let comments: Vec<_> = asked[before + 4..].iter().map(again).collect();
    let expected = [(Some(2), true, "why?".to_owned()), (None, false, "all of it".to_owned())];
    assert_eq!(comments, expected.map(Some));
    // A text that the person has used for another comment is not written twice.
    stage.press_and_read("u").await;
    stage.reads_on("C!\n", "Comment kept.").await;
    let before = stage.asked_of_turn().len();
    stage.ctrl('r').await;
    stage.a_while().await;
    assert!(matches!(stage.asked_of_turn()[before..], [Request::RedoReview { .. }]));
}

#[tokio::test(start_paused = true)]
async fn unsent_comments_are_in_the_list() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.press_and_read("cwhy\n").await;
    stage.press_and_read("Chalf a tho⎋u").await;
    stage.press("L").await;
    assert_snapshot!("comment_not_kept", stage.screen());
    stage.companion.renew_turn();
    stage.a_while().await;
    stage.shows("half a tho");
    stage.shows_on("⎋c", "> why").await;
    stage.press_and_read("\n").await;
    stage.shows_on("L", "the whole turn half a tho").await;
    stage.does_not_show("src/basket.py why");
}

#[tokio::test(start_paused = true)]
async fn an_emptied_comment_that_is_asked_again_stays_as_it_was_read() {
    let again = Comment { again: true, ..on_basket(1, "Why?") };
    let mut stage = Stage::with_comments(100, 30, vec![again]).await;
    stage.shows_on("c\t", "> Why?").await;
    stage.press("⌫⌫⌫⌫").await;
    let confirm = "Enter again asks no more, and the comment stays as it was read; Esc leaves it.";
    stage.reads_on("\n", confirm).await;
    let taken_back = "Not asked again: only \"Why?\" is taken back, and the comment stays as it was read.";
    stage.reads_on("\n", taken_back).await;
    stage.does_not_show("Comment removed.");
}
