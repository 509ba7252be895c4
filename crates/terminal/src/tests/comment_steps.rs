//! Tests of the undo and redo of comments on a turn, and of the keys in the list of comments.

use alongside_desk::{Comment, Turn, TurnMessage};
use insta::assert_snapshot;

use super::commenting::{change, on_basket, route};
use super::turns::{files, turn};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_step_back_takes_comments_back_and_then_marks() {
    let mut desk = TestDesk::commenting(100, 24).await;
    desk.press_and_wait(" ").await;
    desk.press_and_wait("cwhy\n").await;
    desk.press_and_wait("Call of it\n").await;
    let before = desk.turn_requests().len();
    for id in [2, 1] {
        desk.press_and_wait("u").await;
        desk.assert_shows(
            "Comment taken back. Ctrl-R writes it again; the next c there begins with its words.",
        );
        assert_eq!(desk.turn_requests().last(), Some(&change(id, "")));
    }
    desk.press_and_wait("u").await;
    assert!(matches!(desk.turn_requests()[before + 2..], [Request::UndoReview { .. }]));
    desk.press_expecting("c", "> why").await;
    desk.key(KeyCode::Esc).await;
    // After a mark, an undo removes the mark.
    desk.press_and_wait("c again\n").await;
    desk.press_and_wait(" ").await;
    desk.press("u").await;
    assert!(matches!(desk.turn_requests().last(), Some(Request::UndoReview { .. })));
}

#[tokio::test(start_paused = true)]
async fn the_keys_of_the_list_fit_from_60_columns_on() {
    for width in [60, 79, 80] {
        let message = Some(TurnMessage { text: "read this".into(), ..TurnMessage::default() });
        let turn = Turn { route: route(), message, ..turn(files()) };
        let mut desk = TestDesk::commenting_on(width, 24, turn, Options::default()).await;
        desk.press("L").await;
        let screen = desk.screen();
        assert!(screen.contains("Enter open  c comment  C on all  y copy  p paste  Esc back"), "{screen}");
        assert_eq!(screen.contains("j/k move"), width > 70, "{screen}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_redo_sets_marks_and_then_writes_comments_again() {
    let mut desk = TestDesk::commenting(100, 24).await;
    desk.press_and_wait(" ").await;
    desk.press_and_wait("cwhy\n").await;
    // The comment gets another text, which the redo must write.
    desk.press_and_wait("c?\n").await;
    desk.press_and_wait("Call of it\n").await;
    let before = desk.turn_requests().len();
    for _ in 0..3 {
        desk.press_and_wait("u").await;
    }
    for _ in 0..3 {
        desk.ctrl('r').await;
        desk.wait_until_keys_count().await;
    }
    desk.assert_shows("Comment saved. f sends 2.");
    let asked = desk.turn_requests();
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
    desk.press_and_wait("u").await;
    desk.press_and_wait_expecting("C!\n", "Comment saved.").await;
    let before = desk.turn_requests().len();
    desk.ctrl('r').await;
    desk.wait_until_keys_count().await;
    assert!(matches!(desk.turn_requests()[before..], [Request::RedoReview { .. }]));
}

#[tokio::test(start_paused = true)]
async fn unsent_comments_are_in_the_list() {
    let mut desk = TestDesk::commenting(100, 24).await;
    desk.press_and_wait("cwhy\n").await;
    desk.press_and_wait("Chalf a tho⎋u").await;
    desk.press("L").await;
    assert_snapshot!("comment_not_kept", desk.screen());
    desk.companion.renew_turn();
    desk.wait_until_keys_count().await;
    desk.assert_shows("half a tho");
    desk.press_expecting("⎋c", "> why").await;
    desk.press_and_wait("\n").await;
    desk.press_expecting("L", "the whole turn half a tho").await;
    desk.assert_hides("src/basket.py why");
}

#[tokio::test(start_paused = true)]
async fn an_emptied_comment_that_is_asked_again_stays_as_it_was_read() {
    let again = Comment { again: true, ..on_basket(1, "Why?") };
    let mut desk = TestDesk::with_comments(100, 30, vec![again]).await;
    desk.press_expecting("c\t", "> Why?").await;
    desk.press("⌫⌫⌫⌫").await;
    let confirm = "Enter again asks no more, and the comment stays as it was read; Esc leaves it.";
    desk.press_and_wait_expecting("\n", confirm).await;
    let taken_back = "Not asked again: only \"Why?\" is taken back, and the comment stays as it was read.";
    desk.press_and_wait_expecting("\n", taken_back).await;
    desk.assert_hides("Comment removed.");
}
