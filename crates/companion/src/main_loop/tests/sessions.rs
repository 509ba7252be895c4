//! Sessions begin, are cut off, continue, and end.

use std::path::MAIN_SEPARATOR;

use alongside_contract::discovery::delimiter;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_session_ends_60_s_after_its_last_message() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert!(agent.is_known().await);
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert!(agent.is_known().await);
    let stream = agent.stream().await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(agent.is_known().await, "an open stream keeps it");
    drop(stream);
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert!(!agent.is_known().await);
}

#[tokio::test(start_paused = true)]
async fn desks_list_an_agent_until_2_s_after_its_stream() {
    let (mut story, agent, stream) = Story::with_listener().await;
    story.next_status(|status| status.agents.iter().any(|agent| agent.listening)).await;
    let lost = Instant::now();
    drop(stream);
    story.next_status(|status| status.agents.is_empty()).await;
    assert_eq!(lost.elapsed().as_secs(), 1);
    let _stream = agent.stream().await;
    story.next_status(|status| status.agents.iter().any(|agent| agent.listening)).await;
}

#[tokio::test(start_paused = true)]
async fn reviews_close_10_s_after_the_stream_and_edits_are_drafts() {
    let (mut story, agent, stream) = Story::with_listener().await;
    let mut review = story.propose_as(&agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "one\nmine\nthree\n").await;
    let lost = Instant::now();
    drop(stream);
    let closed = story.next_closed().await;
    assert_eq!(closed.closing, Closing::AgentGone);
    let waited = lost.elapsed();
    assert!(waited >= Duration::from_secs(10) && waited < Duration::from_secs(20), "{waited:?}");
    assert!(closed.draft.is_some_and(|draft| draft.ends_with("a.txt")));

    // The agent was only asleep: it gets a rejection, and `closeDiff` still returns the text.
    let mut stream = agent.stream().await;
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffRejected");
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("one\nmine\nthree\n"));
    drop(stream);
    assert_eq!(story.drafts().await, ["one\nmine\nthree\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_returns_in_time_keeps_its_reviews() {
    let (mut story, agent, stream) = Story::with_listener().await;
    let review = story.propose_as(&agent, "x\n").await;
    drop(stream);
    tokio::time::sleep(Duration::from_secs(9)).await;
    let _stream = agent.stream().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(story.decide(&review, Decision::Reject).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_cut_off_proposal_never_replaces_a_later_one() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let (cut_off, later) = (agent.begin_request().await.unwrap(), agent.begin_request().await.unwrap());
    assert_eq!(agent.open_diff_by(later, &story.file, "later\n").await, Ok(()));
    agent.end_request();
    let overtaken = agent.open_diff_by(cut_off, &story.file, "broken off\n").await;
    assert_eq!(overtaken, Err(NotOpened::Overtaken));
    agent.end_request();
    let review = story.next_opened().await;
    assert_eq!(&*review.proposed, "later\n");
    story.decide(&review, Decision::Accept).await.unwrap();
    let (notification, _) = next_outcome(&mut agent.stream().await).await;
    assert_eq!(notification["params"]["content"], "later\n");
}

#[tokio::test(start_paused = true)]
async fn stop_rejects_reviews_ends_streams_then_removes_files() {
    let mut story = Story::begin().await;
    let record = story.path(&format!("tmp/gemini-ide-server-{}.json", std::process::id()));
    assert!(record.exists());
    let (agent, mut stream) = story.listener().await;
    let mut review = story.propose_as(&agent, "one\n2\nthree\n").await;
    story.type_over(&mut review, "typed\n").await;
    let drafts = Drafts::open(&story.app_dirs());
    let stopped = tokio::spawn(story.companion.stop());
    assert_eq!(next_outcome(&mut stream).await.0["method"], "ide/diffRejected");
    assert!(record.exists());
    assert_eq!(stream.frames.recv().await, None);
    drop(stream);
    stopped.await.unwrap();
    assert!(!record.exists());
    assert_eq!(draft_texts(&drafts), ["typed\n"]);
}

#[tokio::test(start_paused = true)]
async fn changed_roots_reach_the_discovery_files_and_sessions_stay() {
    let (story, agent, _stream) = Story::with_listener().await;
    let record = story.path(&format!("tmp/gemini-ide-server-{}.json", std::process::id()));
    let roots = || {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
        record["workspacePath"].as_str().unwrap().to_owned()
    };
    let [project, other_root] = ["project", "other"].map(|name| format!("{MAIN_SEPARATOR}{name}"));
    assert!(roots().ends_with(&project));
    let other = story.path("other");
    assert!(story.set_roots(vec![other.clone()]).await.is_err(), "it does not exist");
    assert!(roots().ends_with(&project));
    fs::create_dir(&other).unwrap();
    story.set_roots(vec![other, story.path("project")]).await.unwrap();
    let other_root = format!("{other_root}{}", delimiter());
    assert!(roots().contains(&other_root) && roots().ends_with(&project), "{}", roots());
    assert!(agent.is_known().await);
}

#[tokio::test(start_paused = true)]
async fn a_vanished_workspace_is_reported_once() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.propose("x\n").await;
    let project = story.path("project");
    fs::remove_dir_all(&project).unwrap();
    let mut reports = 0;
    let deadline = Instant::now() + Duration::from_secs(5);
    while let Ok(Ok(event)) = tokio::time::timeout_at(deadline, story.desk.next()).await {
        let names_project = |problem: &Problem| problem.what.contains(project.to_str().unwrap());
        reports += usize::from(matches!(event, desk::Event::Problem(problem) if names_project(&problem)));
    }
    assert_eq!(reports, 1);
    assert_eq!(agent.open_diff(&story.file, "y\n").await, Ok(()));
}

#[tokio::test]
async fn every_companion_has_a_long_random_token_of_its_own() {
    let (one, other) = (Story::begin().await, Story::begin().await);
    let tokens = [one.companion.token(), other.companion.token()];
    for token in tokens {
        assert!(token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "32 random bytes");
        assert!(token.bytes().collect::<std::collections::BTreeSet<_>>().len() > 4);
    }
    assert_ne!(tokens[0], tokens[1]);
}

#[tokio::test(start_paused = true)]
async fn only_unused_and_absent_sessions_give_way_to_new_ones() {
    let story = Story::begin().await;
    let (first, second) = (story.agent().await, story.agent().await);
    let stream = first.stream().await;
    assert!(first.is_known().await && second.is_known().await);
    let unused = story.agent().await;
    for _ in 3..crate::agents::registry::MAX_SESSIONS {
        assert!(story.agent().await.is_known().await);
    }
    let newest = story.agent().await;
    assert!(!unused.is_known().await, "it gave way");
    assert!(newest.is_known().await && first.is_known().await && second.is_known().await);
    assert_eq!(story.begin_session("one more", Credential::Token(None)).await, Err(SessionRefusal::Full));
    assert!(newest.leave().await);
    assert!(story.agent().await.is_known().await, "there is room again");
    drop(stream);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(story.agent().await.is_known().await, "the session without a stream gave way");
    assert!(!first.is_known().await);
}

#[tokio::test(start_paused = true)]
async fn a_client_name_is_cut_to_256_bytes() {
    let mut story = Story::begin().await;
    story.begin_session(&"ä".repeat(100_000), Credential::Token(None)).await.unwrap();
    let status = story.next_status(|status| !status.agents.is_empty()).await;
    assert_eq!(status.agents[0].name, "ä".repeat(128));
    assert_eq!(status.agents[0].version.len(), 256);
}
