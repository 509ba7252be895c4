//! An agent whose stream was cut begins another session beside the first one, and is listed once.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use alongside_platform::connection::Ends;

use super::*;

/// A connection whose client is this process, or a program of its own.
struct Connection {
    ends: Ends,
    _sockets: (Option<TcpStream>, TcpStream),
    program: Option<Child>,
}

impl Connection {
    fn of_this_process() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        Self::accept(&listener, Some(client), None)
    }

    fn of_another_process() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && read -r line");
        let program = Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
        Self::accept(&listener, None, Some(program))
    }

    fn accept(listener: &TcpListener, client: Option<TcpStream>, program: Option<Child>) -> Self {
        let (accepted, address) = listener.accept().unwrap();
        let ends = Ends { client: address, server: accepted.local_addr().unwrap() };
        Self { ends, _sockets: (client, accepted), program }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(program) = &mut self.program {
            program.kill().unwrap();
            program.wait().unwrap();
        }
    }
}

impl Story {
    /// A session of a program called `name`, over this connection.
    async fn agent_over(&self, connection: &Connection, name: &str) -> Agent {
        let client = Implementation { name: name.into(), ..Implementation::default() };
        let new = NewSession { client, version: "2025-06-18".into(), credential: Credential::Token(None) };
        let ends = Some(connection.ends);
        let wanted = |welcomed| Event::SessionWanted { new, ends, welcomed };
        self.agent_of(self.companion.events.ask(wanted).await.unwrap().unwrap())
    }

    /// The listed agents: the number of each, and whether it listens.
    async fn listed(&self) -> Vec<(u64, bool)> {
        let agents = self.companion.status().await.agents;
        agents.into_iter().map(|agent| (agent.number, agent.listening)).collect()
    }
}

impl Agent {
    async fn stream_over(&self, connection: &Connection) -> OpenStream {
        let (session, ends) = (self.session.clone(), Some(connection.ends));
        self.events.ask(|opened| Event::StreamWanted { session, ends, opened }).await.unwrap().unwrap()
    }

    /// A stream is cut, and the agent opens another.
    async fn interrupted_over(&self, connection: &Connection) -> OpenStream {
        drop(self.stream_over(connection).await);
        self.stream_over(connection).await
    }
}

/// Only Linux shows the processes of connections.
fn is_told() -> bool {
    if !cfg!(target_os = "linux") {
        alongside_testing::skip("this system does not show the processes of connections");
    }
    cfg!(target_os = "linux")
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_begins_another_session_is_listed_once() {
    if !is_told() {
        return;
    }
    let story = Story::begin().await;
    let (one, other) = (Connection::of_this_process(), Connection::of_this_process());
    let first = story.agent_over(&one, "an agent").await;
    let mut old_stream = first.interrupted_over(&one).await;
    assert_eq!(story.listed().await, [(1, true)]);
    let second = story.agent_over(&other, "an agent").await;
    assert_eq!(story.listed().await, [(1, true)], "it is not away meanwhile");
    let stream = second.stream_over(&other).await;
    assert_eq!(story.listed().await, [(1, true)]);
    assert!(first.is_known().await, "its end would disconnect the agent");
    while let Ok(frame) = old_stream.frames.try_recv() {
        assert!(frame.starts_with("data") || frame.starts_with("event"), "{frame}");
    }
    assert!(!old_stream.frames.is_closed());

    drop(stream);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(story.listed().await, [], "the earlier session comes back");
}

#[tokio::test(start_paused = true)]
async fn an_earlier_session_that_returns_late_is_not_listed() {
    if !is_told() {
        return;
    }
    let story = Story::begin().await;
    let (one, other) = (Connection::of_this_process(), Connection::of_this_process());
    let first = story.agent_over(&one, "an agent").await;
    drop(first.stream_over(&one).await);
    let second = story.agent_over(&other, "an agent").await;
    let _stream = second.stream_over(&other).await;
    let _old_stream = first.stream_over(&one).await;
    assert_eq!(story.listed().await, [(2, true)]);
}

#[tokio::test(start_paused = true)]
async fn different_agents_are_listed_each() {
    if !is_told() {
        return;
    }
    let story = Story::begin().await;
    let (one, other) = (Connection::of_this_process(), Connection::of_another_process());
    let cut = story.agent_over(&one, "an agent").await;
    let _cut = cut.interrupted_over(&one).await;
    let elsewhere = story.agent_over(&other, "an agent").await;
    let _elsewhere = elsewhere.stream_over(&other).await;
    let unlike = story.agent_over(&one, "another agent").await;
    let _unlike = unlike.stream_over(&one).await;
    assert_eq!(story.listed().await, [(1, true), (2, true), (3, true)]);
}

#[tokio::test(start_paused = true)]
async fn agents_of_one_process_that_nothing_cut_are_listed_each() {
    if !is_told() {
        return;
    }
    let story = Story::begin().await;
    let one = Connection::of_this_process();
    let (first, second) =
        (story.agent_over(&one, "an agent").await, story.agent_over(&one, "an agent").await);
    let _streams = (first.stream_over(&one).await, second.stream_over(&one).await);
    assert_eq!(story.listed().await, [(1, true), (2, true)]);
}

#[tokio::test(start_paused = true)]
async fn each_new_session_takes_the_place_of_one_only() {
    if !is_told() {
        return;
    }
    let story = Story::begin().await;
    let tunnel = Connection::of_this_process();
    let cut = [story.agent_over(&tunnel, "an agent").await, story.agent_over(&tunnel, "an agent").await];
    let _cut = (cut[0].interrupted_over(&tunnel).await, cut[1].interrupted_over(&tunnel).await);
    let again = story.agent_over(&tunnel, "an agent").await;
    let _again = again.stream_over(&tunnel).await;
    assert_eq!(story.listed().await, [(1, true), (2, true)]);
    let again = story.agent_over(&tunnel, "an agent").await;
    let _again = again.stream_over(&tunnel).await;
    assert_eq!(story.listed().await, [(1, true), (2, true)]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_proposes_is_of_an_agent_of_its_own() {
    if !is_told() {
        return;
    }
    let mut story = Story::begin().await;
    let tunnel = Connection::of_this_process();
    let first = story.agent_over(&tunnel, "an agent").await;
    let _first = first.interrupted_over(&tunnel).await;
    let second = story.agent_over(&tunnel, "an agent").await;
    let _second = second.stream_over(&tunnel).await;
    assert_eq!(story.listed().await, [(1, true)]);
    let review = story.proposed_by(&first, "x\n").await;
    assert_eq!(review.agent.number, 3);
    assert_eq!(story.listed().await, [(1, true), (3, true)]);
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_too_an_agent_is_listed_once() {
    if !is_told() {
        return;
    }
    let mut story = Story::with_journal().await;
    let connection = Connection::of_this_process();
    let mut sessions = vec![story.agent_over(&connection, "an agent").await.session];
    // Twice: the journal tells the second successor which session the agent does not use.
    for _ in 0..2 {
        story.interrupt().await;
        story.succeed().await;
        let mut streams = Vec::new();
        for session in &sessions {
            streams.push(story.agent_of(session.clone()).stream_over(&connection).await);
        }
        assert_eq!(story.listed().await.len(), 1);
        let again = story.agent_over(&connection, "an agent").await;
        let _stream = again.stream_over(&connection).await;
        assert_eq!(story.listed().await.len(), 1);
        sessions.push(again.session);
    }
}
