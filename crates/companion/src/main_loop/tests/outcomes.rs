//! Outcomes reach the session that asked, exactly once.

use super::*;

/// As when the machine slept, or was busy: the deadline has passed before the loop hears that the stream
/// broke.
#[tokio::test(start_paused = true)]
async fn a_stream_cut_while_an_outcome_waits_blocks_nobody() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let session = {
        let agent = story.agent().await;
        agent.open_diff(&file, "one\n2\nthree\n").await;
        agent.session
    };
    let review = story.opened().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let agent = Agent { events: &story.companion.events, session };
    let stream = agent.stream().await;
    drop(stream);
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
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let session = {
        let agent = story.agent().await;
        let mut stream = agent.stream().await;
        agent.open_diff(&file, "x\n").await;
        let session = agent.session.clone();
        let review = story.opened().await;
        story.decide(&review, Decision::Accept).await.unwrap();
        outcome(&mut stream).await;
        session
    };
    let agent = Agent { events: &story.companion.events, session };
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
    let session = agent.session.clone();
    agent.events.ask(|known| Event::RequestStarted { session, known }).await.unwrap();
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_secs(30)).await;
    agent.open_diff(&file, "y\n").await;
    agent.events.send(Event::RequestRead { session: agent.session.clone() });
    nothing_within(&mut stream, Duration::from_secs(30)).await;
}

#[tokio::test(start_paused = true)]
async fn a_receipt_settles_an_outcome_and_its_draft_stays() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let (session, mut stream) = {
        let agent = story.agent().await;
        let stream = agent.stream().await;
        agent.open_diff(&file, "one\n2\nthree\n").await;
        (agent.session, stream)
    };
    let review = story.opened().await;
    story.type_over(&review, "one\nmine\nthree\n").await;
    let review = story.changed().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let (told, ping) = outcome(&mut stream).await;
    assert_eq!(told["params"]["content"], "one\nmine\nthree\n");
    let agent = Agent { events: &story.companion.events, session: session.clone() };
    assert_eq!(
        agent.close_diff(&file).await.as_deref(),
        Some("one\nmine\nthree\n"),
        "decided, not confirmed"
    );

    agent.open_diff(&file, "one\n2\nthree\n").await;
    let review = story.opened().await;
    story.type_over(&review, "one\nmine\nthree\n").await;
    let review = story.changed().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let (_, second) = outcome(&mut stream).await;
    let agent = Agent { events: &story.companion.events, session };
    agent.events.send(Event::Receipt { session: agent.session.clone(), id: ping });
    agent.events.send(Event::Receipt { session: agent.session.clone(), id: second });
    assert_eq!(agent.close_diff(&file).await, None, "settled");
    drop(stream);
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_secs(30)).await;
    drop(stream);
    let Story { directory, companion, .. } = story;
    companion.stop().await;
    let drafts = Drafts::open(&AppDirs::below(directory.path()));
    assert_eq!(drafts.list().unwrap().len(), 2, "one was answered by closeDiff, one confirmed, none written");
}

#[tokio::test(start_paused = true)]
async fn nobody_hears_of_anothers_diff_even_of_the_same_file() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let (mut one, mut two) = {
        let (one, two) = (story.agent().await, story.agent().await);
        let streams = (one.stream().await, two.stream().await);
        one.open_diff(&file, "from one\n").await;
        two.open_diff(&file, "from two\n").await;
        streams
    };
    let review = story.opened().await;
    let other = story.opened().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(outcome(&mut one).await.0["params"]["content"], "from one\n");
    nothing_within(&mut two, Duration::from_secs(5)).await;
    story.decide(&other, Decision::Reject).await.unwrap();
    assert_eq!(outcome(&mut two).await.0["method"], "ide/diffRejected");
    nothing_within(&mut one, Duration::from_secs(5)).await;
}
