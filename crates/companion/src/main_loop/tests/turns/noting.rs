//! The store of turns is told of files: texts that a person accepted and that are written, and saves.

use alongside_desk::Lines;

use super::*;
use crate::events::OpenStream;
use crate::turns::source::{AcceptedText, TurnNote};

impl Stage {
    /// A desk with the file of the project open, whose agent writes what the person accepts.
    async fn accepting(&mut self, text: &str) -> (Agent, OpenStream) {
        let (agent, stream) = self.story.listener().await;
        let review = self.story.proposed_by(&agent, text).await;
        self.story.decide(&review, Decision::Accept).await.unwrap();
        (agent, stream)
    }
}

fn notes(stage: &Stage) -> Vec<TurnNote> {
    stage.source.notes().into_iter().map(|(_, note)| note).collect()
}

#[tokio::test(start_paused = true)]
async fn an_accepted_text_is_noted_once_it_is_written() {
    let mut stage = Stage::of(&[("a.txt", "old\r\n")]).await;
    let _agent = stage.accepting("new\n").await;
    let mut desk = stage.desk();
    desk.settle().await;
    assert_eq!(notes(&stage), [], "nothing is written yet");
    let turn = {
        stage.write("a.txt", "new\r\n");
        let turn = desk.look().await;
        let opened = desk.try_open(&turn, "a.txt").await.unwrap();
        assert_eq!(opened.accepted, []);
        turn
    };
    let noted = || stage.source.notes().len() == 1;
    wait_until("it is noted", noted).await;
    let (before, after) = (Some(b"old\r\n".to_vec()), b"new\r\n".to_vec());
    let note = TurnNote::Accepted(AcceptedText { before, after });
    assert_eq!(stage.source.notes(), [(crate::real_path::resolve(&stage.path("a.txt")), note)]);
    // A desk that has it open hears of it, and its marks stay.
    desk.settle().await;
    let opened = desk.opened().pop().expect("the desk is told anew");
    assert_eq!((opened.turn, opened.accepted), (turn.id, vec![Lines { start: 0, end: 1 }]));
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_not_as_accepted_is_not_noted() {
    let mut stage = Stage::of(&[("a.txt", "old\n")]).await;
    let _agent = stage.accepting("new\n").await;
    stage.write("a.txt", "something else\n");
    stage.desk().settle().await;
    assert_eq!(notes(&stage), []);
}

#[tokio::test(start_paused = true)]
async fn a_save_in_an_editor_is_noted_for_files_of_the_project() {
    let stage = Stage::changed().await;
    let mut desk = stage.desk();
    desk.look().await;
    let looks = stage.source.looks.load(std::sync::atomic::Ordering::SeqCst);
    for path in [stage.path("a.txt"), "/etc/hosts".into(), "a.txt".into()] {
        let path = path.to_str().unwrap().to_owned();
        stage.story.desk.request(Request::Saved { path }).await.unwrap();
    }
    wait_until("it is noted", || !notes(&stage).is_empty()).await;
    desk.settle().await;
    assert_eq!(stage.source.notes(), [(crate::real_path::resolve(&stage.path("a.txt")), TurnNote::Saved)]);
    assert_eq!(stage.source.looks.load(std::sync::atomic::Ordering::SeqCst), looks + 1, "desks hear of it");
}
