//! Drafts while the disk is full or not writable.

use super::*;

/// Puts a file in place of the directory of drafts, so that no draft can be saved. The directory above it may
/// exist, for the writer keeps its reserve in it.
fn block_drafts(story: &Story) -> PathBuf {
    let drafts = story.path("state/drafts");
    fs::create_dir_all(story.path("state")).unwrap();
    fs::write(&drafts, "").unwrap();
    drafts
}

/// Returns the next event about a problem or a closed review.
async fn next_problem_or_close(story: &mut Story) -> desk::Event {
    loop {
        let event = story.next().await;
        if matches!(event, desk::Event::Problem(_) | desk::Event::Closed(_)) {
            return event;
        }
    }
}

/// Opens a review, and types `mine` in it.
async fn open_and_type(story: &mut Story) -> Review {
    let mut review = story.propose("new\n").await;
    story.type_over(&mut review, "mine\n").await;
    review
}

#[tokio::test(start_paused = true)]
async fn unsaved_edits_are_reported_and_saved_once_possible() {
    let mut story = Story::begin().await;
    let drafts = block_drafts(&story);
    let file = story.file.clone();
    let review = open_and_type(&mut story).await;
    let desk::Event::Problem(problem) = next_problem_or_close(&mut story).await else {
        panic!("a problem first")
    };
    let (what, rest) = problem.what.split_once(" could not be saved in ").unwrap();
    assert_eq!(what, format!("your edits of {file}"));
    assert!(rest.starts_with(drafts.to_str().unwrap()), "{rest}");
    story.decide(&review, Decision::Reject).await.unwrap();
    let desk::Event::Closed(closed) = next_problem_or_close(&mut story).await else {
        panic!("the review closes, and the problem is reported once")
    };
    assert_eq!((closed.closing, closed.draft, closed.decided_here), (Closing::Rejected, None, true));
    // A desk that joins now gets the problem as well.
    story.desk = story.companion.join();
    assert_eq!(next_problem_or_close(&mut story).await, desk::Event::Problem(problem));

    fs::remove_file(&drafts).unwrap();
    let desk::Event::Problem(saved) = next_problem_or_close(&mut story).await else { panic!("it is saved") };
    let (what, path) = saved.what.split_once(": ").unwrap();
    assert_eq!(what, format!("your edits of {file} are saved now"));
    assert_eq!(fs::read_to_string(path).unwrap(), "mine\n");
    story.desk = story.companion.join();
    let joined = tokio::time::timeout(Duration::from_millis(300), next_problem_or_close(&mut story)).await;
    assert!(joined.is_err(), "there is no problem any more: {joined:?}");
}

#[tokio::test(start_paused = true)]
async fn a_companion_that_stops_tries_to_save_once_more() {
    let mut story = Story::begin().await;
    let drafts = block_drafts(&story);
    open_and_type(&mut story).await;
    next_problem_or_close(&mut story).await;
    fs::remove_file(&drafts).unwrap();
    assert_eq!(story.drafts().await, ["mine\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_companion_writes_its_drafts() {
    let mut story = Story::begin().await;
    open_and_type(&mut story).await;
    let (records, drafts) = (story.path("tmp/gemini/ide"), Drafts::open(&story.app_dirs()));
    drop(story.companion);
    while story.desk.next().await.is_ok() {}
    wait_until("the discovery files are removed last", || !records.exists()).await;
    assert_eq!(draft_texts(&drafts), ["mine\n"]);
}

#[tokio::test(start_paused = true)]
async fn closings_come_in_order_and_name_existing_drafts() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    for round in 0..50 {
        let mut review = story.propose_as(&agent, &format!("{round}\n")).await;
        story.type_over(&mut review, "mine\n").await;
        agent.open_diff(&story.file, "again\n").await.unwrap();
        let draft = loop {
            match story.next().await {
                desk::Event::Closed(closed) => break closed.draft.expect("the draft is kept"),
                desk::Event::Opened(_) => panic!("the next review opens only after the last one has closed"),
                _ => {}
            }
        };
        assert_eq!(fs::read_to_string(draft).unwrap(), "mine\n");
        let review = story.next_opened().await;
        story.decide(&review, Decision::Reject).await.unwrap();
        story.next_closed().await;
    }
}

/// Waits until the writer has removed all drafts.
async fn wait_for_no_drafts(drafts: &Drafts) {
    wait_until("the drafts are removed", || drafts.list().unwrap().is_empty()).await;
}

/// Accepts a text that the person typed, and confirms its outcome as the agent.
async fn accept_and_confirm(story: &mut Story) {
    let (agent, mut stream) = story.listener().await;
    let mut review = story.propose_as(&agent, "new\n").await;
    story.type_over(&mut review, "mine\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let (_, ping) = next_outcome(&mut stream).await;
    agent.confirm(ping);
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_draft_stays_until_the_agent_writes_it() {
    let mut story = Story::begin().await;
    accept_and_confirm(&mut story).await;
    let drafts = Drafts::open(&story.app_dirs());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(drafts.list().unwrap()[0].state(), "it was accepted, and the file does not hold it");
    fs::write(&story.file, "mine\n").unwrap();
    // Each check waits twice as long as the one before.
    tokio::time::sleep(Duration::from_secs(64)).await;
    wait_for_no_drafts(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn the_draft_of_an_answer_in_the_agent_is_removed_when_it_is_written() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let mut review = story.propose_as(&agent, "yours\n").await;
    story.type_over(&mut review, "mine\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("mine\n"));
    assert!(story.next_closed().await.draft.is_some(), "people get its path");
    let drafts = Drafts::open(&story.app_dirs());
    let state = drafts.list().unwrap()[0].state().to_owned();
    assert_eq!(state, "it was answered in the agent, and the file does not hold it");
    fs::write(&story.file, "mine\n").unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    wait_for_no_drafts(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn an_unsaved_draft_is_no_problem_once_its_file_holds_the_text() {
    let mut story = Story::begin().await;
    block_drafts(&story);
    accept_and_confirm(&mut story).await;
    let desk::Event::Problem(_) = next_problem_or_close(&mut story).await else {
        panic!("the draft is not saved")
    };
    fs::write(&story.file, "mine\n").unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let no_problem = async {
        loop {
            story.desk = story.companion.join();
            if tokio::time::timeout(Duration::from_millis(300), next_problem_or_close(&mut story))
                .await
                .is_err()
            {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), no_problem).await.expect("the problem is forgotten");
}

#[tokio::test(start_paused = true)]
async fn the_next_start_removes_drafts_written_meanwhile() {
    let mut story = Story::begin().await;
    accept_and_confirm(&mut story).await;
    story.companion.stop().await;
    let drafts = Drafts::open(&AppDirs::below(story.directory.path()));
    assert_eq!(drafts.list().unwrap().len(), 1);
    fs::write(story.file, "mine\n").unwrap();
    let _companion = builder(story.directory.path()).start().await.unwrap();
    wait_for_no_drafts(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn a_draft_records_whether_changes_were_only_dropped() {
    let mut story = Story::begin().await;
    let review = story.propose("ONE\ntwo\nTHREE\n").await;
    story.drop_first_hunk(&review).await;
    let mut review = story.next_changed().await;
    let drafts = Drafts::open(&story.app_dirs());
    let only_dropped = || drafts.list().unwrap().first().map(|draft| draft.is_only_dropped);
    wait_until("the draft", || only_dropped().is_some()).await;
    assert_eq!(only_dropped(), Some(true));
    story.type_over(&mut review, "one\ntwo\nmine\n").await;
    wait_until("the typed text", || only_dropped() == Some(false)).await;
}
