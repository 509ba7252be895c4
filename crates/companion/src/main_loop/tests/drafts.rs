//! Drafts while the disk is full or not writable.

use super::*;

/// Where no drafts can be: something else has the name of the directory.
fn block(story: &Story) -> std::path::PathBuf {
    let state = story.directory.path().join("state");
    fs::write(&state, "").unwrap();
    state
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

#[tokio::test(start_paused = true)]
async fn unsaved_edits_are_reported_and_saved_once_possible() {
    let mut story = Story::begin().await;
    let state = block(&story);
    let file = story.file.clone();
    story.agent().await.open_diff(&file, "new\n").await;
    let review = story.opened().await;
    let revision = story.type_over(&review, "mine\n").await;
    let desk::Event::Problem(problem) = news(&mut story).await else { panic!("a problem first") };
    let (what, rest) = problem.what.split_once(" could not be saved in ").unwrap();
    assert_eq!(what, format!("your edits of {file}"));
    assert!(rest.starts_with(state.join("drafts").to_str().unwrap()), "{rest}");
    let reject = Request::DecideReview { id: review.id, revision, decision: Decision::Reject };
    story.desk.request(reject).await.unwrap();
    let desk::Event::Closed(closed) = news(&mut story).await else {
        panic!("the end, and the problem said once")
    };
    assert_eq!((closed.closing, closed.draft, closed.decided_here), (Closing::Rejected, None, true));
    // A desk that joins now hears it as well.
    story.desk = story.companion.join();
    assert_eq!(news(&mut story).await, desk::Event::Problem(problem));

    fs::remove_file(&state).unwrap();
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
    let state = block(&story);
    let file = story.file.clone();
    story.agent().await.open_diff(&file, "new\n").await;
    let review = story.opened().await;
    story.type_over(&review, "mine\n").await;
    news(&mut story).await;
    fs::remove_file(&state).unwrap();
    assert_eq!(story.drafts().await, ["mine\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_companion_writes_everything() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    story.agent().await.open_diff(&file, "new\n").await;
    let review = story.opened().await;
    story.type_over(&review, "mine\n").await;
    let Story { directory, companion, mut desk, .. } = story;
    drop(companion);
    while desk.next().await.is_ok() {}
    let dirs = AppDirs::below(directory.path());
    let records = dirs.tmp[0].join("gemini/ide");
    let records_go = async {
        while records.exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), records_go).await.expect("the files go last of all");
    let drafts = Drafts::open(&dirs);
    let kept: Vec<_> = drafts.list().unwrap().iter().map(|draft| drafts.read(&draft.id).unwrap()).collect();
    assert_eq!(kept, ["mine\n"]);
}

#[tokio::test(start_paused = true)]
async fn closings_come_in_order_and_name_existing_drafts() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let session = story.agent().await.session;
    let events = story.companion.events.clone();
    let agent = Agent { events: &events, session };
    for round in 0..50 {
        agent.open_diff(&file, &format!("{round}\n")).await;
        let review = story.opened().await;
        story.type_over(&review, "mine\n").await;
        agent.open_diff(&file, "again\n").await;
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
    let gone = async {
        while !drafts.list().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.expect("they go");
}

/// The file of a proposal in which a person typed `mine` and accepted it, and which has confirmed it.
async fn accepted(story: &mut Story) -> String {
    let file = story.file.clone();
    let (session, mut stream) = {
        let agent = story.agent().await;
        let stream = agent.stream().await;
        agent.open_diff(&file, "new\n").await;
        (agent.session, stream)
    };
    let review = story.opened().await;
    let revision = story.type_over(&review, "mine\n").await;
    let accept = Request::DecideReview { id: review.id, revision, decision: Decision::Accept };
    story.desk.request(accept).await.unwrap();
    let (_, ping) = outcome(&mut stream).await;
    story.companion.events.send(Event::Receipt { session, id: ping });
    file
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_draft_stays_until_the_agent_writes_it() {
    let mut story = Story::begin().await;
    let file = accepted(&mut story).await;
    let drafts = Drafts::open(&AppDirs::below(story.directory.path()));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(drafts.list().unwrap()[0].why, "it was accepted, and the file does not hold it");
    fs::write(file, "mine\n").unwrap();
    // Each look waits twice as long as the last one.
    tokio::time::sleep(Duration::from_secs(64)).await;
    none_are_left(&drafts).await;
}

#[tokio::test(start_paused = true)]
async fn an_unsaved_draft_that_is_written_is_no_problem() {
    let mut story = Story::begin().await;
    block(&story);
    let file = accepted(&mut story).await;
    let desk::Event::Problem(_) = news(&mut story).await else { panic!("it is not saved") };
    fs::write(file, "mine\n").unwrap();
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
    let file = accepted(&mut story).await;
    let Story { directory, companion, .. } = story;
    companion.stop().await;
    let drafts = Drafts::open(&AppDirs::below(directory.path()));
    assert_eq!(drafts.list().unwrap().len(), 1);
    fs::write(file, "mine\n").unwrap();
    let _companion = builder(directory.path()).start().await.unwrap();
    none_are_left(&drafts).await;
}
