//! Outcomes reach the session that asked, exactly once.

use super::*;

/// As when the machine slept: the deadline has passed before the loop hears that the stream broke.
#[tokio::test(start_paused = true)]
async fn a_stream_cut_while_an_outcome_waits_blocks_nobody() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let review = story.proposed_by(&agent, "one\n2\nthree\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    drop(agent.stream().await);
    // No other task runs in between.
    tokio::time::advance(Duration::from_millis(200)).await;
    let is_stuck = async {
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        known = agent.is_known() => assert!(known),
        () = is_stuck => panic!("the loop hears nobody any more"),
    }
    let mut stream = agent.stream().await;
    assert_eq!(outcome(&mut stream).await.0["method"], "ide/diffAccepted");
}

#[tokio::test(start_paused = true)]
async fn an_unsettled_outcome_waits_100_ms_and_for_unread_posts() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let review = story.proposed_by(&agent, "x\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    outcome(&mut stream).await;
    drop(stream);
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_millis(99)).await;
    let (again, _) = outcome(&mut stream).await;
    assert_eq!(again["params"]["content"], "x\n");

    // The process is stopped meanwhile: what the agent has said since is read first.
    drop(stream);
    let mut stream = agent.stream().await;
    tokio::time::advance(Duration::from_secs(3)).await;
    nothing_within(&mut stream, Duration::from_millis(99)).await;
    outcome(&mut stream).await;

    // A POST is under way when the stream returns: it may say that the agent has moved on.
    drop(stream);
    agent.begins_request().await.unwrap();
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_secs(30)).await;
    agent.open_diff(&story.file, "y\n").await.unwrap();
    agent.ends_request();
    nothing_within(&mut stream, Duration::from_secs(30)).await;
}

/// The agent proposes a text, and a person accepts another. Returns the notification and its ping.
async fn accepted(story: &mut Story, agent: &Agent, stream: &mut OpenStream) -> (serde_json::Value, Id) {
    let mut review = story.proposed_by(agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "one\nmine\nthree\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    outcome(stream).await
}

#[tokio::test(start_paused = true)]
async fn a_receipt_settles_an_outcome_and_its_draft_stays() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let (notification, first) = accepted(&mut story, &agent, &mut stream).await;
    assert_eq!(notification["params"]["content"], "one\nmine\nthree\n");
    let text = agent.close_diff(&story.file).await;
    assert_eq!(text.as_deref(), Some("one\nmine\nthree\n"), "decided, not confirmed");

    let (_, second) = accepted(&mut story, &agent, &mut stream).await;
    agent.confirm(first);
    agent.confirm(second);
    assert_eq!(agent.close_diff(&story.file).await, None, "settled");
    drop(stream);
    nothing_within(&mut agent.stream().await, Duration::from_secs(30)).await;
    let drafts = story.drafts().await;
    assert_eq!(drafts.len(), 2, "one was answered by closeDiff, one confirmed, none written");
}

#[tokio::test(start_paused = true)]
async fn nobody_hears_of_anothers_diff_even_of_the_same_file() {
    let mut story = Story::begin().await;
    let (one, two) = (story.agent().await, story.agent().await);
    let (mut to_one, mut to_two) = (one.stream().await, two.stream().await);
    let review = story.proposed_by(&one, "from one\n").await;
    let other = story.proposed_by(&two, "from two\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(outcome(&mut to_one).await.0["params"]["content"], "from one\n");
    nothing_within(&mut to_two, Duration::from_secs(5)).await;
    story.decide(&other, Decision::Reject).await.unwrap();
    assert_eq!(outcome(&mut to_two).await.0["method"], "ide/diffRejected");
    nothing_within(&mut to_one, Duration::from_secs(5)).await;
}
