//! Drafts while the disk is full or not writable.

use super::*;

/// Where no drafts can be: something else has the name of the directory. The directory above it may be there:
/// the writer keeps its reserve in it.
fn block(story: &Story) -> PathBuf {
    let drafts = story.path("state/drafts");
    fs::create_dir_all(story.path("state")).unwrap();
    fs::write(&drafts, "").unwrap();
    drafts
}

/// The next event for desks about a problem or its end.
async fn news(story: &mut Story) -> desk::Event {
    loop {
        let event = story.next().await;
        if matches!(event, desk::Event::Problem(_) | desk::Event::Closed(_)) {
            return event;
        }
    }
}

/// A review in which a person typed `mine`.
async fn typed(story: &mut Story) -> Review {
    let mut review = story.proposed("new\n").await;
    story.type_over(&mut review, "mine\n").await;
    review
}

#[tokio::test(start_paused = true)]
async fn unsaved_edits_are_reported_and_saved_once_possible() {
    let mut story = Story::begin().await;
    let drafts = block(&story);
    let file = story.file.clone();
    let review = typed(&mut story).await;
    let desk::Event::Problem(problem) = news(&mut story).await else { panic!("a problem first") };
    let (what, rest) = problem.what.split_once(" could not be saved in ").unwrap();
    assert_eq!(what, format!("your edits of {file}"));
    assert!(rest.starts_with(drafts.to_str().unwrap()), "{rest}");
    story.decide(&review, Decision::Reject).await.unwrap();
    let desk::Event::Closed(closed) = news(&mut story).await else {
        panic!("the end, and the problem said once")
    };
    assert_eq!((closed.closing, closed.draft, closed.decided_here), (Closing::Rejected, None, true));
    // A desk that joins now hears it as well.
    story.desk = story.companion.join();
    assert_eq!(news(&mut story).await, desk::Event::Problem(problem));

    fs::remove_file(&drafts).unwrap();
    let desk::Event::Problem(saved) = news(&mut story).await else { panic!("it is saved") };
    let (what, path) = saved.what.split_once(": ").unwrap();
    assert_eq!(what, format!("your edits of {file} are saved now"));
    assert_eq!(fs::read_to_string(path).unwrap(), "mine\n");
    story.desk = story.companion.join();
    let joined = tokio::time::timeout(Duration::from_millis(300), news(&mut story)).await;
    assert!(joined.is_err(), "nothing is wrong any more: {joined:?}");
}

#[tokio::test(start_paused = true)]
async fn a_companion_that_stops_tries_once_more() {
    let mut story = Story::begin().await;
    let drafts = block(&story);
    typed(&mut story).await;
    news(&mut story).await;
    fs::remove_file(&drafts).unwrap();
    assert_eq!(story.drafts().await, ["mine\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_companion_writes_everything() {
    let mut story = Story::begin().await;
    typed(&mut story).await;
    let (records, drafts) = (story.path("tmp/gemini/ide"), Drafts::open(&story.app_dirs()));
    drop(story.companion);
    while story.desk.next().await.is_ok() {}
    wait_until("the files go last of all", || !records.exists()).await;
    assert_eq!(texts(&drafts), ["mine\n"]);
}

#[tokio::test(start_paused = true)]
async fn closings_come_in_order_and_name_existing_drafts() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    for round in 0..50 {
        let mut review = story.proposed_by(&agent, &format!("{round}\n")).await;
        story.type_over(&mut review, "mine\n").await;
        agent.open_diff(&story.file, "again\n").await.unwrap();
        let draft = loop {
            match story.next().await {
                desk::Event::Closed(closed) => break closed.draft.expect("it is kept"),
                desk::Event::Opened(_) => panic!("the next one is shown when the last one has ended"),
                _ => {}
            }
        };
        assert_eq!(fs::read_to_string(draft).unwrap(), "mine\n");
        let review = story.opened().await;
        story.decide(&review, Decision::Reject).await.unwrap();
        story.closed().await;
    }
}

/// Waits for the writer.
async fn none_are_left(drafts: &Drafts) {
    wait_until("the drafts go", || drafts.list().unwrap().is_empty()).await;
}

/// A proposal in which a person typed `mine` and accepted it, and which the agent has confirmed.
async fn accepted(story: &mut Story) {
    let (agent, mut stream) = story.listener().await;
    let mut review = story.proposed_by(&agent, "new\n").await;
    story.type_over(&mut review, "mine\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let (_, ping) = outcome(&mut stream).await;
    agent.confirm(ping);
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_draft_stays_until_the_agent_writes_it() {
    let mut story = Story::begin().await;
    accepted(&mut story).await;
    let drafts = Drafts::open(&story.app_dirs());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(drafts.list().unwrap()[0].state(), "it was accepted, and the file does not hold it");
    fs::write(&story.file, "mine\n").unwrap();
    // Each look waits twice as long as the last one.
    tokio::time::sleep(Duration::from_secs(64)).await;
    none_are_left(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn the_draft_of_an_answer_in_the_agent_goes_if_the_agent_writes_it() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let mut review = story.proposed_by(&agent, "yours\n").await;
    story.type_over(&mut review, "mine\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("mine\n"));
    assert!(story.closed().await.draft.is_some(), "people are told");
    let drafts = Drafts::open(&story.app_dirs());
    let state = drafts.list().unwrap()[0].state().to_owned();
    assert_eq!(state, "it was answered in the agent, and the file does not hold it");
    fs::write(&story.file, "mine\n").unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    none_are_left(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn an_unsaved_draft_that_is_written_is_no_problem() {
    let mut story = Story::begin().await;
    block(&story);
    accepted(&mut story).await;
    let desk::Event::Problem(_) = news(&mut story).await else { panic!("it is not saved") };
    fs::write(&story.file, "mine\n").unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let nothing_is_wrong = async {
        loop {
            story.desk = story.companion.join();
            if tokio::time::timeout(Duration::from_millis(300), news(&mut story)).await.is_err() {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), nothing_is_wrong).await.expect("it is forgotten");
}

#[tokio::test(start_paused = true)]
async fn the_next_start_removes_drafts_written_meanwhile() {
    let mut story = Story::begin().await;
    accepted(&mut story).await;
    story.companion.stop().await;
    let drafts = Drafts::open(&AppDirs::below(story.directory.path()));
    assert_eq!(drafts.list().unwrap().len(), 1);
    fs::write(story.file, "mine\n").unwrap();
    let _companion = builder(story.directory.path()).start().await.unwrap();
    none_are_left(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn a_draft_tells_dropped_changes_from_typed_text() {
    let mut story = Story::begin().await;
    let review = story.proposed("ONE\ntwo\nTHREE\n").await;
    story.drop_first_hunk(&review).await;
    let mut review = story.changed().await;
    let drafts = Drafts::open(&story.app_dirs());
    let only_dropped = || drafts.list().unwrap().first().map(|draft| draft.is_only_dropped);
    wait_until("the draft", || only_dropped().is_some()).await;
    assert_eq!(only_dropped(), Some(true));
    story.type_over(&mut review, "one\ntwo\nmine\n").await;
    wait_until("the typed text", || only_dropped() == Some(false)).await;
}
