//! Several agents at once: no agent gets another agent's outcome.

use std::time::Duration;

use alongside_companion::desk::{Closing, Decision};
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn equal_ids_and_paths_of_two_agents_do_not_mix() {
    let mut stage = Stage::new().await;
    let (one, two) = (stage.peer().await, stage.peer().await);
    let (mut first, mut second) = (one.listen().await, two.listen().await);
    let path = stage.path("same.txt");
    one.open_diff(1, &path, "of one\n").await;
    let of_one = stage.review().await;
    two.open_diff(1, &path, "of two\n").await;
    let of_two = stage.review().await;
    assert_eq!((&*of_one.proposed, &*of_two.proposed), ("of one\n", "of two\n"));
    assert_ne!(of_one.agent.number, of_two.agent.number);

    stage.decide(&of_two, Decision::Accept).await.unwrap();
    assert_eq!(second.wait_for("ide/diffAccepted").await["params"]["content"], "of two\n");
    two.acknowledge(&mut second).await;
    first.silent_for(Duration::from_millis(300)).await;

    stage.decide(&of_one, Decision::Reject).await.unwrap();
    assert_eq!(first.wait_for("ide/diffRejected").await["params"], json!({ "filePath": path }));
    second.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn closing_a_diff_closes_only_the_agents_own() {
    let mut stage = Stage::new().await;
    let (one, two) = (stage.peer().await, stage.peer().await);
    let mut second = two.listen().await;
    let path = stage.path("same.txt");
    one.open_diff(1, &path, "of one\n").await;
    stage.review().await;
    assert_eq!(two.close_diff(1, &path).await, json!({}), "this agent has no diff");
    two.open_diff(2, &path, "of two\n").await;
    let of_two = stage.review().await;
    assert_eq!(one.close_diff(2, &path).await, json!({ "content": "of one\n" }));
    assert_eq!(stage.next_closed().await.closing, Closing::AnsweredInAgent);
    stage.decide(&of_two, Decision::Accept).await.unwrap();
    assert_eq!(second.wait_for("ide/diffAccepted").await["params"]["content"], "of two\n");
}

#[tokio::test]
async fn a_receipt_of_one_agent_settles_nothing_of_another() {
    let mut stage = Stage::new().await;
    let (one, two) = (stage.peer().await, stage.peer().await);
    let mut stream = one.listen().await;
    let path = stage.path("a.txt");
    stage.open_and_accept(&one, 1, &path, "x\n").await;
    stream.wait_for("ide/diffAccepted").await;
    two.pong(&stream.wait_for("ping").await).await;
    stream.reset();
    let mut again = one.listen().await;
    assert_eq!(
        again.wait_for("ide/diffAccepted").await["params"]["content"],
        "x\n",
        "the outcome is still unsettled"
    );
}

#[tokio::test]
async fn second_proposal_for_a_file_replaces_the_first() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let path = stage.path("a.txt");
    peer.open_diff(1, &path, "first\n").await;
    let first = stage.review().await;
    peer.open_diff(2, &path, "second\n").await;
    assert_eq!(stage.next_closed().await.closing, Closing::Replaced);
    assert!(stage.decide(&first, Decision::Accept).await.is_err());
    let second = alongside_companion::desk::ReviewId(first.id.0 + 1);
    let decide = alongside_companion::desk::Request::DecideReview {
        id: second,
        revision: 1,
        decision: Decision::Accept,
    };
    stage.desk.request(decide).await.unwrap();
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], "second\n");
    peer.acknowledge(&mut stream).await;
    stream.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn many_agents_at_once_get_their_own_text_each() {
    let mut stage = Stage::new().await;
    let mut agents = Vec::new();
    for number in 0..20 {
        let peer = stage.peer().await;
        let stream = peer.listen().await;
        let text = format!("text of {number}\n");
        stage.open_and_accept(&peer, 7, &stage.path("same.txt"), &text).await;
        agents.push((peer, stream, text));
    }
    for (_, stream, text) in &mut agents {
        assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], *text);
    }
}

#[tokio::test]
async fn a_deleted_session_takes_its_reviews_along() {
    let (mut stage, peer) = Stage::with_peer().await;
    peer.open_diff(1, &stage.path("a.txt"), "x\n").await;
    stage.review().await;
    peer.delete().await;
    assert_eq!(stage.next_closed().await.closing, Closing::AgentGone);
}
