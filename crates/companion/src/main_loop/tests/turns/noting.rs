//! The source of turns gets notes on files: accepted texts once they are written, and saves.

use alongside_desk::Lines;

use super::*;
use crate::events::OpenStream;
use crate::turns::source::{AcceptedText, TurnNote};

impl Stage {
    /// Accepts a text that a new agent proposes for the file of the story.
    async fn accept(&mut self, text: &str) -> (Agent, OpenStream) {
        let (agent, stream) = self.story.listener().await;
        let review = self.story.propose_as(&agent, text).await;
        self.story.decide(&review, Decision::Accept).await.unwrap();
        (agent, stream)
    }
}

fn notes(stage: &Stage) -> Vec<TurnNote> {
    stage.source.notes().into_iter().map(|(_, note)| note).collect()
}

#[tokio::test(start_paused = true)]
async fn an_accepted_text_is_noted_once_it_is_written() {
    let mut stage = Stage::with_files(&[("a.txt", "old\r\n")]).await;
    let _agent = stage.accept("new\n").await;
    let mut desk = stage.desk();
    desk.read_new_until_idle().await;
    assert_eq!(notes(&stage), [], "nothing is written yet");
    let turn = {
        stage.write("a.txt", "new\r\n");
        let turn = desk.look().await;
        let opened = desk.try_open(&turn, "a.txt").await.unwrap();
        assert_eq!(opened.accepted, []);
        turn
    };
    let is_noted = || stage.source.notes().len() == 1;
    wait_until("the note", is_noted).await;
    let (before, after) = (Some(b"old\r\n".to_vec()), b"new\r\n".to_vec());
    let note = TurnNote::Accepted(AcceptedText { before, after });
    assert_eq!(stage.source.notes(), [(crate::real_path::resolve(&stage.path("a.txt")), note)]);
    // A desk that has the file open gets it again, with the accepted lines.
    desk.read_new_until_idle().await;
    let opened = desk.opened().pop().expect("the file is sent again");
    assert_eq!((opened.turn, opened.accepted), (turn.id, vec![Lines { start: 0, end: 1 }]));
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_not_as_accepted_is_not_noted() {
    let mut stage = Stage::with_files(&[("a.txt", "old\n")]).await;
    let _agent = stage.accept("new\n").await;
    stage.write("a.txt", "something else\n");
    stage.desk().read_new_until_idle().await;
    assert_eq!(notes(&stage), []);
}

#[tokio::test(start_paused = true)]
async fn a_save_in_an_editor_is_noted_only_for_files_of_the_project() {
    let stage = Stage::with_changed_file().await;
    let mut desk = stage.desk();
    desk.look().await;
    let looks = stage.source.looks.load(std::sync::atomic::Ordering::SeqCst);
    for path in [stage.path("a.txt"), "/etc/hosts".into(), "a.txt".into()] {
        let path = path.to_str().unwrap().to_owned();
        stage.story.desk.request(Request::Saved { path }).await.unwrap();
    }
    wait_until("the note", || !notes(&stage).is_empty()).await;
    desk.read_new_until_idle().await;
    assert_eq!(stage.source.notes(), [(crate::real_path::resolve(&stage.path("a.txt")), TurnNote::Saved)]);
    assert_eq!(
        stage.source.looks.load(std::sync::atomic::Ordering::SeqCst),
        looks + 1,
        "a look follows the note"
    );
}
