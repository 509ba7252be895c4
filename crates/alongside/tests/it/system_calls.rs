//! The system calls of a small proposal, counted by strace: a measure of work that no busy machine changes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Home, until};

/// The proposals whose system calls are counted.
const PROPOSALS: usize = 200;
/// The most system calls of one.
const MOST: usize = 14;

/// The calls that wait or wake: epoll, futex and timers.
const NOT_COUNTED: &str =
    "!epoll_wait,epoll_pwait,epoll_ctl,futex,timerfd_settime,restart_syscall,sched_yield,clock_nanosleep";

/// strace as it counts the calls of a process.
struct Strace(Child);

impl Strace {
    /// `None` where strace is missing, or may not follow others.
    fn follow(pid: u32, output: &Path) -> Option<Self> {
        let mut strace = Command::new("strace")
            .args(["-f", "-c", "-U", "calls,name", "-e", &format!("trace={NOT_COUNTED}"), "-o"])
            .arg(output)
            .args(["-p", &pid.to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let said = BufReader::new(strace.stderr.take()?);
        let follows = said.lines().map_while(Result::ok).any(|line| line.contains(" attached"));
        follows.then_some(Self(strace))
    }

    /// Detaches, and writes the counts.
    fn finish(mut self) {
        let pid = Pid::from_child(&self.0);
        kill_process(pid, Signal::INT).unwrap();
        self.0.wait().unwrap();
    }
}

/// An agent on one connection, as real agents have it.
struct Agent {
    stream: TcpStream,
    headers: String,
}

impl Agent {
    fn connect(home: &Home) -> Self {
        let record = home.record();
        let headers = format!(
            "Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n",
            record.port,
            record.auth_token.unwrap_or_default()
        );
        let stream = TcpStream::connect(("127.0.0.1", record.port)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut agent = Self { stream, headers };
        let client = json!({ "name": "gemini-cli-mcp-client", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let head = agent.post("initialize", &params);
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        agent.headers += &format!("Mcp-Session-Id: {session}\r\nMcp-Protocol-Version: 2025-06-18\r\n");
        agent
    }

    /// Sends a request. Returns the response, which is short.
    fn post(&mut self, method: &str, params: &Value) -> String {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let headers = &self.headers;
        let request = format!("POST /mcp HTTP/1.1\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
        self.stream.write_all(request.as_bytes()).unwrap();
        let (mut response, mut part) = (String::new(), [0; 4096]);
        loop {
            let length = self.stream.read(&mut part).unwrap();
            assert!(length > 0, "the companion closed the connection after {response:?}");
            response += std::str::from_utf8(&part[..length]).unwrap();
            if let Some((head, body)) = response.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                if body.len() == length.parse::<usize>().unwrap() {
                    assert!(
                        head.starts_with("HTTP/1.1 200") && !body.contains("\"isError\":true"),
                        "{response}"
                    );
                    return response;
                }
            }
        }
    }

    fn propose(&mut self, file: &str, text: &str) {
        let arguments = json!({ "filePath": file, "newContent": text });
        // Agents write the name first.
        let params = format!(r#"{{"name":"openDiff","arguments":{arguments}}}"#);
        self.post("tools/call", &serde_json::from_str(&params).unwrap());
    }
}

#[tokio::test]
async fn a_small_proposal_takes_few_system_calls() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    let files: Vec<_> =
        (0..4).map(|number| home.file(&format!("{number}.txt"), &"line\n".repeat(100))).collect();
    let text = |number: usize| format!("{}new {number}\n", "line\n".repeat(99));
    let mut agent = Agent::connect(&home);
    // The first ones begin the journal of the session.
    for (number, file) in files.iter().enumerate() {
        agent.propose(file, &text(number));
    }
    let output = home.path("calls");
    let Some(strace) = Strace::follow(home.hosts_pid().unwrap(), &output) else {
        return alongside_testing::skip("strace is missing, or may not follow another process");
    };
    for number in 0..PROPOSALS {
        agent.propose(&files[number % files.len()], &text(number));
    }
    strace.finish();
    let table = until("the counts", || std::fs::read_to_string(&output).ok()).await;
    let mut counts = table.lines().filter_map(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    // The last row is the sum.
    let sum = counts.next_back().unwrap();
    assert!((PROPOSALS..=MOST * PROPOSALS).contains(&sum), "{sum} for {PROPOSALS} proposals:\n{table}");
}
