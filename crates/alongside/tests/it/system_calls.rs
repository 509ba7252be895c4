//! The number of system calls of a small proposal, counted by strace. A busy machine does not change it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::Home;

/// The number of proposals whose system calls are counted.
const PROPOSALS: usize = 48;
/// The limit of system calls of a typical proposal, from the request to the response, with the notification
/// of the desk. One call more is allowed for each directory above the file, in which the companion looks for
/// a repository: in `/tmp/home/project`, the limit is 14.
const MAX_CALLS: usize = 10;

/// The system calls that are not counted because they wait for other threads or wake them: epoll, futex and
/// timers.
const WAITING: &str = "!epoll_wait,epoll_pwait,epoll_ctl,futex,timerfd_settime,restart_syscall,sched_yield";
/// The files whose system calls are not counted: by the first kind the runtime wakes a thread, and by the
/// second the system reports opened files.
const WAKING: [&str; 2] = ["anon_inode:[eventfd]", "anon_inode:inotify"];
/// The operation of a system call that is not counted: only debug builds make it, to check that a file is
/// open when it is closed.
const DEBUG_CHECK: &str = "F_GETFD";

/// A running strace that records the system calls of a process. Its standard error stays open, since strace
/// ends if it cannot report a new thread.
struct Strace(Child, BufReader<ChildStderr>);

impl Strace {
    /// Starts strace. Returns `None` if strace is missing or may not trace other processes.
    fn follow(pid: u32, output: &Path) -> Option<Self> {
        let mut strace = Command::new("strace")
            .args(["-f", "-y", "-e", &format!("trace={WAITING}"), "-o"])
            .arg(output)
            .args(["-p", &pid.to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let mut said = BufReader::new(strace.stderr.take()?);
        let follows = said.by_ref().lines().map_while(Result::ok).any(|line| line.contains(" attached"));
        follows.then_some(Self(strace, said))
    }

    /// Ends strace, after which all calls are in the output file.
    fn finish(self) {
        let Self(mut strace, said) = self;
        kill_process(Pid::from_child(&strace), Signal::INT).unwrap();
        strace.wait().unwrap();
        drop(said);
    }
}

/// An agent that uses one connection, as real agents do.
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

    /// Sends a request. Returns the response.
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

    /// Proposes a text for a file.
    fn propose(&mut self, file: &str, text: &str) {
        let params = json!({ "name": "openDiff", "arguments": { "filePath": file, "newContent": text } });
        self.post("tools/call", &params);
    }
}

/// Returns the system calls during small proposals, or `None` if they cannot be counted.
async fn calls(home: &Home) -> Option<Vec<String>> {
    let original = "line\n".repeat(10);
    let file = |number: usize| home.file(&format!("{number}.txt"), &original);
    let files: Vec<_> = (0..PROPOSALS).map(file).collect();
    let proposed = original.replacen("line", "new line", 1);
    let first = file(PROPOSALS);
    let _desk = home.serving().await;
    let mut agent = Agent::connect(home);
    // The first proposal creates the journal of the session, and is not counted.
    agent.propose(&first, &proposed);
    let output = home.path("calls");
    let Some(strace) = Strace::follow(home.hosts_pid().unwrap(), &output) else {
        alongside_testing::skip("strace is missing, or may not follow another process");
        return None;
    };
    files.iter().for_each(|file| agent.propose(file, &proposed));
    strace.finish();
    let log = std::fs::read_to_string(&output).unwrap();
    // strace splits a call if another thread makes one meanwhile. The second line begins with "<...".
    let is_counted = |line: &&str| {
        line.contains('(') && !WAKING.iter().chain([&DEBUG_CHECK]).any(|other| line.contains(other))
    };
    let counted = log.lines().filter(is_counted).filter(|line| !line.contains("<... "));
    Some(counted.map(str::to_owned).collect())
}

/// Asserts that the number of calls is within the limit for the project.
fn assert_few(home: &Home, calls: &[String]) {
    // Each request begins with one read. The quarter of requests with the fewest calls has no change of
    // thread and no growth of memory.
    let mut requests: Vec<_> =
        calls.split(|line| line.contains("recvfrom(")).map(|rest| rest.len() + 1).collect();
    requests.sort_unstable();
    let usual = requests[requests.len() / 4];
    let most = MAX_CALLS + home.project.ancestors().count();
    assert!(requests.len() > PROPOSALS && usual <= most, "{usual}; {requests:?}:\n{}", calls.join("\n"));
}

#[tokio::test]
async fn a_small_proposal_takes_few_system_calls() {
    let home = Home::new();
    if let Some(calls) = calls(&home).await {
        assert_few(&home, &calls);
    }
}

/// In a repository, more than 100 calls find out whether git obeys a file, and what protects the file from
/// rules.
#[tokio::test]
async fn rules_and_git_are_looked_up_outside_the_main_loop() {
    for settings in ["", "[reviews]\nrules = [{ path = \"*.md\", then = \"accept\" }]\n"] {
        let home = Home::with_settings(settings);
        home.file(".git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = /srv/origin\n");
        let Some(calls) = calls(&home).await else { return };
        let thread = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        let reads = calls.iter().find(|line| line.contains("recvfrom(")).map(|line| thread(line));
        let (of_loop, others): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|line| Some(thread(line)) == reads);
        assert_few(&home, &of_loop);
        assert!(others.iter().any(|line| line.contains("/.gitconfig")), "{}", others.join("\n"));
    }
}
