//! The process or the machine sleeps: all deadlines fall due at once, while input waits to be read.

use super::*;

/// The length of a sleep, longer than an agent may be absent.
const ASLEEP: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn an_absent_agent_keeps_its_remaining_time_over_a_sleep() {
    let (mut story, agent, stream) = Story::with_listener().await;
    let review = story.propose_as(&agent, "new\n").await;
    drop(stream);
    tokio::time::sleep(Duration::from_secs(6)).await;
    tokio::time::advance(ASLEEP).await;
    // Its reviews close after ten seconds of absence, of which four are left; it comes back after three.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut stream = agent.stream().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffAccepted");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_stays_away_after_a_sleep_is_dropped() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    tokio::time::advance(ASLEEP).await;
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert!(story.companion.status().await.agents.len() == 1, "a second is left");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!agent.is_known().await);
}
