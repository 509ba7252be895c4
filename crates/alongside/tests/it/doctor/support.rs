//! A home with agents as npm installs them, and programs that listen on a port.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_agent::find;
use alongside_contract::discovery::{Record, WRITER};
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{
    CommandResult, Home, Running, files_below, finish, found, until, write_file, write_program,
};

/// A process ID that no process has.
pub(super) const DEAD: u32 = 99_999_999;

/// A home with agents whose IDE mode is on and that trust the folder.
pub(super) struct TestMachine {
    pub(super) home: Home,
    variables: Vec<(String, String)>,
}

impl TestMachine {
    /// Returns a machine with these agents, such as `gemini 0.61.0`. A second release of an agent comes later
    /// in PATH.
    pub(super) fn with(agents: &[&str]) -> Self {
        let home = Home::new();
        let machine = Self { home, variables: Vec::new() };
        machine.home.name_number("process ", DEAD, "DEAD");
        machine.home.directory("bin");
        for (command, version) in agents.iter().filter_map(|agent| agent.split_once(' ')) {
            let is_taken = machine.home.path("bin").join(command).exists();
            let bin = if is_taken { format!("bin/{version}") } else { "bin".to_owned() };
            machine.install(&bin, command, version);
        }
        machine.settings(
            "gemini",
            &json!({ "ide": { "enabled": true },
            "security": { "folderTrust": { "enabled": false } } }),
        );
        machine
            .settings("qwen", &json!({ "ide": { "enabled": true }, "tools": { "approvalMode": "default" } }));
        machine
    }

    /// Returns a machine with these agents, a desk with its companion, and the companion's record.
    pub(super) async fn serving(agents: &[&str]) -> (Self, Running, Record) {
        let machine = Self::with(agents);
        let (desk, record) = machine.companion().await;
        (machine, desk, record)
    }

    /// Installs a package with a program, and a link to the program in a directory of PATH.
    pub(super) fn install(&self, bin: &str, command: &str, version: &str) {
        let name = match command {
            "claude" => "@anthropic-ai/claude-code",
            "gemini" => "@google/gemini-cli",
            _ => "@qwen-code/qwen-code",
        };
        let package = self.home.path(&format!("lib-{bin}/node_modules/{name}"));
        let json = json!({ "name": name, "version": version, "bin": { command: "dist/index.js" } });
        write_file(&package.join("package.json"), &json.to_string());
        let program = package.join("dist/index.js");
        write_program(&program, "#!/bin/sh\nread -r end\n");
        std::fs::create_dir_all(self.home.path(bin)).unwrap();
        std::os::unix::fs::symlink(program, self.home.path(bin).join(command)).unwrap();
    }

    /// Writes the settings file of an agent family.
    pub(super) fn settings(&self, family: &str, json: &Value) {
        self.write(&format!("home/.{family}/settings.json"), &json.to_string());
    }

    /// Writes a file below the base directory and returns its path.
    pub(super) fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.home.path(below);
        write_file(&path, text);
        path
    }

    /// Writes a discovery file of Gemini CLI for an editor's process.
    pub(super) fn gemini_file(&self, editor: u32, port: u16, record: &impl Serialize) -> PathBuf {
        self.home.name_number("-ide-server-", format!("{editor}-{port}"), "STAGED");
        let path = format!("tmp/gemini/ide/gemini-ide-server-{editor}-{port}.json");
        self.write(&path, &serde_json::to_string(record).unwrap())
    }

    /// Writes a discovery file of Qwen Code.
    pub(super) fn qwen_file(&self, port: u16, record: &Value) -> PathBuf {
        self.home.name_number("ide/", port, "STAGED");
        self.write(&format!("home/.qwen/ide/{port}.lock"), &record.to_string())
    }

    /// Sets an environment variable of the doctor.
    pub(super) fn set(&mut self, name: &str, value: impl ToString) {
        self.variables.push((name.into(), value.to_string()));
    }

    /// Returns the process that an agent in a terminal of this test takes for the editor.
    pub(super) fn editor(&self) -> u32 {
        find::editor_pid(&self.home.surroundings()).unwrap()
    }

    /// Starts a desk with a companion for the project, and returns it with the companion's record. Waits
    /// until the companion has removed stale files, so that it leaves later files of the test alone.
    pub(super) async fn companion(&self) -> (Running, Record) {
        let stale = json!({ "port": 1, "workspacePath": "/", "authToken": "t", "writer": WRITER });
        let stale = self.write("tmp/gemini/ide/gemini-ide-server-1-1.json", &stale.to_string());
        let desk = self.home.review(&[]);
        // The host writes its files before it listens.
        until("a host", || self.home.hosts().first().cloned()).await;
        until("the sweep", || (!stale.exists()).then_some(())).await;
        (desk, self.record().await)
    }

    /// Starts a desk and its companion in a terminal whose processes share no ancestor with the test: an
    /// agent of the test would take such an ancestor for its editor.
    pub(super) fn reviews_in_another_terminal(&self, variables: &[(&str, &Path)]) -> Running {
        let mut command = self.home.command("setsid");
        command.args(["--fork", env!("CARGO_BIN_EXE_alongside"), "review"]).envs(variables.iter().copied());
        self.home.start(&mut command)
    }

    /// Starts the agent in a directory and waits until it runs.
    pub(super) async fn starts(&self, agent: &str, directory: &Path) -> Running {
        let mut command = self.home.command(self.home.path("bin").join(agent));
        let running = self.home.start(command.current_dir(directory).env("PATH", self.path_variable()));
        let cmdline = format!("/proc/{}/cmdline", running.pid());
        until("the agent to run", || {
            std::fs::read_to_string(&cmdline).ok().filter(|line| line.contains(agent))
        })
        .await;
        running
    }

    /// Waits for the companion of the project and returns its record.
    pub(super) async fn record(&self) -> Record {
        let here = self.home.surroundings();
        let record =
            until("a companion that serves the project", || Some(found("gemini", &here)?.record)).await;
        self.home.name_number("port ", record.port, "OURS");
        record
    }

    /// Returns a record for the project that another program's companion would write.
    pub(super) fn theirs(&self, port: u16) -> Value {
        self.home.name_number("port ", port, "THEIRS");
        json!({ "port": port, "workspacePath": self.home.project, "authToken": "t",
            "ideInfo": { "name": "theirs", "displayName": "Theirs" } })
    }

    /// Returns the value of PATH: the directories of the agents, and that of alongside.
    pub(super) fn path_variable(&self) -> String {
        let bin = self.home.path("bin");
        let mut others: Vec<_> =
            std::fs::read_dir(&bin).unwrap().map(|entry| entry.unwrap().path()).collect();
        others.retain(|path| path.is_dir());
        others.sort();
        let own = Path::new(env!("CARGO_BIN_EXE_alongside")).parent().unwrap().to_owned();
        let all = [bin, own].into_iter().chain(others);
        std::env::join_paths(all).unwrap().into_string().unwrap()
    }

    /// Runs the doctor to its end.
    pub(super) fn run(&self, args: &[&str]) -> CommandResult {
        let mut command = self.home.alongside(&["doctor"]);
        command.env("PATH", self.path_variable()).args(args);
        if !args.contains(&"--container") {
            command.args(["--container", "no"]);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        finish(command)
    }

    /// Runs another command of alongside and asserts that it succeeds.
    pub(super) fn succeeds(&self, args: &[&str]) {
        let ran = finish(self.home.alongside(args).env("PATH", self.path_variable()));
        assert!(ran.status.success(), "{}", ran.all_output());
    }

    /// Runs the doctor and adds its report for people to the transcript. Asserts that the report holds no
    /// token.
    pub(super) fn record_report(&self, args: &[&str]) {
        let ran = self.run(args);
        self.assert_without_tokens(&ran);
        self.home.add_to_transcript(
            &self.home.stable(format!("doctor {}", args.join(" ")).trim_end()),
            &self.home.stable(ran),
        );
    }

    /// Runs the doctor with `--json` and adds the causes to the transcript. In `line`, a remark on the state
    /// of the machine may follow the arguments after a `#`. The doctor runs only once, since a host soon
    /// restores files that a test has removed.
    pub(super) fn record_causes(&self, line: &str) {
        let (args, remark) = line.split_at(line.find('#').unwrap_or(line.len()));
        let ran = self.run(&["--json"].into_iter().chain(args.split_whitespace()).collect::<Vec<_>>());
        self.assert_without_tokens(&ran);
        let title = format!("{} | causes {remark}", format!("doctor --json {args}").trim_end());
        self.home.add_to_transcript(
            &self.home.stable(title.trim_end()),
            &self.home.stable(CommandResult { out: causes(&ran.json()), ..ran }),
        );
    }

    /// Runs the doctor as [`Self::record_causes`] does, and returns the transcript since the previous call.
    pub(super) fn transcript_with(&self, line: &str) -> String {
        self.record_causes(line);
        self.home.transcript()
    }

    /// Asserts that an output holds no token of a discovery file.
    fn assert_without_tokens(&self, ran: &CommandResult) {
        for file in ["tmp", "home"].iter().flat_map(|below| files_below(self.home.path(below))) {
            let record =
                std::fs::read(file).ok().and_then(|json| serde_json::from_slice::<Record>(&json).ok());
            if let Some(token) = record.and_then(|record| record.auth_token).filter(|token| token.len() > 8) {
                assert!(!ran.all_output().contains(&token), "a token is shown: {ran:?}");
            }
        }
    }
}

/// Returns each agent with its causes and their fixes, and likewise the hooks and alongside itself if they
/// have files or causes.
pub(super) fn causes(json: &Value) -> String {
    let mut subjects = Vec::new();
    for agent in list(&json["agents"]) {
        let (family, version) = (text(&agent["family"]), text(&agent["version"]));
        let connects = if agent["wouldConnect"] == true { "connects" } else { "does not connect" };
        let port = agent["port"].as_u64().map_or_else(String::new, |port| format!(" (port {port})"));
        subjects.push((format!("{family} {version} {connects}{port}"), &agent["causes"]));
    }
    for (key, what) in [("hooks", "hook"), ("turns", "turns")] {
        for hook in list(&json[key]) {
            let files =
                list(&hook["files"]).iter().map(|file| format!(" {}", text(file))).collect::<String>();
            if !(files.is_empty() && hook["causes"] == json!([])) {
                subjects.push((format!("{what} of {}:{files}", text(&hook["agent"])), &hook["causes"]));
            }
        }
    }
    if json["alongside"] != json!([]) {
        subjects.push(("alongside:".into(), &json["alongside"]));
    }
    subjects.into_iter().map(|(subject, causes)| format!("{subject}\n{}", cause_lines(causes))).collect()
}

/// Returns the lines of causes with their fixes.
pub(super) fn cause_lines(causes: &Value) -> String {
    let mut lines = String::new();
    for cause in list(causes) {
        lines += &format!("  {} {}: {}\n", text(&cause["weight"]), text(&cause["id"]), text(&cause["what"]));
        lines.extend(list(&cause["cure"]).iter().map(|line| format!("      {}\n", text(line))));
    }
    lines
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("unknown")
}

/// Returns a port on which no program listens. The port was bound and released at once.
pub(super) fn dead_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts a server that answers each request with the result of the function, if there is one. Returns its
/// port.
pub(super) fn listener(answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = std::sync::Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
                let (mut request, mut piece) = (Vec::new(), [0; 4096]);
                while let Ok(count @ 1..) = stream.read(&mut piece) {
                    request.extend_from_slice(&piece[..count]);
                    let text = String::from_utf8_lossy(&request).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let length = head.lines().find_map(|line| {
                        line.to_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
                    });
                    if body.len() < length.unwrap_or(0) {
                        continue;
                    }
                    request.clear();
                    let Some(reply) = answer(&text) else { continue };
                    if stream.write_all(reply.as_bytes()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

/// Returns an HTTP response.
pub(super) fn http(status: &str, body: &str) -> String {
    let kind = if body.starts_with('{') { "application/json" } else { "text/html" };
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// Answers a request as a companion without tools does.
pub(super) fn without_tools(request: &str) -> Option<String> {
    Some(if request.contains("\"initialize\"") {
        http(
            "200 OK",
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},
                "serverInfo":{"name":"x","version":"1"}}}"#,
        )
    } else if request.contains("tools/list") {
        http("200 OK", r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#)
    } else if request.starts_with("GET") {
        return None;
    } else {
        http("202 Accepted", "")
    })
}
