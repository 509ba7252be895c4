//! A companion crashes, and a successor takes its place.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use super::*;
use crate::persistence::recovery_store::RecoveryStore;

/// Interrupts a companion while an edited diff is open. Returns the story, and the agent's session, port and
/// token.
async fn interrupt_after_edit() -> (Story, String, u16, String) {
    interrupt_after_proposal(Credential::Token(None), Some("one\nmine\nthree\n")).await
}

async fn interrupt_after_proposal(
    credential: Credential,
    typed: Option<&str>,
) -> (Story, String, u16, String) {
    let mut story = Story::with_journal().await;
    let agent = story.agent_with(credential).await;
    let mut review = story.propose_as(&agent, "one\n2\nthree\n").await;
    assert_eq!(review.id, ReviewId(1));
    if let Some(typed) = typed {
        story.type_over(&mut review, typed).await;
    }
    let (port, token) = (story.companion.port(), story.companion.token().to_owned());
    story.interrupt().await;
    (story, agent.session, port, token)
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only there does a successor keep the token, and so the sessions"
)]
#[tokio::test(start_paused = true)]
async fn a_successor_takes_sessions_over_and_rejects_open_reviews() {
    let (mut story, session, port, token) = interrupt_after_edit().await;
    let record = story.path(&format!("tmp/gemini/ide/gemini-ide-server-{}-{port}.json", std::process::id()));
    assert!(record.exists(), "agents find the file in the meantime");
    assert_eq!(draft_texts(&Drafts::open(&story.app_dirs())), ["one\nmine\nthree\n"]);

    story.succeed().await;
    assert_eq!((story.companion.port(), story.companion.token()), (port, token.as_str()));
    assert!(record.exists());
    assert!(story.next_problem().await.what.contains("a.txt"));
    let agent = story.agent_of(session);
    let mut stream = agent.stream().await;
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffRejected");
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("one\nmine\nthree\n"));
}

#[tokio::test(start_paused = true)]
async fn an_earlier_draft_of_the_file_is_not_promised_as_the_newest_edits() {
    let mut story = Story::with_journal().await;
    let agent = story.agent().await;
    let mut review = story.propose_as(&agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "one\nmine\nthree\n").await;
    story.decide(&review, Decision::Reject).await.unwrap();
    story.propose_as(&agent, "one\n2\n3\n").await;
    story.interrupt().await;
    story.succeed().await;
    let hint = story.next_problem().await.hint.unwrap();
    assert!(hint.contains("/ide enable") && !hint.contains("drafts"), "{hint}");
    assert_eq!(story.drafts().await, ["one\nmine\nthree\n"]);
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only there does a successor keep the token, and so the sessions"
)]
#[tokio::test(start_paused = true)]
async fn an_interrupted_agent_is_absent_until_its_first_request() {
    let mut story = Story::with_journal().await;
    let session = story.agent().await.session;
    story.crash().await;
    story.succeed().await;
    let agent = story.agent_of(session);
    let _stream = agent.stream().await;
    let is_absent = |status: &Status| status.agents.iter().map(|agent| agent.listening).eq([false]);
    story.next_status(is_absent).await;
    agent.open_diff(&story.file, "one\n2\n3\n").await.unwrap();
    story.next_status(|status| status.agents.iter().all(|agent| agent.listening)).await;
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only there does a successor keep the token, and so the sessions"
)]
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
        story.next_status(is_listed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_journal_promises_no_missing_draft() {
    for has_draft in [false, true] {
        let (mut story, ..) = interrupt_after_edit().await;
        fs::write(story.path("state/journal/own-k.json"), "{}\n").unwrap();
        if !has_draft {
            fs::remove_dir_all(story.path("state/drafts")).unwrap();
        }
        story.succeed().await;
        let hint = story.next_problem().await.hint.unwrap();
        assert_eq!(hint.contains("drafts"), has_draft, "{hint}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_without_a_draft_is_saved_from_the_journal() {
    let (mut story, ..) = interrupt_after_edit().await;
    fs::remove_dir_all(story.path("state/drafts")).unwrap();
    story.succeed().await;
    let hint = story.next_problem().await.hint.unwrap();
    assert!(hint.contains("Your edits are in `alongside drafts`"), "{hint}");
    assert_eq!(story.drafts().await, ["one\nmine\nthree\n"]);
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only there does a successor keep the token, and so the sessions"
)]
#[tokio::test(start_paused = true)]
async fn after_a_crash_old_agents_get_outcomes_they_understand() {
    let (mut story, session, ..) = interrupt_after_proposal(Credential::Nothing, None).await;
    story.succeed().await;
    let mut stream = story.agent_of(session).stream().await;
    let received = loop {
        let received = next_messages(&mut stream).await;
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
    let (mut story, ..) = interrupt_after_edit().await;
    story.succeed().await;
    assert_eq!(story.propose("x\n").await.id, ReviewId(2));
}

/// Checks that the next problem names the lost agents and the reason.
async fn check_lost_agents(story: &mut Story, reason: &str) {
    let problem = story.next_problem().await.to_string();
    for part in ["Gemini CLI", reason, "/ide enable", "a.txt"] {
        assert!(problem.contains(part), "{part} in {problem}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_successor_without_the_port_names_the_lost_agents() {
    let (mut story, session, port, token) = interrupt_after_edit().await;
    story.hold = None;
    let _other_listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let before = Instant::now();
    story.succeed().await;
    let waited = before.elapsed();
    assert!(waited >= Duration::from_millis(500) && waited <= Duration::from_secs(1), "{waited:?}");
    assert_ne!(story.companion.port(), port);
    assert_ne!(
        story.companion.token(),
        token,
        "agents send the old token to the process that has the port now"
    );
    check_lost_agents(&mut story, &port.to_string()).await;
    assert!(!story.agent_of(session).is_known().await);
    assert_eq!(story.propose("x\n").await.id, ReviewId(2), "desks may still show the first review");
}

#[tokio::test(start_paused = true)]
async fn the_token_and_sessions_of_an_unheld_port_are_not_used_again() {
    let (mut story, session, port, token) = interrupt_after_edit().await;
    story.hold = None;
    // A file that an ended desk has left is named after its process.
    let stale_path = story.path(&format!("tmp/gemini/ide/gemini-ide-server-99999999-{port}.json"));
    let record =
        serde_json::json!({ "port": port, "workspacePath": "", "authToken": token, "writer": "alongside" });
    fs::write(&stale_path, record.to_string()).unwrap();
    story.succeed().await;
    assert_eq!(story.companion.port(), port, "the port is free");
    assert_ne!(
        story.companion.token(),
        token,
        "another process may have had the port, and got the old token"
    );
    assert!(!story.agent_of(session).is_known().await);
    check_lost_agents(&mut story, "new token").await;
    wait_until("files with the old token are swept", || !stale_path.exists()).await;
}

#[tokio::test(start_paused = true)]
async fn a_successor_waits_for_a_predecessor_that_is_still_ending() {
    let (mut story, _, port, _) = interrupt_after_edit().await;
    story.hold = None;
    let journal = RecoveryStore::take(&story.path("state"), "own-k").unwrap().expect("the journal is free");
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let ending = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(journal);
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(listener);
    });
    story.succeed().await;
    ending.await.unwrap();
    assert_eq!(story.companion.port(), port);
}

#[tokio::test(start_paused = true)]
async fn a_successor_takes_no_journal_of_a_running_companion() {
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
        let (send_open, open) = oneshot::channel();
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
            send_open.send(()).unwrap();
            // A reset is a cut as well.
            match stream.read_to_end(&mut read) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("the stream stays open")
                }
                _ => read.ends_with(b"0\r\n\r\n"),
            }
        });
        open.await.unwrap();
        if hands_over {
            story.companion.hand_over().await;
            TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        } else {
            story.companion.stop().await;
        }
        assert_eq!(reading.await.unwrap(), !hands_over, "whether the body has its last chunk");
    }
}
