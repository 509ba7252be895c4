//! Tests of the main loop with a paused clock: every deadline of the contract, without waiting.

mod context;
mod drafts;
mod editor;
mod file_scan;
mod journal;
mod journal_writes;
mod kill_points;
mod outcomes;
mod reviews;
mod sessions;
mod sleep;
mod test_directory;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use alongside_contract::mcp::{CallToolResult, Implementation};
use alongside_contract::rpc::Id;
use alongside_desk::{
    ActiveFile, Change, Closed, Closing, ContextReport, Decision, Desk, OpenFile, Refusal, Request, Review,
    ReviewId,
};

use test_directory::TestDirectory;

use super::*;
use crate::agents::credential::Credential;
use crate::events::OpenStream;
use crate::persistence::drafts::Drafts;
use crate::reviews::proposal::Proposal;
use crate::{AppDirs, Builder, Companion, Editor, PortHold};

/// Other tests of this program start programs. Until such a child runs its own, it has whatever was open
/// here: the lock of a journal and the port of a companion that has ended. A successor would wait for them,
/// but not on a clock that stands still.
fn until_children_run_programs_of_their_own() {
    let (own, ours) = (std::process::id().to_string(), std::env::current_exe().unwrap());
    let is_one = |directory: &Path| {
        let stat = fs::read_to_string(directory.join("stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1));
        parent == Some(own.as_str()) && fs::read_link(directory.join("exe")).is_ok_and(|exe| exe == ours)
    };
    let processes = || fs::read_dir("/proc").into_iter().flatten().flatten();
    while processes().any(|process| is_one(&process.path())) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

struct Story {
    directory: TestDirectory,
    companion: Companion,
    desk: Desk,
    reviews: HashMap<ReviewId, Review>,
    file: String,
    /// Holds the port until a successor has it, as desks do.
    hold: Option<PortHold>,
}

/// An agent, without the HTTP.
struct Agent<'a> {
    events: &'a Events,
    session: String,
}

impl Story {
    async fn begin() -> Self {
        Self::of(|builder| builder).await
    }

    async fn of(which: impl FnOnce(Builder) -> Builder) -> Self {
        let directory = TestDirectory::new();
        for below in ["tmp", "home", "project"] {
            fs::create_dir(directory.path().join(below)).unwrap();
        }
        let project = directory.path().join("project");
        fs::write(project.join("a.txt"), "one\ntwo\nthree\n").unwrap();
        let companion = which(builder(directory.path())).start().await.unwrap();
        let desk = companion.join();
        let file = project.join("a.txt").to_str().unwrap().to_owned();
        Self { directory, companion, desk, reviews: HashMap::new(), file, hold: None }
    }

    async fn agent(&self) -> Agent<'_> {
        self.agent_with(Credential::Token(None)).await
    }

    async fn agent_with(&self, credential: Credential) -> Agent<'_> {
        let events = &self.companion.events;
        let client = Implementation { name: "gemini-cli-test".into(), version: "1".into(), title: None };
        let wanted =
            |welcomed| Event::SessionWanted { client, version: "2025-06-18".into(), credential, welcomed };
        Agent { events, session: events.ask(wanted).await.unwrap().unwrap() }
    }

    async fn next(&mut self) -> desk::Event {
        tokio::time::timeout(Duration::from_secs(300), self.desk.next())
            .await
            .expect("the desk is told")
            .unwrap()
    }

    /// Another companion takes the place of this one, which is gone, and is told to this desk.
    async fn succeeded_by(&mut self, which: impl FnOnce(Builder) -> Builder) {
        until_children_run_programs_of_their_own();
        let mut builder = which(builder(self.directory.path()));
        if let Some(hold) = &self.hold {
            builder = builder.port_hold(hold.clone());
        }
        self.companion = builder.start().await.unwrap();
        self.desk = self.companion.join();
    }

    async fn problem(&mut self) -> Problem {
        loop {
            if let desk::Event::Problem(problem) = self.next().await {
                return problem;
            }
        }
    }

    /// The first status of which this is true.
    async fn status(&mut self, mut is: impl FnMut(&Status) -> bool) -> Status {
        loop {
            match self.next().await {
                desk::Event::Status(status) if is(&status) => return status,
                _ => {}
            }
        }
    }

    async fn opened(&mut self) -> Review {
        loop {
            if let desk::Event::Opened(review) = self.next().await {
                self.reviews.insert(review.id, review.clone());
                return review;
            }
        }
    }

    async fn changed(&mut self) -> Review {
        loop {
            if let desk::Event::Changed(changed) = self.next().await {
                let review = self.reviews.get_mut(&changed.id).expect("it was opened");
                review.take(changed).expect("in step");
                return review.clone();
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
        let changes = vec![Change { range: None, text: text.into() }];
        let edit = Request::EditReview { id: review.id, revision: review.revision, changes };
        self.desk.request(edit).await.unwrap().revision
    }

    async fn decide(&self, review: &Review, decision: Decision) -> Result<(), Refusal> {
        let decide = Request::DecideReview { id: review.id, revision: review.revision, decision };
        self.desk.request(decide).await.map(drop)
    }

    /// The texts of all drafts, once the companion has stopped and so written everything.
    async fn drafts(self) -> Vec<String> {
        self.companion.stop().await;
        let drafts = Drafts::open(&AppDirs::below(self.directory.path()));
        drafts.list().unwrap().iter().map(|draft| drafts.read(&draft.id).unwrap()).collect()
    }
}

/// A companion of the project below this directory.
fn builder(directory: &Path) -> Builder {
    Companion::builder().root(directory.join("project")).app_dirs(AppDirs::below(directory))
}

impl Agent<'_> {
    async fn stream(&self) -> OpenStream {
        let session = self.session.clone();
        self.events.ask(|opened| Event::StreamWanted { session, opened }).await.unwrap().unwrap()
    }

    async fn open_diff(&self, file: &str, text: &str) -> CallToolResult {
        let request = self.begins_request().await.unwrap();
        let opened = self.open_diff_by(request, file, text).await;
        self.ends_request();
        opened
    }

    /// The number of a request that begins, if the session is known.
    async fn begins_request(&self) -> Option<u64> {
        let session = self.session.clone();
        self.events.ask(|known| Event::RequestStarted { session, known }).await.unwrap()
    }

    fn ends_request(&self) {
        self.events.send(Event::RequestRead { session: self.session.clone() });
    }

    /// Proposes a text in a request that has started.
    async fn open_diff_by(&self, request: u64, file: &str, text: &str) -> CallToolResult {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let proposal = Box::new(Proposal::prepare(file.into(), text.into()));
        self.events
            .ask(|answer| Event::OpenDiff { session, request, file_path, proposal, answer })
            .await
            .unwrap()
            .unwrap()
    }

    async fn close_diff(&self, file: &str) -> Option<String> {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let answer = self.events.ask(|answer| Event::CloseDiff { session, file_path, answer }).await;
        answer.unwrap().unwrap().map(|text| text.to_string())
    }

    async fn is_known(&self) -> bool {
        let known = self.begins_request().await.is_some();
        self.ends_request();
        known
    }
}

/// The next frame that tells an outcome, and the ping that follows it.
async fn outcome(stream: &mut OpenStream) -> (serde_json::Value, Id) {
    loop {
        if let [outcome, ping] = messages(stream).await.as_slice() {
            return (outcome.clone(), serde_json::from_value(ping["id"].clone()).unwrap());
        }
    }
}

/// The messages of the next frame.
async fn messages(stream: &mut OpenStream) -> Vec<serde_json::Value> {
    let wait = tokio::time::timeout(Duration::from_secs(120), stream.frames.recv());
    let frame = wait.await.expect("a frame comes").expect("the stream is open");
    stream.events.send(Event::StreamDrained { session: stream.session.clone() });
    let lines = frame.lines();
    lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

async fn nothing_within(stream: &mut OpenStream, time: Duration) {
    let deadline = Instant::now() + time;
    while let Ok(frame) = tokio::time::timeout_at(deadline, stream.frames.recv()).await {
        let frame = frame.expect("the stream is open");
        assert!(frame.contains("ide/contextUpdate"), "unexpected: {frame}");
        stream.events.send(Event::StreamDrained { session: stream.session.clone() });
    }
}
