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
mod unprepared;

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
use crate::long_work::MAX_INLINE_BYTES;
use crate::persistence::drafts::Drafts;
use crate::reviews::ground::Ground;
use crate::reviews::large_text::LargeText;
use crate::reviews::proposal::PreparedProposal;
use crate::{AppDirs, Builder, Companion, Editor, PortHold, StartError, Workspace};

/// Waits until no child of this process is between fork and exec. Other tests of this program start programs,
/// and until its exec such a child has the files that are open here, as a journal's lock and a port. A
/// successor cannot wait for those while the clock is paused.
fn wait_for_children_to_exec() {
    let (own, ours) = (std::process::id().to_string(), std::env::current_exe().unwrap());
    let is_before_exec = |directory: &Path| {
        let stat = fs::read_to_string(directory.join("stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1));
        parent == Some(own.as_str()) && fs::read_link(directory.join("exe")).is_ok_and(|exe| exe == ours)
    };
    let processes = || fs::read_dir("/proc").into_iter().flatten().flatten();
    while processes().any(|process| is_before_exec(&process.path())) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A companion of a project with one file, and a desk that has joined the companion.
struct Story {
    directory: TestDirectory,
    companion: Companion,
    desk: Desk,
    reviews: HashMap<ReviewId, Review>,
    file: String,
    /// The hold on the port until a successor has it, as desks hold it. Only Linux has holds.
    hold: Option<PortHold>,
}

/// The session of an agent, used through the events of the main loop without HTTP.
struct Agent {
    events: Events,
    session: String,
}

impl Story {
    async fn begin() -> Self {
        Self::with_builder(|builder| builder).await
    }

    async fn with_journal() -> Self {
        Self::with_builder(|builder| builder.journal_as("k")).await
    }

    async fn with_builder(configure: impl FnOnce(Builder) -> Builder) -> Self {
        let directory = TestDirectory::new();
        for below in ["tmp", "home", "project"] {
            fs::create_dir(directory.path().join(below)).unwrap();
        }
        let project = directory.path().join("project");
        fs::write(project.join("a.txt"), "one\ntwo\nthree\n").unwrap();
        let companion = configure(builder(directory.path())).start().await.unwrap();
        let desk = companion.join();
        let file = project.join("a.txt").to_str().unwrap().to_owned();
        Self { directory, companion, desk, reviews: HashMap::new(), file, hold: None }
    }

    /// Begins a story with an agent whose stream is open.
    async fn with_listener() -> (Self, Agent, OpenStream) {
        let story = Self::begin().await;
        let (agent, stream) = story.listener().await;
        (story, agent, stream)
    }

    async fn agent(&self) -> Agent {
        self.agent_with(Credential::Token(None)).await
    }

    /// Begins a session and opens its stream.
    async fn listener(&self) -> (Agent, OpenStream) {
        let agent = self.agent().await;
        let stream = agent.stream().await;
        (agent, stream)
    }

    async fn agent_with(&self, credential: Credential) -> Agent {
        let session = self.begin_session("gemini-cli-test", credential).await.unwrap();
        self.agent_of(session)
    }

    /// Returns the agent of a session, which may have begun at an earlier companion.
    fn agent_of(&self, session: String) -> Agent {
        Agent { events: self.companion.events.clone(), session }
    }

    /// Begins a session for a client with this name, which is its version as well.
    async fn begin_session(&self, name: &str, credential: Credential) -> Result<String, SessionRefusal> {
        let client = Implementation { name: name.into(), version: name.into(), title: None };
        let version = "2025-06-18".into();
        let transport = Transport::Http;
        let identity = Identity::new(client, version, credential, transport);
        let request = |answer| Event::SessionWanted { identity, answer };
        self.companion.events.ask(request).await.unwrap()
    }

    /// Proposes a text for the file as a new agent, and returns the review.
    async fn propose(&mut self, text: &str) -> Review {
        let agent = self.agent().await;
        self.propose_as(&agent, text).await
    }

    async fn propose_as(&mut self, agent: &Agent, text: &str) -> Review {
        agent.open_diff(&self.file, text).await.unwrap();
        self.next_opened().await
    }

    /// Returns a proposal by a hook for a file of the project.
    fn hook_proposal(&self, below: &str, text: &str) -> HookProposal {
        HookProposal {
            agent: "Codex".into(),
            session: "s".into(),
            file: self.path(&format!("project/{below}")).to_str().unwrap().to_owned(),
            proposed: text.into(),
            patience_ms: 60_000,
            agent_pid: Some(std::process::id()),
            ..HookProposal::default()
        }
    }

    /// Reports that the person has moved to a file.
    async fn focus(&self, path: &str) {
        let active = ActiveFile { path: path.to_owned(), ..ActiveFile::default() };
        self.report(ContextReport { active: Some(active), ..ContextReport::default() }).await;
    }

    async fn report(&self, report: ContextReport) {
        self.desk.request(Request::ChangeContext(report)).await.unwrap();
    }

    /// Replaces the workspace by one with these roots, without exclusions and without rules.
    async fn set_roots(&self, roots: Vec<PathBuf>) -> Result<Vec<Problem>, StartError> {
        self.companion.set_workspace(Workspace { roots, ..Workspace::default() }).await
    }

    /// A path in the test's directory, with the separators of the system.
    fn path(&self, below: &str) -> PathBuf {
        self.directory.path().join(below).components().collect()
    }

    fn app_dirs(&self) -> AppDirs {
        AppDirs::below(self.directory.path())
    }

    async fn next(&mut self) -> desk::Event {
        tokio::time::timeout(Duration::from_secs(300), self.desk.next())
            .await
            .expect("an event comes")
            .unwrap()
    }

    /// Hands the companion over. Until `succeed`, a companion of another project stands in its place.
    async fn interrupt(&mut self) {
        let take_hold = || PortHold::take(self.companion.addresses()).unwrap();
        self.hold = cfg!(target_os = "linux").then(take_hold);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::create_dir(elsewhere.path().join("project")).unwrap();
        let other = builder(elsewhere.path()).start().await.unwrap();
        std::mem::replace(&mut self.companion, other).hand_over().await;
        self.desk = desk::pair().0;
    }

    /// Interrupts the companion, and changes its journal to that of a crash.
    async fn crash(&mut self) {
        self.interrupt().await;
        let journal = self.path("state/journal/own-k.json");
        let journaled = fs::read_to_string(&journal).unwrap();
        let crashed = journaled.replace("\"handedOver\":true", "\"handedOver\":false");
        assert_ne!(journaled, crashed);
        fs::write(journal, crashed).unwrap();
    }

    /// Starts a companion in place of the interrupted one, and joins it as a desk.
    async fn succeed(&mut self) {
        wait_for_children_to_exec();
        let mut builder = builder(self.directory.path()).journal_as("k");
        if let Some(hold) = &self.hold {
            builder = builder.port_hold(hold.clone());
        }
        self.companion = builder.start().await.unwrap();
        self.desk = self.companion.join();
    }

    /// Returns the next notice.
    async fn next_notice(&mut self) -> String {
        loop {
            if let desk::Event::Notice { message } = self.next().await {
                return message;
            }
        }
    }

    async fn next_problem(&mut self) -> Problem {
        loop {
            if let desk::Event::Problem(problem) = self.next().await {
                return problem;
            }
        }
    }

    /// Returns the next status of which `is` is true.
    async fn next_status(&mut self, mut is: impl FnMut(&Status) -> bool) -> Status {
        loop {
            match self.next().await {
                desk::Event::Status(status) if is(&status) => return status,
                _ => {}
            }
        }
    }

    async fn next_opened(&mut self) -> Review {
        loop {
            if let desk::Event::Opened(review) = self.next().await {
                self.reviews.insert(review.id, review.clone());
                return review;
            }
        }
    }

    async fn next_changed(&mut self) -> Review {
        loop {
            if let desk::Event::Changed(changed) = self.next().await {
                let review = self.reviews.get_mut(&changed.id).expect("its review was opened");
                review.take(changed).expect("the change follows the last revision");
                return review.clone();
            }
        }
    }

    async fn next_closed(&mut self) -> Closed {
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

    /// Stops the companion, which then writes all drafts, and returns their texts.
    async fn drafts(self) -> Vec<String> {
        let drafts = Drafts::open(&self.app_dirs());
        self.companion.stop().await;
        draft_texts(&drafts)
    }
}

/// Starts a program that runs until it is killed.
fn start_waiting_program() -> std::process::Child {
    let program = if cfg!(windows) { "cmd" } else { "cat" };
    let mut waiting = std::process::Command::new(program);
    waiting.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap()
}

fn draft_texts(drafts: &Drafts) -> Vec<String> {
    drafts.list().unwrap().iter().map(|draft| drafts.read(&draft.id).expect("a draft is whole")).collect()
}

/// Returns a report of one open file.
fn report_of_open_file(path: &str, dirty: bool) -> ContextReport {
    let open_files = Some(vec![OpenFile { path: path.to_owned(), dirty }]);
    ContextReport { open_files, ..ContextReport::default() }
}

/// Returns the builder of a companion of the project below this directory.
fn builder(directory: &Path) -> Builder {
    Companion::builder().root(directory.join("project")).app_dirs(AppDirs::below(directory))
}

impl Agent {
    async fn stream(&self) -> OpenStream {
        let session = self.session.clone();
        self.events.ask(|answer| Event::StreamWanted { session, answer }).await.unwrap().unwrap()
    }

    /// Proposes a text. A large text is compared with its file after the answer, as by HTTP.
    async fn open_diff(&self, file: &str, text: &str) -> Result<(), NotOpened> {
        if text.len() > MAX_INLINE_BYTES {
            self.end_preparation(self.open_unprepared(file, text).await);
            return Ok(());
        }
        let request = self.begin_request().await.unwrap();
        let opened = self.open_diff_by(request, file, text).await;
        self.end_request();
        opened
    }

    /// Begins a request. Returns `None` if the session is unknown.
    async fn begin_request(&self) -> Option<StartedRequest> {
        let session = self.session.clone();
        self.events.ask(|answer| Event::RequestStarted { session, answer }).await.unwrap()
    }

    fn end_request(&self) {
        self.events.send(Event::RequestRead { session: self.session.clone() });
    }

    /// Proposes a text in a request that has started.
    async fn open_diff_by(&self, request: StartedRequest, file: &str, text: &str) -> Result<(), NotOpened> {
        let (session, file_path) = (self.session.clone(), file.to_owned());
        let StartedRequest { number: request, roots } = request;
        let prepared = PreparedProposal::prepare(file.into(), text, &Ground::new(&roots, None));
        let proposal = Proposal::Prepared(prepared.map(|proposal| Box::new(proposal.judged_by(roots))));
        let open = OpenDiff { request, file_path, call: None, proposal };
        self.events.ask(|answer| Event::OpenDiff { session, open, answer }).await.unwrap()
    }

    /// Proposes a text whose comparison ends with [`end_preparation`](Self::end_preparation). Returns the
    /// text and the prepared proposal.
    async fn open_unprepared(&self, file: &str, text: &str) -> (Arc<LargeText>, PreparedProposal) {
        let StartedRequest { number: request, roots } = self.begin_request().await.unwrap();
        let prepared = PreparedProposal::prepare(file.into(), text, &Ground::new(&roots, None)).unwrap();
        let proposed = Arc::new(LargeText::from(text.to_owned()));
        let (session, proposal) = (self.session.clone(), Proposal::Unprepared(proposed.clone()));
        let open = OpenDiff { request, file_path: file.to_owned(), call: None, proposal };
        self.events.ask(|answer| Event::OpenDiff { session, open, answer }).await.unwrap().unwrap();
        self.end_request();
        (proposed, prepared.judged_by(roots))
    }

    /// Reports that a proposal is compared with its file.
    fn end_preparation(&self, (proposed, prepared): (Arc<LargeText>, PreparedProposal)) {
        self.events.send(Event::ProposalPrepared { proposed, prepared: Some(Box::new(prepared)) });
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
        let known = self.begin_request().await.is_some();
        self.end_request();
        known
    }
}

/// Returns the next outcome, and the id of the ping in its frame.
async fn next_outcome(stream: &mut OpenStream) -> (serde_json::Value, Id) {
    loop {
        if let [outcome, ping] = next_messages(stream).await.as_slice() {
            return (outcome.clone(), serde_json::from_value(ping["id"].clone()).unwrap());
        }
    }
}

/// Returns the messages of the next frame.
async fn next_messages(stream: &mut OpenStream) -> Vec<serde_json::Value> {
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

/// Checks that no frame but those of the context comes in this time.
async fn expect_only_context_within(stream: &mut OpenStream, time: Duration) {
    let deadline = Instant::now() + time;
    while let Some(frame) = frame_within(stream, deadline - Instant::now()).await {
        assert!(frame.contains("ide/contextUpdate"), "unexpected: {frame}");
    }
}

/// Waits on the test's clock until `is` is true. `what` names the condition in the panic.
async fn wait_until(what: &str, is: impl Fn() -> bool) {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.expect(what);
}
