//! Decisions of people, and their edits.

use super::*;

#[tokio::test(start_paused = true)]
async fn close_waits_at_most_150_ms_for_a_desks_last_edits() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let session = {
        let agent = story.agent().await;
        agent.open_diff(&file, "x\n").await;
        agent.session
    };
    let review = story.opened().await;
    let events = story.companion.events.clone();
    let closing = |session: String, file: String| {
        let events = events.clone();
        tokio::spawn(async move { Agent { events: &events, session }.close_diff(&file).await })
    };
    let answer = closing(session.clone(), file.clone());
    while !matches!(story.next().await, desk::Event::FlushReview { .. }) {}
    story.type_over(&review, "typed just now\n").await;
    story.desk.request(Request::Flushed { id: review.id }).await.unwrap();
    assert_eq!(answer.await.unwrap().as_deref(), Some("typed just now\n"));
    assert_eq!(story.closed().await.closing, Closing::AnsweredInAgent);

    let agent = Agent { events: &events, session: session.clone() };
    assert_eq!(agent.close_diff(&file).await.as_deref(), Some("typed just now\n"), "it may come twice");
    agent.open_diff(&file, "y\n").await;
    let before = Instant::now();
    assert_eq!(closing(session, file).await.unwrap().as_deref(), Some("y\n"));
    assert!(before.elapsed() <= Duration::from_millis(151), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_second_proposal_replaces_the_review_and_keeps_edits() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let (session, mut stream) = {
        let agent = story.agent().await;
        let stream = agent.stream().await;
        agent.open_diff(&file, "one\n2\nthree\n").await;
        (agent.session, stream)
    };
    let first = story.opened().await;
    story.type_over(&first, "typed\n").await;
    let agent = Agent { events: &story.companion.events, session };
    agent.open_diff(&file, "one\n2!\nthree\n").await;
    let closed = story.closed().await;
    assert_eq!((closed.id, closed.closing), (first.id, Closing::Replaced));
    let second = story.opened().await;
    assert_ne!(second.id, first.id);
    assert_eq!(story.decide(&first, Decision::Accept).await, Err(Refusal::NoSuchReview));
    nothing_within(&mut stream, Duration::from_secs(5)).await;
    assert_eq!(story.drafts().await, ["typed\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_decision_on_an_old_revision_is_refused() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "one\n2\nthree\n").await;
    let seen = story.opened().await;
    let revision = story.type_over(&seen, "newer\n").await;
    assert_eq!(story.decide(&seen, Decision::Accept).await, Err(Refusal::Stale { revision }));
    assert_eq!(story.decide(&seen, Decision::Reject).await, Err(Refusal::Stale { revision }));
}

#[tokio::test(start_paused = true)]
async fn a_changed_or_unsaved_file_is_shown_before_accept() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "one\n2\nthree\n").await;
    let seen = story.opened().await;
    fs::write(&story.file, "somebody else was here\n").unwrap();
    assert!(matches!(story.decide(&seen, Decision::Accept).await, Err(Refusal::Stale { .. })));
    let seen = story.changed().await;
    assert!(seen.stale);
    let open = vec![OpenFile { path: story.file.clone(), dirty: true }];
    let report = ContextReport { open_files: Some(open), ..ContextReport::default() };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    assert!(matches!(story.decide(&seen, Decision::Accept).await, Err(Refusal::Stale { .. })));
    let seen = story.changed().await;
    assert!(seen.dirty && seen.stale);
    assert_eq!(story.decide(&seen, Decision::Accept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_target_change_during_a_review_is_reported() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "x\n").await;
    story.opened().await;
    fs::remove_file(&story.file).unwrap();
    assert!(story.changed().await.stale);
}

#[tokio::test(start_paused = true)]
async fn nothing_unchanged_and_nothing_empty_can_be_accepted() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "one\n2\nthree\n").await;
    let review = story.opened().await;
    let (id, revision) = (review.id, review.revision);
    story.desk.request(Request::KeepHunks { id, revision, hunks: vec![0], keep: false }).await.unwrap();
    let review = story.changed().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Err(Refusal::Unchanged));
    story.type_over(&review, "").await;
    let review = story.changed().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Err(Refusal::Empty));
    story.type_over(&review, "\n").await;
    let review = story.changed().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Ok(()));

    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "").await;
    let review = story.opened().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Ok(()), "the proposal itself is empty");
}

#[tokio::test(start_paused = true)]
async fn a_leaving_desk_decides_nothing_and_a_joining_one_sees_all() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "x\n").await;
    let review = story.opened().await;
    story.desk = story.companion.join();
    let again = story.opened().await;
    assert_eq!((again.id, again.revision), (review.id, review.revision));
    assert_eq!(story.decide(&again, Decision::Accept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn the_target_is_never_written() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let before = (fs::read(&file).unwrap(), fs::metadata(&file).unwrap().modified().unwrap());
    let untouched =
        || assert_eq!((fs::read(&file).unwrap(), fs::metadata(&file).unwrap().modified().unwrap()), before);
    for decision in [Decision::Accept, Decision::Reject] {
        story.agent().await.open_diff(&file, "one\n2\nthree\n").await;
        let review = story.opened().await;
        story.type_over(&review, "typed\n").await;
        let review = story.changed().await;
        story.decide(&review, decision).await.unwrap();
        untouched();
    }
    let new = Path::new(&file).with_file_name("new.txt");
    story.agent().await.open_diff(new.to_str().unwrap(), "x\n").await;
    let review = story.opened().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    story.companion.stop().await;
    untouched();
    assert!(!new.exists());
}

#[tokio::test(start_paused = true)]
async fn every_undelivered_outcome_is_answered_on_close() {
    let mut story = Story::begin().await;
    let session = story.agent().await.session;
    let events = story.companion.events.clone();
    let agent = Agent { events: &events, session };
    let files: Vec<_> = (0..30).map(|number| format!("{}.{number}", story.file)).collect();
    for file in &files {
        agent.open_diff(file, "proposed\n").await;
        let mut review = story.opened().await;
        review.revision = story.type_over(&review, &format!("decided on {file}\n")).await;
        story.decide(&review, Decision::Accept).await.unwrap();
    }
    for file in &files {
        assert_eq!(agent.close_diff(file).await, Some(format!("decided on {file}\n")));
    }
    // An answered outcome counts as delivered, and the companion keeps only some of those.
    agent.open_diff(&story.file, "x\n").await;
    let review = story.opened().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let answered = [&files[0], &files[29], &story.file];
    let mut known = Vec::new();
    for file in answered {
        known.push(agent.close_diff(file).await.is_some());
    }
    assert_eq!(known, [false, true, true]);
}

#[tokio::test(start_paused = true)]
async fn desks_see_that_a_proposal_targets_files_git_obeys() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let hook = story.directory.path().join("project/.git/hooks/pre-commit");
    agent.open_diff(hook.to_str().unwrap(), "#!/bin/sh\n").await;
    let file = story.file.clone();
    agent.open_diff(&file, "new\n").await;
    let lead = crate::real_path::resolve(&hook);
    assert_eq!(story.opened().await.in_git.as_deref(), lead.to_str());
    assert_eq!(story.opened().await.in_git, None);
}
