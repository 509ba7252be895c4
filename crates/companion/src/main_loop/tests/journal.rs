//! A companion crashes, and a successor takes its place.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use super::*;
use crate::persistence::recovery_store::RecoveryStore;

/// A companion ends while a diff is open. Returns the story, and the agent's session, port and token.
async fn interrupted() -> (Story, String, u16, String) {
    interrupted_after(Credential::Token(None), Some("one\nmine\nthree\n")).await
}

async fn interrupted_after(proof: Credential, typed: Option<&str>) -> (Story, String, u16, String) {
    let mut story = Story::with_journal().await;
    let agent = story.agent_with(proof).await;
    let mut review = story.proposed_by(&agent, "one\n2\nthree\n").await;
    assert_eq!(review.id, ReviewId(1));
    if let Some(typed) = typed {
        story.type_over(&mut review, typed).await;
    }
    let (port, token) = (story.companion.port(), story.companion.token().to_owned());
    story.interrupt().await;
    (story, agent.session, port, token)
}

#[tokio::test(start_paused = true)]
async fn a_successor_takes_sessions_over_and_rejects_open_reviews() {
    let (mut story, session, port, token) = interrupted().await;
    let record = story.path(&format!("tmp/gemini/ide/gemini-ide-server-{}-{port}.json", std::process::id()));
    assert!(record.exists(), "agents find it in the meantime");
    assert_eq!(texts(&Drafts::open(&story.app_dirs())), ["one\nmine\nthree\n"]);

    story.succeed().await;
    assert_eq!((story.companion.port(), story.companion.token()), (port, token.as_str()));
    assert!(record.exists());
    assert!(story.problem().await.what.contains("a.txt"));
    let agent = story.agent_of(session);
    let mut stream = agent.stream().await;
    assert_eq!(outcome(&mut stream).await.0["method"], "ide/diffRejected");
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("one\nmine\nthree\n"));
}

#[tokio::test(start_paused = true)]
async fn an_earlier_draft_of_the_file_is_not_promised_as_the_newest_edits() {
    let mut story = Story::with_journal().await;
    let agent = story.agent().await;
    let mut review = story.proposed_by(&agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "one\nmine\nthree\n").await;
    story.decide(&review, Decision::Reject).await.unwrap();
    story.proposed_by(&agent, "one\n2\n3\n").await;
    story.interrupt().await;
    story.succeed().await;
    let hint = story.problem().await.hint.unwrap();
    assert!(hint.contains("/ide enable") && !hint.contains("drafts"), "{hint}");
    assert_eq!(story.drafts().await, ["one\nmine\nthree\n"]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_agent_is_away_until_it_asks_for_something() {
    let mut story = Story::with_journal().await;
    let session = story.agent().await.session;
    story.crash().await;
    story.succeed().await;
    let agent = story.agent_of(session);
    let _stream = agent.stream().await;
    let away = |status: &Status| status.agents.iter().map(|agent| agent.listening).eq([false]);
    story.status(away).await;
    agent.open_diff(&story.file, "one\n2\n3\n").await.unwrap();
    story.status(|status| status.agents.iter().all(|agent| agent.listening)).await;
}

#[tokio::test(start_paused = true)]
async fn desks_list_each_new_session_in_place_of_one_interrupted_session() {
    let mut story = Story::with_journal().await;
    let before = [story.agent().await, story.agent().await].map(|agent| agent.session);
    story.crash().await;
    story.succeed().await;
    let mut streams = Vec::new();
    for session in before {
        streams.push(story.agent_of(session).stream().await);
    }
    for listening in [vec![false, true], vec![true, true], vec![true, true, true]] {
        streams.push(story.agent().await.stream().await);
        let is_listed =
            |status: &Status| status.agents.iter().map(|agent| agent.listening).eq(listening.iter().copied());
        story.status(is_listed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_journal_promises_no_missing_draft() {
    for has_draft in [false, true] {
        let (mut story, ..) = interrupted().await;
        fs::write(story.path("state/journal/own-k.json"), "{}\n").unwrap();
        if !has_draft {
            fs::remove_dir_all(story.path("state/drafts")).unwrap();
        }
        story.succeed().await;
        let hint = story.problem().await.hint.unwrap();
        assert_eq!(hint.contains("drafts"), has_draft, "{hint}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_without_a_draft_is_saved_from_the_journal() {
    let (mut story, ..) = interrupted().await;
    fs::remove_dir_all(story.path("state/drafts")).unwrap();
    story.succeed().await;
    let hint = story.problem().await.hint.unwrap();
    assert!(hint.contains("Your edits are in `alongside drafts`"), "{hint}");
    assert_eq!(story.drafts().await, ["one\nmine\nthree\n"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_old_agents_get_outcomes_they_understand() {
    let (mut story, session, ..) = interrupted_after(Credential::Nothing, None).await;
    story.succeed().await;
    let mut stream = story.agent_of(session).stream().await;
    let received = loop {
        let received = messages(&mut stream).await;
        if received.len() > 1 {
            break received;
        }
    };
    let methods: Vec<_> = received.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["ide/diffRejected", "ide/diffClosed", "ping"]);
    assert_eq!(received[1]["params"]["filePath"], story.file.as_str());
}

#[tokio::test(start_paused = true)]
async fn review_ids_are_not_used_again_after_an_interruption() {
    let (mut story, ..) = interrupted().await;
    story.succeed().await;
    assert_eq!(story.proposed("x\n").await.id, ReviewId(2));
}

/// Desks are told which agents are lost, and why.
async fn says_lost(story: &mut Story, why: &str) {
    let problem = story.problem().await.to_string();
    for part in ["Gemini CLI", why, "/ide enable", "a.txt"] {
        assert!(problem.contains(part), "{part} in {problem}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_successor_without_the_port_names_the_lost_agents() {
    let (mut story, session, port, token) = interrupted().await;
    story.hold = None;
    let _somebody_else = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let before = Instant::now();
    story.succeed().await;
    let waited = before.elapsed();
    assert!(waited >= Duration::from_millis(500) && waited <= Duration::from_secs(1), "{waited:?}");
    assert_ne!(story.companion.port(), port);
    assert_ne!(story.companion.token(), token, "agents show the old one to whoever has the port now");
    says_lost(&mut story, &port.to_string()).await;
    assert!(!story.agent_of(session).is_known().await);
    assert_eq!(story.proposed("x\n").await.id, ReviewId(2), "desks may still show the first");
}

#[tokio::test(start_paused = true)]
async fn a_port_that_nobody_held_burns_its_token_and_sessions() {
    let (mut story, session, port, token) = interrupted().await;
    story.hold = None;
    // A desk that is gone has left files under its own process.
    let left = story.path(&format!("tmp/gemini/ide/gemini-ide-server-99999999-{port}.json"));
    let record =
        serde_json::json!({ "port": port, "workspacePath": "", "authToken": token, "writer": "alongside" });
    fs::write(&left, record.to_string()).unwrap();
    story.succeed().await;
    assert_eq!(story.companion.port(), port, "nobody has it");
    assert_ne!(story.companion.token(), token, "somebody may have had it, and heard the old one");
    assert!(!story.agent_of(session).is_known().await);
    says_lost(&mut story, "new token").await;
    wait_until("files with the old token are swept", || !left.exists()).await;
}

#[tokio::test(start_paused = true)]
async fn a_predecessor_that_is_not_quite_gone_is_waited_for() {
    let (mut story, _, port, _) = interrupted().await;
    story.hold = None;
    let journal = RecoveryStore::take(&story.path("state"), "own-k").unwrap().expect("it was let go");
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let dying = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(journal);
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(listener);
    });
    story.succeed().await;
    dying.await.unwrap();
    assert_eq!(story.companion.port(), port);
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_a_living_companion_keeps_is_left_alone() {
    let mut story = Story::with_journal().await;
    let port = story.companion.port();
    let first =
        std::mem::replace(&mut story.companion, builder(story.directory.path()).start().await.unwrap());
    story.succeed().await;
    assert_ne!(story.companion.port(), port);
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn handing_over_cuts_streams_and_stopping_ends_them() {
    for hands_over in [true, false] {
        let story = Story::with_journal().await;
        let session = story.agent().await.session;
        let (port, token) = (story.companion.port(), story.companion.token());
        let request = format!(
            "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
             Mcp-Session-Id: {session}\r\nAccept: text/event-stream\r\n\r\n"
        );
        let (opened, is_open) = oneshot::channel();
        let reading = tokio::task::spawn_blocking(move || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut read = Vec::new();
            while !read.windows(17).any(|bytes| bytes == b"ide/contextUpdate") {
                let mut more = [0; 1024];
                let count = stream.read(&mut more).unwrap();
                assert!(count > 0, "{}", String::from_utf8_lossy(&read));
                read.extend_from_slice(&more[..count]);
            }
            opened.send(()).unwrap();
            // A reset is a cut as well.
            match stream.read_to_end(&mut read) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("it stays open"),
                _ => read.ends_with(b"0\r\n\r\n"),
            }
        });
        is_open.await.unwrap();
        if hands_over {
            story.companion.hand_over().await;
            TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        } else {
            story.companion.stop().await;
        }
        assert_eq!(reading.await.unwrap(), !hands_over, "whether it ends properly");
    }
}
