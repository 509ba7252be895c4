//! Tests of large texts: `openDiff` is answered before the text is compared with its file, and anything may
//! happen between the two.

use super::*;

const FIRST: &str = "one\n2\nthree\n";
const SECOND: &str = "one\ntwo\n3\n";

impl Story {
    /// Checks that no review was opened since the last one, by a proposal for another file.
    async fn expect_no_review(&mut self, agent: &Agent) {
        let other = self.path("project/other.txt").to_str().unwrap().to_owned();
        agent.open_diff(&other, "x\n").await.unwrap();
        assert_eq!(self.next_opened().await.file, other);
    }
}

#[tokio::test(start_paused = true)]
async fn a_review_opens_once_its_text_is_compared() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let prepared = agent.open_unprepared(&story.file, FIRST).await;
    story.expect_no_review(&agent).await;
    agent.end_preparation(prepared);
    let review = story.next_opened().await;
    assert_eq!((review.file.as_str(), &*review.current), (story.file.as_str(), FIRST));
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(next_outcome(&mut stream).await.0["params"]["content"], FIRST);
}

#[tokio::test(start_paused = true)]
async fn a_diff_that_is_closed_before_the_comparison_opens_no_review() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let prepared = agent.open_unprepared(&story.file, FIRST).await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some(FIRST));
    agent.end_preparation(prepared);
    story.expect_no_review(&agent).await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some(FIRST), "closed twice");
    expect_only_context_within(&mut stream, Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_replaced_text_opens_no_review_in_either_order() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let first = agent.open_unprepared(&story.file, FIRST).await;
    let second = agent.open_unprepared(&story.file, SECOND).await;
    agent.end_preparation(second);
    let review = story.next_opened().await;
    agent.end_preparation(first);
    story.expect_no_review(&agent).await;

    let third = agent.open_unprepared(&story.file, FIRST).await;
    assert_eq!(story.next_closed().await.id, review.id);
    let small = story.propose_as(&agent, SECOND).await;
    agent.end_preparation(third);
    story.expect_no_review(&agent).await;
    story.decide(&small, Decision::Accept).await.unwrap();
    assert_eq!(next_outcome(&mut stream).await.0["params"]["content"], SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_before_the_comparison_gets_no_review() {
    let mut story = Story::begin().await;
    let (agent, other) = (story.agent().await, story.agent().await);
    let prepared = agent.open_unprepared(&story.file, FIRST).await;
    let of_other = other.open_unprepared(&story.file, SECOND).await;
    assert!(agent.leave().await);
    agent.end_preparation(prepared);
    other.end_preparation(of_other);
    assert_eq!(&*story.next_opened().await.current, SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_text_that_cannot_be_compared_is_rejected() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let (proposed, _) = agent.open_unprepared(&story.file, FIRST).await;
    agent.events.send(Event::ProposalPrepared { proposed, prepared: None });
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffRejected");
    story.expect_no_review(&agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_rejects_a_text_before_and_during_its_comparison() {
    let (story, agent, mut stream) = Story::with_listener().await;
    let prepared = agent.open_unprepared(&story.file, FIRST).await;
    let other = story.path("project/other.txt").to_str().unwrap().to_owned();
    let stopping = tokio::spawn(async move { story.companion.stop().await });
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffRejected");
    agent.end_preparation(prepared);
    drop(agent.open_unprepared(&other, FIRST).await);
    let (rejected, _) = next_outcome(&mut stream).await;
    assert_eq!(
        (&rejected["method"], &rejected["params"]["filePath"]),
        (&"ide/diffRejected".into(), &other.into())
    );
    stopping.await.unwrap();
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only there does a successor keep the token, and so the sessions"
)]
#[tokio::test(start_paused = true)]
async fn a_crash_before_the_comparison_rejects_the_text() {
    let mut story = Story::with_journal().await;
    let agent = story.agent().await;
    drop(agent.open_unprepared(&story.file, FIRST).await);
    story.crash().await;
    story.succeed().await;
    let agent = story.agent_of(agent.session);
    let (rejected, _) = next_outcome(&mut agent.stream().await).await;
    assert_eq!(
        (&rejected["method"], &rejected["params"]["filePath"]),
        (&"ide/diffRejected".into(), &story.file.clone().into())
    );
    assert_eq!(
        agent.close_diff(&story.file).await,
        None,
        "the agent writes its own proposal, which is the text"
    );
}
