//! Decisions and edits of people.

use super::*;

#[tokio::test(start_paused = true)]
async fn close_waits_at_most_150_ms_for_a_desks_last_edits() {
    let mut story = Story::begin().await;
    let (agent, file) = (story.agent().await, story.file.clone());
    let mut review = story.propose_as(&agent, "x\n").await;
    let type_when_asked = async {
        while !matches!(story.next().await, desk::Event::FlushReview { .. }) {}
        story.type_over(&mut review, "typed just now\n").await;
        story.desk.request(Request::Flushed { id: review.id }).await.unwrap();
    };
    let (text, ()) = tokio::join!(agent.close_diff(&file), type_when_asked);
    assert_eq!(text.as_deref(), Some("typed just now\n"));
    assert_eq!(story.next_closed().await.closing, Closing::AnsweredInAgent);

    assert_eq!(
        agent.close_diff(&file).await.as_deref(),
        Some("typed just now\n"),
        "the tool may be called twice"
    );
    agent.open_diff(&file, "y\n").await.unwrap();
    let before = Instant::now();
    assert_eq!(agent.close_diff(&file).await.as_deref(), Some("y\n"));
    assert!(before.elapsed() <= Duration::from_millis(151), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn edits_that_an_agent_left_out_are_reported() {
    for writes_them in [true, false] {
        let mut story = Story::begin().await;
        let (agent, file) = (story.agent().await, story.file.clone());
        let mut review = story.propose_as(&agent, "x\n").await;
        story.type_over(&mut review, "typed\n").await;
        let (text, closed) = tokio::join!(agent.close_diff(&file), story.next_closed());
        assert_eq!((text.as_deref(), closed.closing), (Some("typed\n"), Closing::AnsweredInAgent));
        fs::write(&file, if writes_them { "typed\n" } else { "x\n" }).unwrap();
        let reported = tokio::time::timeout(Duration::from_secs(5), story.next_notice()).await.ok();
        let left_out = (!writes_them)
            .then(|| "a.txt: Gemini CLI left out your edits. They are in `alongside drafts`.".to_owned());
        assert_eq!(reported, left_out);
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_proposal_replaces_the_review_and_keeps_edits() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let mut first = story.propose_as(&agent, "one\n2\nthree\n").await;
    story.type_over(&mut first, "typed\n").await;
    agent.open_diff(&story.file, "one\n2!\nthree\n").await.unwrap();
    let closed = story.next_closed().await;
    assert_eq!((closed.id, closed.closing), (first.id, Closing::Replaced));
    let second = story.next_opened().await;
    assert_ne!(second.id, first.id);
    assert_eq!(story.decide(&first, Decision::Accept).await, Err(Refusal::NoSuchReview));
    expect_only_context_within(&mut stream, Duration::from_secs(5)).await;
    assert_eq!(story.drafts().await, ["typed\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_decision_on_an_old_revision_is_refused() {
    let mut story = Story::begin().await;
    let shown = story.propose("one\n2\nthree\n").await;
    let mut newer = shown.clone();
    story.type_over(&mut newer, "newer\n").await;
    for decision in [Decision::Accept, Decision::Reject] {
        let refused = Err(Refusal::Stale { revision: newer.revision });
        assert_eq!(story.decide(&shown, decision).await, refused);
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_or_unsaved_file_is_shown_before_accept() {
    let mut story = Story::begin().await;
    let shown = story.propose("one\n2\nthree\n").await;
    fs::write(&story.file, "somebody else was here\n").unwrap();
    assert!(matches!(story.decide(&shown, Decision::Accept).await, Err(Refusal::Stale { .. })));
    let shown = story.next_changed().await;
    assert!(shown.stale);
    story.report(report_of_open_file(&story.file, true)).await;
    assert!(matches!(story.decide(&shown, Decision::Accept).await, Err(Refusal::Stale { .. })));
    let shown = story.next_changed().await;
    assert!(shown.dirty && shown.stale);
    assert_eq!(story.decide(&shown, Decision::Accept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_target_change_during_a_review_is_reported() {
    let mut story = Story::begin().await;
    story.propose("x\n").await;
    fs::remove_file(&story.file).unwrap();
    assert!(story.next_changed().await.stale);
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_or_emptied_text_cannot_be_accepted() {
    let mut story = Story::begin().await;
    let review = story.propose("one\n2\nthree\n").await;
    story.drop_first_hunk(&review).await;
    let mut review = story.next_changed().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Err(Refusal::Unchanged));
    story.type_over(&mut review, "").await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Err(Refusal::Empty));
    story.type_over(&mut review, "\n").await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Ok(()));

    let review = story.propose("").await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Ok(()), "the proposal itself is empty");
}

#[tokio::test(start_paused = true)]
async fn a_leaving_desk_decides_nothing_and_a_joining_desk_gets_all_reviews() {
    let mut story = Story::begin().await;
    let review = story.propose("x\n").await;
    story.desk = story.companion.join();
    let again = story.next_opened().await;
    assert_eq!((again.id, again.revision), (review.id, review.revision));
    assert_eq!(story.decide(&again, Decision::Accept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn the_target_is_never_written() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let state = || (fs::read(&file).unwrap(), fs::metadata(&file).unwrap().modified().unwrap());
    let before = state();
    for decision in [Decision::Accept, Decision::Reject] {
        let mut review = story.propose("one\n2\nthree\n").await;
        story.type_over(&mut review, "typed\n").await;
        story.decide(&review, decision).await.unwrap();
        assert_eq!(state(), before);
    }
    let new = story.path("project/new.txt");
    story.agent().await.open_diff(new.to_str().unwrap(), "x\n").await.unwrap();
    let review = story.next_opened().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    story.companion.stop().await;
    assert_eq!(state(), before);
    assert!(!new.exists());
}

#[tokio::test(start_paused = true)]
async fn every_undelivered_outcome_is_answered_on_close() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let files: Vec<_> = (0..30).map(|number| format!("{}.{number}", story.file)).collect();
    for file in &files {
        agent.open_diff(file, "proposed\n").await.unwrap();
        let mut review = story.next_opened().await;
        story.type_over(&mut review, &format!("decided on {file}\n")).await;
        story.decide(&review, Decision::Accept).await.unwrap();
    }
    for file in &files {
        assert_eq!(agent.close_diff(file).await, Some(format!("decided on {file}\n")));
    }
    // An answered outcome counts as delivered, and the companion keeps only the newest of those.
    let review = story.propose_as(&agent, "x\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    for (file, is_known) in [(&files[0], false), (&files[29], true), (&story.file, true)] {
        assert_eq!(agent.close_diff(file).await.is_some(), is_known, "{file}");
    }
}

#[tokio::test(start_paused = true)]
async fn desks_see_that_a_proposal_targets_files_git_obeys() {
    let mut story = Story::begin().await;
    let hook = story.path("project/.git/hooks/pre-commit");
    story.agent().await.open_diff(hook.to_str().unwrap(), "#!/bin/sh\n").await.unwrap();
    let resolved = crate::real_path::resolve(&hook);
    assert_eq!(story.next_opened().await.in_git.as_deref(), resolved.to_str());
    assert_eq!(story.propose("new\n").await.in_git, None);
}
