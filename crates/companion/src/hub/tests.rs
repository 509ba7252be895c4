//! Stories of the loop with the clock paused: every deadline of the contract, without waiting for it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::mcp::gate::Proof;
use alongside_desk::{
    ActiveFile, Change, Closed, Closing, ContextReport, Decision, OpenFile, Refusal, Request, Review,
};

use super::*;
use crate::drafts::Drafts;
use crate::{Companion, Places};

struct Story {
    directory: tempfile::TempDir,
    companion: Companion,
    desk: Desk,
    file: String,
}

/// An agent, without the HTTP.
struct Agent<'a> {
    events: &'a Events,
    session: String,
}

impl Story {
    async fn begin() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for below in ["tmp", "home", "project"] {
            fs::create_dir(directory.path().join(below)).unwrap();
        }
        let project = directory.path().join("project");
        fs::write(project.join("a.txt"), "one\ntwo\nthree\n").unwrap();
        let companion = Companion::builder()
            .root(&project)
            .places(Places::below(directory.path()))
            .start()
            .await
            .unwrap();
        let desk = companion.join();
        let file = project.join("a.txt").to_str().unwrap().to_owned();
        Self {
            directory,
            companion,
            desk,
            file,
        }
    }

    async fn agent(&self) -> Agent<'_> {
        let events = &self.companion.hub.events;
        let client = Implementation {
            name: "gemini-cli-test".into(),
            version: "1".into(),
            title: None,
        };
        let wanted = |welcomed| Event::SessionWanted {
            client,
            version: "2025-06-18".into(),
            proof: Proof::Token(None),
            welcomed,
        };
        Agent {
            events,
            session: events.ask(wanted).await.unwrap().unwrap(),
        }
    }

    async fn next(&mut self) -> desk::Event {
        tokio::time::timeout(Duration::from_secs(300), self.desk.next())
            .await
            .expect("the desk is told")
            .unwrap()
    }

    async fn opened(&mut self) -> Review {
        loop {
            if let desk::Event::Opened(review) = self.next().await {
                return review;
            }
        }
    }

    async fn changed(&mut self) -> Review {
        loop {
            if let desk::Event::Changed(review) = self.next().await {
                return review;
            }
        }
    }

    async fn closed(&mut self) -> Closed {
        loop {
            if let desk::Event::Closed(closed) = self.next().await {
                return closed;
            }
        }
    }

    async fn type_over(&self, review: &Review, text: &str) -> u64 {
        let changes = vec![Change {
            range: None,
            text: text.into(),
        }];
        let edit = Request::EditReview {
            id: review.id,
            revision: review.revision,
            changes,
        };
        self.desk.request(edit).await.unwrap().revision
    }

    async fn decide(&self, review: &Review, decision: Decision) -> Result<(), Refusal> {
        let decide = Request::DecideReview {
            id: review.id,
            revision: review.revision,
            decision,
        };
        self.desk.request(decide).await.map(drop)
    }

    /// The texts of all drafts, once the companion has stopped and so written everything.
    async fn drafts(self) -> Vec<String> {
        self.companion.stop().await;
        let drafts = Drafts::open(&Places::below(self.directory.path()));
        drafts
            .list()
            .unwrap()
            .iter()
            .map(|draft| drafts.read(&draft.id).unwrap())
            .collect()
    }
}

impl Agent<'_> {
    async fn stream(&self) -> Open {
        let session = self.session.clone();
        self.events
            .ask(|opened| Event::StreamWanted { session, opened })
            .await
            .unwrap()
            .unwrap()
    }

    async fn open_diff(&self, file: &str, text: &str) -> CallToolResult {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let proposal = Box::new(Proposal::prepare(file.into(), text.into()));
        self.events
            .ask(|answer| Event::OpenDiff {
                session,
                file_path,
                proposal,
                answer,
            })
            .await
            .unwrap()
            .unwrap()
    }

    async fn close_diff(&self, file: &str) -> Option<String> {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let answer = self
            .events
            .ask(|answer| Event::CloseDiff {
                session,
                file_path,
                answer,
            })
            .await;
        answer.unwrap().unwrap().map(|text| text.to_string())
    }

    async fn is_known(&self) -> bool {
        let session = self.session.clone();
        let known = self
            .events
            .ask(|known| Event::PostStarted { session, known })
            .await
            .unwrap();
        self.events.send(Event::PostRead {
            session: self.session.clone(),
        });
        known
    }
}

/// The next frame that tells an outcome, and the ping that follows it.
async fn outcome(stream: &mut Open) -> (serde_json::Value, Id) {
    loop {
        let wait = tokio::time::timeout(Duration::from_secs(120), stream.frames.recv());
        let frame = wait.await.expect("an outcome comes").expect("the stream is open");
        stream.events.send(Event::StreamDrained {
            session: stream.session.clone(),
        });
        let messages: Vec<serde_json::Value> = frame
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect();
        if let [outcome, ping] = messages.as_slice() {
            return (
                outcome.clone(),
                serde_json::from_value(ping["id"].clone()).unwrap(),
            );
        }
    }
}

async fn nothing_within(stream: &mut Open, time: Duration) {
    let deadline = Instant::now() + time;
    while let Ok(frame) = tokio::time::timeout_at(deadline, stream.frames.recv()).await {
        let frame = frame.expect("the stream is open");
        assert!(frame.contains("ide/contextUpdate"), "unexpected: {frame}");
        stream.events.send(Event::StreamDrained {
            session: stream.session.clone(),
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_is_freed_sixty_seconds_after_it_was_last_heard_of() {
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
async fn ten_seconds_after_its_stream_an_agents_views_close_and_edits_go_to_drafts() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let (session, stream) = {
        let agent = story.agent().await;
        let stream = agent.stream().await;
        assert_eq!(
            agent.open_diff(&file, "one\n2\nthree\n").await,
            CallToolResult::default()
        );
        (agent.session, stream)
    };
    let review = story.opened().await;
    story.type_over(&review, "one\nmine\nthree\n").await;
    let lost = Instant::now();
    drop(stream);
    let closed = story.closed().await;
    assert_eq!(closed.closing, Closing::AgentGone);
    let waited = lost.elapsed();
    assert!(
        waited >= Duration::from_secs(10) && waited < Duration::from_secs(20),
        "{waited:?}"
    );
    assert!(closed.draft.is_some_and(|draft| draft.ends_with("a.txt")));

    // The agent was only asleep: it hears that nothing was accepted, and closing still gives it the text.
    let agent = Agent {
        events: &story.companion.hub.events,
        session,
    };
    let mut stream = agent.stream().await;
    assert_eq!(outcome(&mut stream).await.0["method"], "ide/diffRejected");
    assert_eq!(
        agent.close_diff(&file).await.as_deref(),
        Some("one\nmine\nthree\n")
    );
    drop(stream);
    assert_eq!(story.drafts().await, ["one\nmine\nthree\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_returns_in_time_keeps_its_reviews() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let agent = story.agent().await;
    let stream = agent.stream().await;
    agent.open_diff(&file, "x\n").await;
    drop(stream);
    tokio::time::sleep(Duration::from_secs(9)).await;
    let _stream = agent.stream().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    drop(agent);
    let review = story.opened().await;
    assert_eq!(story.decide(&review, Decision::Reject).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_unsettled_outcome_waits_a_hundred_milliseconds_and_for_every_unread_post() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let session = {
        let agent = story.agent().await;
        let mut stream = agent.stream().await;
        agent.open_diff(&file, "x\n").await;
        let session = agent.session.clone();
        let review = story.opened().await;
        story.decide(&review, Decision::Accept).await.unwrap();
        outcome(&mut stream).await;
        session
    };
    let agent = Agent {
        events: &story.companion.hub.events,
        session,
    };
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_millis(99)).await;
    let (again, _) = outcome(&mut stream).await;
    assert_eq!(again["params"]["content"], "x\n");

    // A POST is under way when the stream returns: it may say that the agent has moved on.
    drop(stream);
    let session = agent.session.clone();
    agent
        .events
        .ask(|known| Event::PostStarted { session, known })
        .await
        .unwrap();
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_secs(30)).await;
    agent.open_diff(&file, "y\n").await;
    agent.events.send(Event::PostRead {
        session: agent.session.clone(),
    });
    nothing_within(&mut stream, Duration::from_secs(30)).await;
}

#[tokio::test(start_paused = true)]
async fn a_receipt_settles_an_outcome_for_good_and_its_draft_goes() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let (session, mut stream) = {
        let agent = story.agent().await;
        let stream = agent.stream().await;
        agent.open_diff(&file, "one\n2\nthree\n").await;
        (agent.session, stream)
    };
    let review = story.opened().await;
    story.type_over(&review, "one\nmine\nthree\n").await;
    let review = story.changed().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let (told, ping) = outcome(&mut stream).await;
    assert_eq!(told["params"]["content"], "one\nmine\nthree\n");
    let agent = Agent {
        events: &story.companion.hub.events,
        session: session.clone(),
    };
    assert_eq!(
        agent.close_diff(&file).await.as_deref(),
        Some("one\nmine\nthree\n"),
        "decided, not confirmed"
    );

    agent.open_diff(&file, "one\n2\nthree\n").await;
    let review = story.opened().await;
    story.type_over(&review, "one\nmine\nthree\n").await;
    let review = story.changed().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    let (_, second) = outcome(&mut stream).await;
    let agent = Agent {
        events: &story.companion.hub.events,
        session,
    };
    agent.events.send(Event::Receipt {
        session: agent.session.clone(),
        id: ping,
    });
    agent.events.send(Event::Receipt {
        session: agent.session.clone(),
        id: second,
    });
    assert_eq!(agent.close_diff(&file).await, None, "settled");
    drop(stream);
    let mut stream = agent.stream().await;
    nothing_within(&mut stream, Duration::from_secs(30)).await;
    drop(stream);
    let Story {
        directory, companion, ..
    } = story;
    companion.stop().await;
    let drafts = Drafts::open(&Places::below(directory.path())).list().unwrap();
    assert_eq!(
        drafts.len(),
        1,
        "the first was answered by closeDiff, the second confirmed: {drafts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn closing_waits_for_a_desks_last_words_and_never_longer_than_150_milliseconds() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let session = {
        let agent = story.agent().await;
        agent.open_diff(&file, "x\n").await;
        agent.session
    };
    let review = story.opened().await;
    let events = story.companion.hub.events.clone();
    let closing = |session: String, file: String| {
        let events = events.clone();
        tokio::spawn(async move {
            Agent {
                events: &events,
                session,
            }
            .close_diff(&file)
            .await
        })
    };
    let answer = closing(session.clone(), file.clone());
    while !matches!(story.next().await, desk::Event::FlushReview { .. }) {}
    story.type_over(&review, "typed just now\n").await;
    story
        .desk
        .request(Request::Flushed { id: review.id })
        .await
        .unwrap();
    assert_eq!(answer.await.unwrap().as_deref(), Some("typed just now\n"));
    assert_eq!(story.closed().await.closing, Closing::AnsweredInAgent);

    let agent = Agent {
        events: &events,
        session: session.clone(),
    };
    assert_eq!(
        agent.close_diff(&file).await.as_deref(),
        Some("typed just now\n"),
        "it may come twice"
    );
    agent.open_diff(&file, "y\n").await;
    let before = Instant::now();
    assert_eq!(closing(session, file).await.unwrap().as_deref(), Some("y\n"));
    assert!(
        before.elapsed() <= Duration::from_millis(151),
        "{:?}",
        before.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn the_same_file_proposed_again_replaces_the_review_and_edits_go_to_drafts() {
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
    let agent = Agent {
        events: &story.companion.hub.events,
        session,
    };
    agent.open_diff(&file, "one\n2!\nthree\n").await;
    let closed = story.closed().await;
    assert_eq!((closed.id, closed.closing), (first.id, Closing::Replaced));
    let second = story.opened().await;
    assert_ne!(second.id, first.id);
    assert_eq!(
        story.decide(&first, Decision::Accept).await,
        Err(Refusal::NoSuchReview)
    );
    nothing_within(&mut stream, Duration::from_secs(5)).await;
    assert_eq!(story.drafts().await, ["typed\n"]);
}

#[tokio::test(start_paused = true)]
async fn nobody_hears_of_anothers_diff_even_of_the_same_file() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let (mut one, mut two) = {
        let (one, two) = (story.agent().await, story.agent().await);
        let streams = (one.stream().await, two.stream().await);
        one.open_diff(&file, "from one\n").await;
        two.open_diff(&file, "from two\n").await;
        streams
    };
    let review = story.opened().await;
    let other = story.opened().await;
    story.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(outcome(&mut one).await.0["params"]["content"], "from one\n");
    nothing_within(&mut two, Duration::from_secs(5)).await;
    story.decide(&other, Decision::Reject).await.unwrap();
    assert_eq!(outcome(&mut two).await.0["method"], "ide/diffRejected");
    nothing_within(&mut one, Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_decision_on_an_old_revision_is_refused() {
    let mut story = Story::begin().await;
    story
        .agent()
        .await
        .open_diff(&story.file, "one\n2\nthree\n")
        .await;
    let seen = story.opened().await;
    let revision = story.type_over(&seen, "newer\n").await;
    assert_eq!(
        story.decide(&seen, Decision::Accept).await,
        Err(Refusal::Stale { revision })
    );
    assert_eq!(
        story.decide(&seen, Decision::Reject).await,
        Err(Refusal::Stale { revision })
    );
}

#[tokio::test(start_paused = true)]
async fn a_file_that_changed_or_is_unsaved_is_shown_before_it_can_be_accepted() {
    let mut story = Story::begin().await;
    story
        .agent()
        .await
        .open_diff(&story.file, "one\n2\nthree\n")
        .await;
    let seen = story.opened().await;
    fs::write(&story.file, "somebody else was here\n").unwrap();
    assert!(matches!(
        story.decide(&seen, Decision::Accept).await,
        Err(Refusal::Stale { .. })
    ));
    let seen = story.changed().await;
    assert!(seen.stale);
    let open = vec![OpenFile {
        path: story.file.clone(),
        dirty: true,
    }];
    let report = ContextReport {
        open_files: Some(open),
        ..ContextReport::default()
    };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    assert!(matches!(
        story.decide(&seen, Decision::Accept).await,
        Err(Refusal::Stale { .. })
    ));
    let seen = story.changed().await;
    assert!(seen.dirty && seen.stale);
    assert_eq!(story.decide(&seen, Decision::Accept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_changes_while_a_review_waits_is_told_without_asking() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "x\n").await;
    story.opened().await;
    fs::remove_file(&story.file).unwrap();
    assert!(story.changed().await.stale);
}

#[tokio::test(start_paused = true)]
async fn nothing_unchanged_and_nothing_empty_can_be_accepted() {
    let mut story = Story::begin().await;
    story
        .agent()
        .await
        .open_diff(&story.file, "one\n2\nthree\n")
        .await;
    let review = story.opened().await;
    let (id, revision) = (review.id, review.revision);
    story
        .desk
        .request(Request::KeepHunks {
            id,
            revision,
            hunks: vec![0],
            keep: false,
        })
        .await
        .unwrap();
    let review = story.changed().await;
    assert_eq!(
        story.decide(&review, Decision::Accept).await,
        Err(Refusal::Unchanged)
    );
    story.type_over(&review, "").await;
    let review = story.changed().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Err(Refusal::Empty));
    story.type_over(&review, "\n").await;
    let review = story.changed().await;
    assert_eq!(story.decide(&review, Decision::Accept).await, Ok(()));

    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "").await;
    let review = story.opened().await;
    assert_eq!(
        story.decide(&review, Decision::Accept).await,
        Ok(()),
        "the proposal itself is empty"
    );
}

#[tokio::test(start_paused = true)]
async fn context_follows_fifty_milliseconds_after_a_move_and_begins_every_stream() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    let mut stream = agent.stream().await;
    assert!(
        stream.frames.recv().await.unwrap().contains("ide/contextUpdate"),
        "at once"
    );
    agent.events.send(Event::StreamDrained {
        session: agent.session.clone(),
    });
    let active = ActiveFile {
        path: story.file.clone(),
        ..ActiveFile::default()
    };
    let report = ContextReport {
        active: Some(active),
        ..ContextReport::default()
    };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    let before = Instant::now();
    assert!(stream.frames.recv().await.unwrap().contains("a.txt"));
    assert!(
        before.elapsed() <= Duration::from_millis(100),
        "{:?}",
        before.elapsed()
    );
    let mut newest = agent.stream().await;
    assert_eq!(stream.frames.recv().await, None, "the newest stream wins");
    assert!(newest.frames.recv().await.unwrap().contains("a.txt"));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_read_holds_nobody_up_and_finds_only_the_newest_context() {
    let story = Story::begin().await;
    let (lazy, quick) = (story.agent().await, story.agent().await);
    let (mut unread, mut read) = (lazy.stream().await, quick.stream().await);
    for name in 0..50 {
        let path = Path::new(&story.file)
            .with_file_name(format!("{name}.rs"))
            .to_str()
            .unwrap()
            .to_owned();
        fs::write(&path, "").unwrap();
        let active = ActiveFile {
            path,
            ..ActiveFile::default()
        };
        story.desk.send(Request::ChangeContext(ContextReport {
            active: Some(active),
            ..ContextReport::default()
        }));
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    let mut last = String::new();
    while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_millis(500), read.frames.recv()).await {
        quick.events.send(Event::StreamDrained {
            session: quick.session.clone(),
        });
        last = frame;
    }
    assert!(last.contains("/49.rs"));
    let mut frames = 0;
    while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_millis(500), unread.frames.recv()).await {
        lazy.events.send(Event::StreamDrained {
            session: lazy.session.clone(),
        });
        last = frame;
        frames += 1;
    }
    assert!(last.contains("/49.rs") && frames <= 2, "{frames} frames");
}

#[tokio::test(start_paused = true)]
async fn stopping_rejects_what_waits_then_ends_streams_then_removes_files() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let record = story
        .directory
        .path()
        .join(format!("tmp/gemini-ide-server-{}.json", std::process::id()));
    assert!(record.exists());
    let mut stream = {
        let agent = story.agent().await;
        let stream = agent.stream().await;
        agent.open_diff(&file, "one\n2\nthree\n").await;
        stream
    };
    let review = story.opened().await;
    story.type_over(&review, "typed\n").await;
    let Story {
        directory, companion, ..
    } = story;
    let stopped = tokio::spawn(companion.stop());
    assert_eq!(outcome(&mut stream).await.0["method"], "ide/diffRejected");
    assert!(record.exists());
    assert_eq!(stream.frames.recv().await, None);
    drop(stream);
    stopped.await.unwrap();
    assert!(!record.exists());
    let drafts = Drafts::open(&Places::below(directory.path()));
    assert_eq!(drafts.read(&drafts.list().unwrap()[0].id).unwrap(), "typed\n");
}

#[tokio::test(start_paused = true)]
async fn a_desk_that_leaves_decides_nothing_and_one_that_joins_is_shown_what_waits() {
    let mut story = Story::begin().await;
    story.agent().await.open_diff(&story.file, "x\n").await;
    let review = story.opened().await;
    story.desk = story.companion.join();
    let again = story.opened().await;
    assert_eq!((again.id, again.revision), (review.id, review.revision));
    assert_eq!(story.decide(&again, Decision::Accept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn roots_that_change_reach_the_files_and_agents_stay() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    let _stream = agent.stream().await;
    let record = story
        .directory
        .path()
        .join(format!("tmp/gemini-ide-server-{}.json", std::process::id()));
    let roots = || {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
        record["workspacePath"].as_str().unwrap().to_owned()
    };
    assert!(roots().ends_with("/project"));
    let other = story.directory.path().join("other");
    assert!(
        story.companion.set_roots(vec![other.clone()]).await.is_err(),
        "it does not exist"
    );
    assert!(roots().ends_with("/project"));
    fs::create_dir(&other).unwrap();
    story
        .companion
        .set_roots(vec![other, Path::new(&story.file).parent().unwrap().to_owned()])
        .await
        .unwrap();
    assert!(
        roots().contains("/other:") && roots().ends_with("/project"),
        "{}",
        roots()
    );
    assert!(agent.is_known().await);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_vanishes_drops_out() {
    let story = Story::begin().await;
    let agent = story.agent().await;
    let mut stream = agent.stream().await;
    let active = ActiveFile {
        path: story.file.clone(),
        ..ActiveFile::default()
    };
    let report = ContextReport {
        active: Some(active),
        ..ContextReport::default()
    };
    story.desk.request(Request::ChangeContext(report)).await.unwrap();
    let mut told = async || {
        let frame = tokio::time::timeout(Duration::from_secs(5), stream.frames.recv())
            .await
            .expect("a context comes");
        agent.events.send(Event::StreamDrained {
            session: agent.session.clone(),
        });
        frame.unwrap()
    };
    while !told().await.contains("a.txt") {}
    fs::remove_file(&story.file).unwrap();
    while told().await.contains("a.txt") {}
}

#[tokio::test(start_paused = true)]
async fn the_target_is_never_written() {
    let mut story = Story::begin().await;
    let file = story.file.clone();
    let before = (
        fs::read(&file).unwrap(),
        fs::metadata(&file).unwrap().modified().unwrap(),
    );
    let untouched = || {
        assert_eq!(
            (
                fs::read(&file).unwrap(),
                fs::metadata(&file).unwrap().modified().unwrap()
            ),
            before
        )
    };
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
async fn a_workspace_that_vanishes_is_said_once_and_hurts_nobody() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let _stream = agent.stream().await;
    let session = agent.session.clone();
    story.agent().await.open_diff(&story.file, "x\n").await;
    fs::remove_dir_all(story.directory.path().join("project")).unwrap();
    let mut said = 0;
    let deadline = Instant::now() + Duration::from_secs(5);
    while let Ok(Ok(event)) = tokio::time::timeout_at(deadline, story.desk.next()).await {
        said +=
            usize::from(matches!(event, desk::Event::Problem(problem) if problem.what.contains("/project")));
    }
    assert_eq!(said, 1);
    let agent = Agent {
        events: &story.companion.hub.events,
        session,
    };
    assert_eq!(
        agent.open_diff(&story.file, "y\n").await,
        CallToolResult::default()
    );
}
