//! What agents are told of the open files, and when.

use super::*;

/// What comes next on a stream; `None` is its end.
async fn next_frame(stream: &mut Open) -> Option<String> {
    let wait = tokio::time::timeout(Duration::from_secs(120), stream.frames.recv());
    wait.await.expect("a frame comes, or the end")
}

#[tokio::test(start_paused = true)]
async fn context_follows_fifty_milliseconds_after_a_move_and_begins_every_stream() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    let mut stream = agent.stream().await;
    assert!(next_frame(&mut stream).await.unwrap().contains("ide/contextUpdate"), "at once");
    agent.events.send(Event::StreamDrained { session: agent.session.clone() });
    let active = ActiveFile { path: story.file.clone(), ..ActiveFile::default() };
    let report = ContextReport { active: Some(active), ..ContextReport::default() };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    let before = Instant::now();
    assert!(next_frame(&mut stream).await.unwrap().contains("a.txt"));
    let waited = before.elapsed();
    assert!(waited >= Duration::from_millis(50) && waited <= Duration::from_millis(100), "{waited:?}");
    let mut newest = agent.stream().await;
    assert_eq!(next_frame(&mut stream).await, None, "the newest stream wins");
    assert!(next_frame(&mut newest).await.unwrap().contains("a.txt"));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_read_holds_nobody_up_and_finds_only_the_newest_context() {
    let story = Story::begin().await;
    let (lazy, quick) = (story.agent().await, story.agent().await);
    let (mut unread, mut read) = (lazy.stream().await, quick.stream().await);
    for name in 0..50 {
        let path = Path::new(&story.file).with_file_name(format!("{name}.rs")).to_str().unwrap().to_owned();
        fs::write(&path, "").unwrap();
        let active = ActiveFile { path, ..ActiveFile::default() };
        story
            .desk
            .send(Request::ChangeContext(ContextReport { active: Some(active), ..ContextReport::default() }));
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    let mut last = String::new();
    while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_millis(500), read.frames.recv()).await {
        quick.events.send(Event::StreamDrained { session: quick.session.clone() });
        last = frame;
    }
    assert!(last.contains("/49.rs"));
    let mut frames = 0;
    while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_millis(500), unread.frames.recv()).await {
        lazy.events.send(Event::StreamDrained { session: lazy.session.clone() });
        last = frame;
        frames += 1;
    }
    assert!(last.contains("/49.rs") && frames <= 2, "{frames} frames");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_vanishes_drops_out() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    let mut stream = agent.stream().await;
    let active = ActiveFile { path: story.file.clone(), ..ActiveFile::default() };
    let report = ContextReport { active: Some(active), ..ContextReport::default() };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    let mut told = async || {
        let frame = tokio::time::timeout(Duration::from_secs(5), stream.frames.recv())
            .await
            .expect("a context comes");
        agent.events.send(Event::StreamDrained { session: agent.session.clone() });
        frame.unwrap()
    };
    while !told().await.contains("a.txt") {}
    fs::remove_file(&story.file).unwrap();
    while told().await.contains("a.txt") {}
}
