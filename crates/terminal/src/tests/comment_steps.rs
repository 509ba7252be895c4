//! Comments on a turn that are taken back, and the keys of the list that has them.

use alongside_desk::{CommentId, Turn, TurnMessage};

use super::commenting::route;
use super::turns::{ID, files, turn};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_step_back_takes_comments_back_and_then_marks() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.press_and_read(" ").await;
    stage.press("cwhy").await;
    stage.enter().await;
    stage.press("Call of it").await;
    stage.enter().await;
    let before = stage.asked_of_turn().len();
    let remove = |id| Request::ChangeComment { turn: ID, id: CommentId(id), text: String::new() };
    for id in [2, 1] {
        stage.press_and_read("u").await;
        stage.shows("Comment taken back. The next c there begins with its words.");
        assert_eq!(stage.asked_of_turn().last(), Some(&remove(id)));
    }
    stage.press_and_read("u").await;
    assert!(matches!(stage.asked_of_turn()[before + 2..], [Request::UndoReview { .. }]));
    stage.shows_on("c", "> why").await;
    stage.key(KeyCode::Esc).await;
    // After a mark, a step back is that mark.
    stage.press("c again").await;
    stage.enter().await;
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
