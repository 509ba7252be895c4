//! The context that agents get, and its timing.

use super::*;
use alongside_desk::SharedFile;

/// The next frame of a stream; `None` at its end.
async fn next_frame(stream: &mut OpenStream) -> Option<String> {
    let wait = tokio::time::timeout(Duration::from_secs(120), stream.frames.recv());
    wait.await.expect("a frame comes, or the end")
}

#[tokio::test(start_paused = true)]
async fn context_follows_50_ms_after_a_move_and_starts_each_stream() {
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
async fn a_slow_reader_blocks_nobody_and_gets_the_newest_context() {
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
    // Also right after a scan.
    tokio::time::sleep(Duration::from_millis(700)).await;
    fs::remove_file(&story.file).unwrap();
    let before = Instant::now();
    while told().await.contains("a.txt") {}
    assert!(before.elapsed() <= Duration::from_secs(1), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn desks_see_the_shared_context_even_without_agents() {
    let mut story = Story::begin().await;
    let other = Path::new(&story.file).with_file_name("b.txt").to_str().unwrap().to_owned();
    fs::write(&other, "").unwrap();
    let secret = Path::new(&story.file).with_file_name(".env").to_str().unwrap().to_owned();
    fs::write(&secret, "").unwrap();
    let cursor = desk::Position { line: 1, character: 2 };
    let active =
        ActiveFile { path: story.file.clone(), cursor: Some(cursor), selected_text: Some("a😀".into()) };
    let open = [&other, &secret].map(|path| OpenFile { path: path.clone(), dirty: false });
    let report =
        ContextReport { active: Some(active), open_files: Some(open.to_vec()), ..ContextReport::default() };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    let told = story.status(|status| !status.context.is_empty()).await.context;
    let first = SharedFile { path: story.file.clone(), active: true, cursor: Some(cursor), selected: 3 };
    let second = SharedFile { path: other, ..SharedFile::default() };
    assert_eq!(told, [first, second], "active first, and nothing that agents must not know");

    story.desk.request(Request::PauseContext { paused: true }).await.unwrap();
    assert_eq!(story.status(|status| status.paused).await.context, []);
    story.desk.request(Request::PauseContext { paused: false }).await.unwrap();
    story.status(|status| status.context.len() == 2).await;
    fs::remove_file(&story.file).unwrap();
    story.status(|status| status.context.len() == 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_companion_never_tells_files() {
    let mut story = Story::of(|builder| builder.never_tell_files("the owner says so")).await;
    assert!(story.status(|_| true).await.paused, "a desk can tell");
    let (session, mut stream) = {
        let agent = story.agent().await;
        (agent.session.clone(), agent.stream().await)
    };
    let active = ActiveFile { path: story.file.clone(), ..ActiveFile::default() };
    let report = ContextReport { active: Some(active), ..ContextReport::default() };
    for paused in [false, true, false] {
        let asked = story.desk.request(Request::PauseContext { paused }).await;
        let refused = Err(Refusal::Other { words: "the owner says so".into() });
        assert_eq!(asked.map(drop), if paused { Ok(()) } else { refused });
        story.desk.request(Request::ChangeContext(report.clone())).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let status = story.companion.status().await;
    assert!(status.paused && status.context.is_empty());
    let events = story.companion.events.clone();
    let agent = Agent { events: &events, session };
    for stream in [&mut stream, &mut agent.stream().await] {
        while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_secs(5), stream.frames.recv()).await {
            assert!(!frame.contains("a.txt"), "{frame}");
            agent.events.send(Event::StreamDrained { session: agent.session.clone() });
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_context_is_told_to_desks_once() {
    let mut story = Story::begin().await;
    for _ in 0..5 {
        let active = ActiveFile { path: story.file.clone(), ..ActiveFile::default() };
        let report = ContextReport { active: Some(active), ..ContextReport::default() };
        story.desk.request(Request::ChangeContext(report)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let mut told = 0;
    while let Ok(Ok(event)) = tokio::time::timeout(Duration::from_secs(5), story.desk.next()).await {
        told += usize::from(matches!(event, desk::Event::Status(status) if !status.context.is_empty()));
    }
    assert_eq!(told, 1);
}

/// The whole answer to a GET of `/status`.
async fn get_status(port: u16, authorization: String) -> String {
    use std::io::{Read as _, Write as _};
    let ask = move || -> std::io::Result<String> {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(
            stream,
            "GET /status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{authorization}Connection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    tokio::task::spawn_blocking(ask).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_http_status_holds_no_token_and_tokenless_no_files() {
    let mut story = Story::of(|builder| builder.allow_tokenless_agents(true)).await;
    let active = ActiveFile { path: story.file.clone(), ..ActiveFile::default() };
    let report = ContextReport { active: Some(active), ..ContextReport::default() };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    let at_desks = story.status(|status| !status.context.is_empty()).await;
    let (port, token) = (story.companion.port(), story.companion.token().to_owned());
    assert!(at_desks.environment.0.values().any(|value| value.contains(&token)), "desks have it");

    let with = get_status(port, format!("Authorization: Bearer {token}\r\n")).await;
    assert!(with.starts_with("HTTP/1.1 200") && with.contains("a.txt"), "{with}");
    let without = get_status(port, String::new()).await;
    assert!(without.starts_with("HTTP/1.1 200") && !without.contains("a.txt"), "{without}");
    assert!(!with.contains(&token) && !without.contains(&token));
}
