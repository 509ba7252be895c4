//! Measures the time from an agent's proposal to the first frame of the terminal desk. Companion, socket,
//! desk and agent run in one process here; in use, they run in several.

// The desk joins through a Unix socket, so the bench runs on Unix only.
#![cfg_attr(not(unix), allow(unused))]
#![allow(clippy::expect_used, reason = "a bench that cannot run says why")]

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use std::fmt;

use alongside_terminal::bench_desk::BenchDesk;
use divan::Bencher;
use divan::counter::BytesCount;
use inputs::{Case, few_in_tests};

const INPUTS: &[Input] = &[
    Input(Case::bytes(10 << 10, 4), Connection::BySocket),
    Input(Case::bytes(1 << 20, 400), Connection::BySocket),
    Input(Case::bytes(10 << 20, 400), Connection::BySocket),
    Input(Case::bytes(64 << 20, 400), Connection::BySocket),
    Input(Case::bytes(10 << 10, 4), Connection::Embedded),
    Input(Case::bytes(1 << 20, 400), Connection::Embedded),
    Input(Case::bytes(10 << 20, 400), Connection::Embedded),
    Input(Case::bytes(64 << 20, 400), Connection::Embedded),
];

/// The connection of a desk to the companion.
#[derive(Debug, Clone, Copy)]
enum Connection {
    BySocket,
    Embedded,
}

#[derive(Clone, Copy)]
struct Input(Case, Connection);

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:?}", self.0, self.1)
    }
}

#[cfg(unix)]
#[divan::bench(args = few_in_tests(INPUTS), max_time = 4)]
fn first_paint(bencher: Bencher<'_, '_>, input: &Input) {
    let (old, new) = input.0.texts();
    let world = std::cell::RefCell::new(world::World::new(input.1, &old, &new));
    bencher
        .counter(BytesCount::of_str(&new))
        .with_inputs(|| {
            world.borrow_mut().close_proposal();
            BenchDesk::new((160, 50))
        })
        .bench_local_values(|mut desk| {
            let mut world = world.borrow_mut();
            world.propose();
            desk.receive(world.opened_event());
            assert!(desk.draw_frame() > 1000, "something is drawn");
            desk
        });
}

#[cfg(unix)]
mod world {
    //! An agent, a companion, and a desk that is connected to the companion.

    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpStream;

    use alongside_companion::desk::socket::{self, FirstRequest, Goodbye, Hello, Welcome};
    use alongside_companion::desk::{Desk, Event};
    use alongside_companion::{AppDirs, Companion};
    use serde_json::{Value, json};
    use tokio::runtime::Runtime;

    use super::Connection;

    pub(crate) struct World {
        runtime: Runtime,
        desk: Desk,
        agent: BufReader<TcpStream>,
        open: Vec<u8>,
        close: Vec<u8>,
        is_open: bool,
        // Fields drop in this order: the companion ends before its directory is removed.
        _companion: Companion,
        _directory: tempfile::TempDir,
    }

    impl World {
        pub(crate) fn new(connection: Connection, old: &str, new: &str) -> Self {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let root = directory.path().join("project");
            for directory in [&root, &directory.path().join("tmp"), &directory.path().join("home")] {
                std::fs::create_dir(directory).expect("a directory");
            }
            let path = root.join("basket.rs");
            std::fs::write(&path, old).expect("the file is written");
            let runtime = Runtime::new().expect("a runtime");
            let builder = Companion::builder().root(&root).app_dirs(AppDirs::below(directory.path()));
            let companion = runtime.block_on(builder.start()).expect("a companion");
            let desk = runtime.block_on(async {
                match connection {
                    Connection::Embedded => companion.join(),
                    Connection::BySocket => join_through_socket(companion.join()).await,
                }
            });
            let stream = TcpStream::connect(("127.0.0.1", companion.port())).expect("the companion listens");
            stream.set_nodelay(true).expect("the socket takes options");
            let mut agent = BufReader::new(stream);
            let (port, token) = (companion.port(), companion.token());
            let start = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
            let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" } });
            send(&mut agent, &post(&start, "initialize", &hello));
            let session = read_response(&mut agent).expect("a session");
            let start = format!("{start}Mcp-Session-Id: {session}\r\n");
            let call = |name: &str, arguments: Value| {
                post(&start, "tools/call", &json!({ "name": name, "arguments": arguments }))
            };
            let open = call("openDiff", json!({ "filePath": path, "newContent": new }));
            let close = call("closeDiff", json!({ "filePath": path }));
            let (is_open, _companion, _directory) = (false, companion, directory);
            Self { runtime, desk, agent, open, close, is_open, _companion, _directory }
        }

        /// Closes the open proposal, if there is one, and waits for the last response to it.
        pub(crate) fn close_proposal(&mut self) {
            if !std::mem::take(&mut self.is_open) {
                return;
            }
            read_response(&mut self.agent);
            send(&mut self.agent, &self.close);
            while !matches!(self.next_event(), Event::Closed(_)) {}
            read_response(&mut self.agent);
        }

        pub(crate) fn propose(&mut self) {
            send(&mut self.agent, &self.open);
            self.is_open = true;
        }

        /// Waits for the desk's event of the proposal.
        pub(crate) fn opened_event(&mut self) -> Event {
            loop {
                let event = self.next_event();
                if matches!(event, Event::Opened(_)) {
                    return event;
                }
            }
        }

        fn next_event(&mut self) -> Event {
            self.runtime.block_on(self.desk.next()).expect("the companion lives")
        }
    }

    /// Returns a desk that reaches `desk` through a socket, as desks reach a host.
    async fn join_through_socket(desk: Desk) -> Desk {
        let (desk_end, host_end) = tokio::net::UnixStream::pair().expect("a pair of sockets");
        tokio::spawn(async move {
            let Ok(Some(FirstRequest::Join(_, arrival))) = socket::receive(host_end, "bench").await else {
                return;
            };
            arrival.serve(&Welcome::default(), desk, |_| {}, async || true, async || Goodbye::Stopped).await;
        });
        let mut hello = Hello::default();
        hello.initialization_options.alongside.protocol = socket::PROTOCOL;
        socket::join(desk_end, &hello).await.expect("the host takes desks").desk
    }

    fn post(start: &str, method: &str, params: &Value) -> Vec<u8> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let length = body.len();
        format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{start}Content-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    fn send(agent: &mut BufReader<TcpStream>, request: &[u8]) {
        agent.get_mut().write_all(request).expect("the companion reads");
    }

    /// Reads a response to its end. Returns the session that the response names.
    fn read_response(agent: &mut BufReader<TcpStream>) -> Option<String> {
        let (mut session, mut length, mut line) = (None, 0, String::new());
        while agent.read_line(&mut line).expect("the companion responds") > 2 {
            match line.trim_end().to_ascii_lowercase().split_once(": ") {
                Some(("mcp-session-id", value)) => session = Some(value.to_owned()),
                Some(("content-length", value)) => length = value.parse().expect("a length"),
                None => assert!(line.starts_with("HTTP/1.1 2"), "{line}"),
                _ => {}
            }
            line.clear();
        }
        let mut body = vec![0; length];
        agent.read_exact(&mut body).expect("the response is complete");
        session
    }
}

fn main() {
    divan::main();
}
