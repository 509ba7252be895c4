//! Tests of the main loop with a paused clock: every deadline of the contract, without waiting.

mod context;
mod drafts;
mod editor;
mod file_scan;
mod hooks;
mod journal;
mod journal_writes;
mod keepers;
mod kill_points;
mod last_words;
mod new_agents;
mod outcomes;
mod reviews;
mod rules;
mod sessions;
mod sleep;
mod test_directory;
mod turns;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_contract::family::Transport;
use alongside_contract::mcp::Implementation;
use alongside_contract::rpc::Id;
use alongside_desk::{
    ActiveFile, Change, Closed, Closing, ContextReport, Decision, Desk, OpenFile, Refusal, Request, Review,
    ReviewId,
};

use test_directory::TestDirectory;

use super::*;
use crate::agents::identity::Credential;
use crate::events::{Events, OpenStream, StartedRequest};
use crate::persistence::drafts::Drafts;
use crate::reviews::ground::Ground;
use crate::reviews::proposal::PreparedProposal;
use crate::{AppDirs, Builder, Companion, Editor, PortHold, StartError, Workspace};

/// Other tests of this program start programs. Until such a child runs its own, it has whatever was open
/// here, as a journal's lock and a port, for which a successor cannot wait on a clock that stands still.
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
struct Agent {
    events: Events,
    session: String,
}

impl Story {
    async fn begin() -> Self {
        Self::of(|builder| builder).await
    }

    async fn with_journal() -> Self {
        Self::of(|builder| builder.journal_as("k")).await
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

    /// A story with an agent that listens.
    async fn with_listener() -> (Self, Agent, OpenStream) {
        let story = Self::begin().await;
        let (agent, stream) = story.listener().await;
        (story, agent, stream)
    }

    async fn agent(&self) -> Agent {
        self.agent_with(Credential::Token(None)).await
    }

    /// A new agent that listens.
    async fn listener(&self) -> (Agent, OpenStream) {
        let agent = self.agent().await;
        let stream = agent.stream().await;
        (agent, stream)
    }

    async fn agent_with(&self, credential: Credential) -> Agent {
        let session = self.welcomed("gemini-cli-test", credential).await.unwrap();
        self.agent_of(session)
    }

    /// The agent of a session, which may be of another companion.
    fn agent_of(&self, session: String) -> Agent {
        Agent { events: self.companion.events.clone(), session }
    }

    /// The session of a client that gives itself this name, and this version.
    async fn welcomed(&self, name: &str, credential: Credential) -> Result<String, SessionRefusal> {
        let client = Implementation { name: name.into(), version: name.into(), title: None };
        let version = "2025-06-18".into();
        let transport = Transport::Http;
        let identity = Identity::new(client, version, credential, transport);
        let wanted = |answer| Event::SessionWanted { identity, answer };
        self.companion.events.ask(wanted).await.unwrap()
    }

    /// The review of a text that a new agent proposes for the file.
    async fn proposed(&mut self, text: &str) -> Review {
        let agent = self.agent().await;
        self.proposed_by(&agent, text).await
    }

    async fn proposed_by(&mut self, agent: &Agent, text: &str) -> Review {
        agent.open_diff(&self.file, text).await.unwrap();
        self.opened().await
    }

    /// A proposal of a hook for a file of the project.
    fn hooks(&self, below: &str, text: &str) -> HookProposal {
        HookProposal {
            agent: "Codex".into(),
            session: "s".into(),
            file: self.path("project").join(below).to_str().unwrap().to_owned(),
            proposed: text.into(),
            patience_ms: 60_000,
            agent_pid: Some(std::process::id()),
            ..HookProposal::default()
        }
    }

    /// The person goes to a file.
    async fn focus(&self, path: &str) {
        let active = ActiveFile { path: path.to_owned(), ..ActiveFile::default() };
        self.report(ContextReport { active: Some(active), ..ContextReport::default() }).await;
    }

    async fn report(&self, report: ContextReport) {
        self.desk.request(Request::ChangeContext(report)).await.unwrap();
    }

    /// Replaces the roots, and tells everything below them.
    async fn set_roots(&self, roots: Vec<PathBuf>) -> Result<Vec<Problem>, StartError> {
        self.companion.set_workspace(Workspace { roots, ..Workspace::default() }).await
    }

    /// A path in the test's directory.
    fn path(&self, below: &str) -> PathBuf {
        self.directory.path().join(below)
    }

    fn app_dirs(&self) -> AppDirs {
        AppDirs::below(self.directory.path())
    }

    async fn next(&mut self) -> desk::Event {
        tokio::time::timeout(Duration::from_secs(300), self.desk.next())
            .await
            .expect("the desk is told")
            .unwrap()
    }

    /// The companion is handed over. In its place stands one of another project, until the successor comes.
    async fn interrupt(&mut self) {
        self.hold = Some(PortHold::take(self.companion.addresses()).unwrap());
        let elsewhere = tempfile::tempdir().unwrap();
        fs::create_dir(elsewhere.path().join("project")).unwrap();
        let other = builder(elsewhere.path()).start().await.unwrap();
        std::mem::replace(&mut self.companion, other).hand_over().await;
        self.desk = desk::pair().0;
    }

    /// The companion crashes. In its place stands one of another project, until the successor comes.
    async fn crash(&mut self) {
        self.interrupt().await;
        let journal = self.path("state/journal/own-k.json");
        let left = fs::read_to_string(&journal).unwrap();
        let crashed = left.replace("\"handedOver\":true", "\"handedOver\":false");
        assert_ne!(left, crashed);
        fs::write(journal, crashed).unwrap();
    }

    /// Another companion takes the place of this one, which is gone, and a desk joins it.
    async fn succeed(&mut self) {
        until_children_run_programs_of_their_own();
        let mut builder = builder(self.directory.path()).journal_as("k");
        if let Some(hold) = &self.hold {
            builder = builder.port_hold(hold.clone());
        }
        self.companion = builder.start().await.unwrap();
        self.desk = self.companion.join();
    }

    /// The next notice.
    async fn notice(&mut self) -> String {
        loop {
            if let desk::Event::Notice { message } = self.next().await {
                return message;
            }
        }
    }

    async fn problem(&mut self) -> Problem {
        loop {
            if let desk::Event::Problem(problem) = self.next().await {
                return problem;
            }
        }
    }

    /// The next status of which `is` is true.
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

    async fn type_over(&self, review: &mut Review, text: &str) {
        let changes = vec![Change { range: None, text: text.into() }];
        let edit = Request::EditReview { id: review.id, revision: review.revision, changes };
        review.revision = self.desk.request(edit).await.unwrap().revision;
    }

    /// Returns the new revision.
    async fn drop_first_hunk(&self, review: &Review) -> u64 {
        let (id, revision) = (review.id, review.revision);
        let keep = Request::KeepHunks { id, revision, hunks: vec![0], keep: false };
        self.desk.request(keep).await.unwrap().revision
    }

    async fn decide(&self, review: &Review, decision: Decision) -> Result<(), Refusal> {
        let decide = Request::DecideReview { id: review.id, revision: review.revision, decision };
        self.desk.request(decide).await.map(drop)
    }

    /// The texts of all drafts, once the companion has stopped and so written everything.
    async fn drafts(self) -> Vec<String> {
        let drafts = Drafts::open(&self.app_dirs());
        self.companion.stop().await;
        texts(&drafts)
    }
}

fn texts(drafts: &Drafts) -> Vec<String> {
    drafts.list().unwrap().iter().map(|draft| drafts.read(&draft.id).expect("a draft is whole")).collect()
}

/// A report of one file.
fn open(path: &str, dirty: bool) -> ContextReport {
    let open_files = Some(vec![OpenFile { path: path.to_owned(), dirty }]);
    ContextReport { open_files, ..ContextReport::default() }
}

/// A companion of the project below this directory.
fn builder(directory: &Path) -> Builder {
    Companion::builder().root(directory.join("project")).app_dirs(AppDirs::below(directory))
}

impl Agent {
    async fn stream(&self) -> OpenStream {
        let session = self.session.clone();
        self.events.ask(|answer| Event::StreamWanted { session, answer }).await.unwrap().unwrap()
    }

    async fn open_diff(&self, file: &str, text: &str) -> Result<(), NotOpened> {
        let request = self.begins_request().await.unwrap();
        let opened = self.open_diff_by(request, file, text).await;
        self.ends_request();
        opened
    }

    /// A request that begins, if the session is known.
    async fn begins_request(&self) -> Option<StartedRequest> {
        let session = self.session.clone();
        self.events.ask(|answer| Event::RequestStarted { session, answer }).await.unwrap()
    }

    fn ends_request(&self) {
        self.events.send(Event::RequestRead { session: self.session.clone() });
    }

    /// Proposes a text in a request that has started.
    async fn open_diff_by(&self, request: StartedRequest, file: &str, text: &str) -> Result<(), NotOpened> {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let StartedRequest { number: request, roots } = request;
        let proposal = PreparedProposal::prepare(file.into(), text, &Ground::new(&roots, None));
        let proposal = proposal.map(|proposal| proposal.judged_by(roots.clone()));
        let open = Box::new(OpenDiff { request, file_path, call: None, proposal });
        self.events.ask(|answer| Event::OpenDiff { session, open, answer }).await.unwrap()
    }

    /// Ends the session. Returns whether there was one.
    async fn leave(&self) -> bool {
        let session = self.session.clone();
        self.events.ask(|answer| Event::SessionEnded { session, answer }).await.unwrap()
    }

    async fn close_diff(&self, file: &str) -> Option<String> {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let answer = self.events.ask(|answer| Event::CloseDiff { session, file_path, answer }).await;
        match answer.unwrap() {
            LastText::Text(text) => Some(text.to_string()),
            LastText::NoReview => None,
            LastText::UnknownSession => panic!("the session is known"),
        }
    }

    fn confirm(&self, ping: Id) {
        self.events.send(Event::Receipt { session: self.session.clone(), id: ping });
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
    messages_in(&frame_within(stream, Duration::from_secs(120)).await.expect("a frame comes"))
}

fn messages_in(frame: &str) -> Vec<serde_json::Value> {
    let lines = frame.lines();
    lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

fn text_of(frame: &[u8]) -> String {
    std::str::from_utf8(frame).expect("frames are text").to_owned()
}

/// Reads the next frame of an open stream; `None` if no frame comes in this time.
async fn frame_within(stream: &mut OpenStream, time: Duration) -> Option<String> {
    let frame = tokio::time::timeout(time, stream.frames.recv()).await.ok()?;
    stream.events.send(Event::StreamDrained { session: stream.session.clone() });
    Some(text_of(&frame.expect("the stream is open")))
}

async fn nothing_within(stream: &mut OpenStream, time: Duration) {
    let deadline = Instant::now() + time;
    while let Some(frame) = frame_within(stream, deadline - Instant::now()).await {
        assert!(frame.contains("ide/contextUpdate"), "unexpected: {frame}");
    }
}

/// Waits until something is so, on the clock of the test.
async fn wait_until(what: &str, is: impl Fn() -> bool) {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.expect(what);
}
