//! Outcomes reach the session that proposed, exactly once.

use super::*;

/// The order of events after a sleep of the machine: the outcome's deadline passes before the loop reads that
/// the stream broke.
#[tokio::test(start_paused = true)]
async fn a_stream_cut_while_an_outcome_waits_does_not_block_the_loop() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let review = story.propose_as(&agent, "one\n2\nthree\n").await;
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
        () = is_stuck => panic!("the loop handles no event any more"),
    }
    let mut stream = agent.stream().await;
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffAccepted");
}

#[tokio::test(start_paused = true)]
async fn an_unsettled_outcome_waits_100_ms_and_for_unread_posts() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let review = story.propose_as(&agent, "x\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    next_outcome(&mut stream).await;
    drop(stream);
    let mut stream = agent.stream().await;
    expect_only_context_within(&mut stream, Duration::from_millis(99)).await;
    let (again, _) = next_outcome(&mut stream).await;
    assert_eq!(again["params"]["content"], "x\n");

    // The process was stopped for three seconds: requests that came meanwhile are read first.
    drop(stream);
    let mut stream = agent.stream().await;
    tokio::time::advance(Duration::from_secs(3)).await;
    expect_only_context_within(&mut stream, Duration::from_millis(99)).await;
    next_outcome(&mut stream).await;

    // A POST is under way when the stream returns: it may bring a newer proposal.
    drop(stream);
    agent.begin_request().await.unwrap();
    let mut stream = agent.stream().await;
    expect_only_context_within(&mut stream, Duration::from_secs(30)).await;
    agent.open_diff(&story.file, "y\n").await.unwrap();
    agent.end_request();
    expect_only_context_within(&mut stream, Duration::from_secs(30)).await;
}

/// Proposes a text, accepts the text that the person typed instead, and returns the notification with its
/// ping.
async fn accept_edited(story: &mut Story, agent: &Agent, stream: &mut OpenStream) -> (serde_json::Value, Id) {
    let mut review = story.propose_as(agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "one\nmine\nthree\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    next_outcome(stream).await
}

#[tokio::test(start_paused = true)]
async fn a_receipt_settles_an_outcome_and_its_draft_stays() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let (notification, first) = accept_edited(&mut story, &agent, &mut stream).await;
    assert_eq!(notification["params"]["content"], "one\nmine\nthree\n");
    let text = agent.close_diff(&story.file).await;
    assert_eq!(text.as_deref(), Some("one\nmine\nthree\n"), "decided, not confirmed");

    let (_, second) = accept_edited(&mut story, &agent, &mut stream).await;
    agent.confirm(first);
    agent.confirm(second);
    assert_eq!(agent.close_diff(&story.file).await, None, "settled");
    drop(stream);
    expect_only_context_within(&mut agent.stream().await, Duration::from_secs(30)).await;
    let drafts = story.drafts().await;
    assert_eq!(drafts.len(), 2, "one was answered by closeDiff, one confirmed, none written");
}

#[tokio::test(start_paused = true)]
async fn a_session_gets_no_outcome_of_another_sessions_diff_of_the_same_file() {
    let mut story = Story::begin().await;
    let (one, two) = (story.agent().await, story.agent().await);
    let (mut to_one, mut to_two) = (one.stream().await, two.stream().await);
    let review = story.propose_as(&one, "from one\n").await;
    let other = story.propose_as(&two, "from two\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(next_outcome(&mut to_one).await.0["params"]["content"], "from one\n");
    expect_only_context_within(&mut to_two, Duration::from_secs(5)).await;
    story.decide(&other, Decision::Reject).await.unwrap();
    assert_eq!(next_outcome(&mut to_two).await.0["method"], "ide/diffRejected");
    expect_only_context_within(&mut to_one, Duration::from_secs(5)).await;
}
