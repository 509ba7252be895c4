//! A comment that an agent has read is asked again, or no more.

use alongside_desk::{Anchor, Comment, CommentId, Turn};

use super::commenting::route;
use super::turns::{files, turn};
use super::*;

#[tokio::test(start_paused = true)]
async fn an_emptied_comment_that_is_asked_again_stays_as_it_was_read() {
    let anchor = Anchor { path: Some("src/basket.py".into()), ..Anchor::default() };
    let again = Comment { id: CommentId(1), anchor, text: "Why?".into(), again: true, ..Comment::default() };
    let turn = Turn { route: route(), comments: vec![again], ..turn(files()) };
    let mut stage = Stage::commenting_on(100, 30, turn, Options::default()).await;
    stage.shows_on("c\t", "> Why?").await;
    for _ in 0..4 {
        stage.key(KeyCode::Backspace).await;
    }
    stage.press_and_read("\n").await;
    stage.shows("Enter again asks no more, and the comment stays as it was read; Esc leaves it.");
    stage.press_and_read("\n").await;
    stage.shows("Not asked again: only \"Why?\" is taken back, and the comment stays as it was read.");
    stage.does_not_show("Comment removed.");
}
