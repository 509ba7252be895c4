//! The context that agents get, and its timing.

use super::*;
use alongside_desk::SharedFile;

const SOON: Duration = Duration::from_millis(500);

#[tokio::test(start_paused = true)]
async fn context_follows_50_ms_after_a_move_and_starts_each_stream() {
    let (story, agent, mut stream) = Story::with_listener().await;
    assert_eq!(next_messages(&mut stream).await[0]["method"], "ide/contextUpdate", "at once");
    story.focus(&story.file).await;
    let before = Instant::now();
    assert!(frame_within(&mut stream, SOON).await.unwrap().contains("a.txt"));
    let waited = before.elapsed();
    assert!(waited >= Duration::from_millis(50) && waited <= Duration::from_millis(100), "{waited:?}");
    let mut newest = agent.stream().await;
    assert_eq!(stream.frames.recv().await, None, "the newest stream replaces it");
    assert!(frame_within(&mut newest, SOON).await.unwrap().contains("a.txt"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_blocks_no_other_and_gets_the_newest_context() {
    let story = Story::begin().await;
    let (lazy, quick) = (story.agent().await, story.agent().await);
    let (mut unread, mut read) = (lazy.stream().await, quick.stream().await);
    for name in 0..50 {
        let path = story.path(&format!("project/{name}.rs"));
        fs::write(&path, "").unwrap();
        story.focus(path.to_str().unwrap()).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    let mut last = String::new();
    while let Some(frame) = frame_within(&mut read, SOON).await {
        last = frame;
    }
    assert!(last.contains("49.rs"));
    let mut frames = 0;
    while let Some(frame) = frame_within(&mut unread, SOON).await {
        last = frame;
        frames += 1;
    }
    assert!(last.contains("49.rs") && frames <= 2, "{frames} frames");
}

#[tokio::test(start_paused = true)]
async fn a_removed_file_leaves_the_context() {
    let story = Story::begin().await;
    let mut stream = story.agent().await.stream().await;
    story.focus(&story.file).await;
    let mut context =
        async || frame_within(&mut stream, Duration::from_secs(5)).await.expect("a context comes");
    while !context().await.contains("a.txt") {}
    // The file is removed right after a scan.
    tokio::time::sleep(Duration::from_millis(700)).await;
    fs::remove_file(&story.file).unwrap();
    let before = Instant::now();
    while context().await.contains("a.txt") {}
    assert!(before.elapsed() <= Duration::from_secs(1), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn desks_see_the_shared_context_even_without_agents() {
    let mut story = Story::begin().await;
    let [other, secret] = ["b.txt", ".env"].map(|name| {
        let path = story.path("project").join(name);
        fs::write(&path, "").unwrap();
        path.to_str().unwrap().to_owned()
    });
    let cursor = desk::Position { line: 1, character: 2 };
    let active = ActiveFile {
        path: story.file.clone(),
        cursor: Some(cursor),
        anchor: None,
        selected_text: Some("a😀".into()),
    };
    let open = [&other, &secret].map(|path| OpenFile { path: path.clone(), dirty: false });
    let report =
        ContextReport { active: Some(active), open_files: Some(open.to_vec()), ..ContextReport::default() };
    story.report(report).await;
    let shared = story.next_status(|status| !status.context.is_empty()).await.context;
    let first = SharedFile { path: story.file.clone(), active: true, cursor: Some(cursor), selected: 2 };
    let second = SharedFile { path: other, ..SharedFile::default() };
    assert_eq!(shared, [first, second], "the active file first, and no file that agents must not know");

    story.desk.request(Request::PauseContext { paused: true }).await.unwrap();
    assert_eq!(story.next_status(|status| status.paused).await.context, []);
    story.desk.request(Request::PauseContext { paused: false }).await.unwrap();
    story.next_status(|status| status.context.len() == 2).await;
    fs::remove_file(&story.file).unwrap();
    story.next_status(|status| status.context.len() == 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_companion_that_never_tells_files_sends_no_context() {
    let mut story = Story::with_builder(|builder| builder.never_tell_files("the owner says so")).await;
    assert!(story.next_status(|_| true).await.paused, "desks show it as paused");
    let (agent, mut stream) = story.listener().await;
    for paused in [false, true, false] {
        let asked = story.desk.request(Request::PauseContext { paused }).await;
        let refused = Err(Refusal::Other { words: "the owner says so".into() });
        assert_eq!(asked.map(drop), if paused { Ok(()) } else { refused });
        story.focus(&story.file).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let status = story.companion.status().await;
    assert!(status.paused && status.context.is_empty());
    let mut newest = agent.stream().await;
    while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_secs(5), stream.frames.recv()).await {
        assert!(!text_of(&frame).contains("a.txt"), "{frame:?}");
    }
    while let Some(frame) = frame_within(&mut newest, Duration::from_secs(5)).await {
        assert!(!frame.contains("a.txt"), "{frame}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_context_is_sent_to_desks_once() {
    let mut story = Story::begin().await;
    for _ in 0..5 {
        story.focus(&story.file).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let mut statuses = 0;
    while let Ok(Ok(event)) = tokio::time::timeout(Duration::from_secs(5), story.desk.next()).await {
        statuses += usize::from(matches!(event, desk::Event::Status(status) if !status.context.is_empty()));
    }
    assert_eq!(statuses, 1);
}

/// Returns the whole response to a GET of `/status`.
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
async fn the_http_status_has_no_token_and_without_a_token_no_files() {
    let mut story = Story::with_builder(|builder| builder.allow_tokenless_agents(true)).await;
    story.focus(&story.file).await;
    let at_desks = story.next_status(|status| !status.context.is_empty()).await;
    let (port, token) = (story.companion.port(), story.companion.token().to_owned());
    assert!(at_desks.environment.0.values().any(|value| value.contains(&token)), "desks get the token");

    let with = get_status(port, format!("Authorization: Bearer {token}\r\n")).await;
    assert!(with.starts_with("HTTP/1.1 200") && with.contains("a.txt"), "{with}");
    let without = get_status(port, String::new()).await;
    assert!(without.starts_with("HTTP/1.1 200") && !without.contains("a.txt"), "{without}");
    assert!(!with.contains(&token) && !without.contains(&token));
}
