//! The commands that connect agents with the companion or report on it: `env`, `run`, `stdio`, `status`.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;

use alongside_agent::find;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::hook::{Hook, input};
use crate::support::{Home, finish, found, send, until};

/// Waits for the companion of the project. Returns its port and the token that Gemini CLI presents.
async fn companion(home: &Home) -> (u16, String) {
    until("a discovery file of Gemini CLI with a token", || {
        let record = found("gemini", &home.surroundings())?.record;
        Some((record.port, record.auth_token?))
    })
    .await
}

#[tokio::test]
async fn env_prints_what_a_shell_can_read() {
    let mut home = Home::new();
    home.project = home.project.join("it's \"odd\" $HOME `x` \\ é \x1b]0;%s\x07\u{202e}\u{e0041}");
    std::fs::create_dir(&home.project).unwrap();
    let _desk = home.review(&[]);
    let (port, token) = companion(&home).await;
    let script = format!(
        "eval \"$('{}' env)\"; printf '%s\\n' \"$GEMINI_CLI_IDE_SERVER_PORT\" \"$GEMINI_CLI_IDE_AUTH_TOKEN\" \
         \"$QWEN_CODE_IDE_WORKSPACE_PATH\" \"$NO_PROXY\" \"$GEMINI_CLI_IDE_SERVER_STDIO_ARGS\" \
         \"$QWEN_CODE_IDE_SERVER_STDIO_ARGS\"",
        env!("CARGO_BIN_EXE_alongside")
    );
    let read = finish(home.command("bash").args(["-c", &script]).env("NO_PROXY", "example.org"));
    let expected = format!(
        "{port}\n{token}\n{}\nexample.org,127.0.0.1,localhost,::1\n[\"stdio\",\"--agent\",\"gemini\"]\n\
         [\"stdio\",\"--agent\",\"qwen\"]\n",
        home.project.display()
    );
    assert_eq!(read.out, expected, "{}", read.err);
    for (shell, start) in
        [("fish", "set -gx GEMINI"), ("pwsh", "$env:GEMINI"), ("nu", "{\""), ("zsh", "export GEMINI")]
    {
        let printed = home.run(&["env", "--shell", shell]);
        assert!(printed.out.starts_with(start), "{shell}: {}", printed.out);
        let printed = printed.out.replace('\n', " ");
        assert_eq!(alongside_desk::harmless::harmful(&printed).next(), None, "{shell}: {printed}");
    }
}

#[tokio::test]
async fn env_refuses_unknown_shells() {
    let home = Home::new();
    let _desk = home.review(&[]);
    companion(&home).await;
    let mut refused = BTreeSet::new();
    for shell in ["/bin/tcsh", "/usr/bin/csh", "/opt/elvish"] {
        let ran = finish(home.alongside(&["env"]).env("SHELL", shell));
        refused.insert(home.stable(ran.to_string().replace(shell, "[SHELL]")));
        let asked = finish(home.alongside(&["env", "--shell", "bash"]).env("SHELL", shell));
        assert!(asked.out.starts_with("export GEMINI"), "{}", asked.err);
    }
    assert_snapshot!(refused.into_iter().collect::<String>(), @"
    --- errors:
    alongside: $SHELL is [SHELL], an unknown shell
      hint: name a shell with --shell; in csh and tcsh, start the agent with `alongside run`, which
      ↪ needs no shell
    --- exit code 1
    ");
}

#[test]
fn without_a_companion_env_and_status_give_a_hint() {
    let home = Home::new();
    assert_snapshot!(home.prints(&["env", "status"]));
}

#[tokio::test]
async fn status_shows_everything_but_the_token() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let (port, token) = companion(&home).await;
    let agent = home.agent().await;
    let _diff = crate::support::propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;

    let status = home.run(&["status"]);
    let (host, name) = home.hosts().remove(0);
    assert_ne!(host, desk.pid(), "the companion outlives the desk");
    home.name_number("port ", port, "OURS");
    home.name_number("process ", host, "THE HOST");
    home.name_number("(host ", name, "ITS NAME");
    let listed = home.run(&["status", "--files"]).out;
    for file in [
        format!("tmp/gemini/ide/gemini-ide-server-{}-{port}.json", desk.pid()),
        format!("home/.qwen/ide/{port}.lock"),
    ] {
        assert!(
            listed.contains(&format!("  file: {}\n", home.path(&file).display())),
            "no {file} in\n{listed}"
        );
    }
    let count = format!("  files: {} in ", listed.matches("  file: ").count());
    assert!(status.out.contains(&count), "{}{listed}", status.out);
    assert_snapshot!(home.stable(&status), @"
    alongside: port [OURS], process [THE HOST] - serves this directory
      projects: [PROJECT]
      agents: Gemini CLI
      reviews waiting: 1
      desks: 1 (host [ITS NAME])
      kept by: alongside review
      files: [N] in [HOME]/.qwen/ide, [TMP], [TMP]/gemini/ide, [TMP]/llxprt/ide, [TMP]/qwen/ide
      ↪ (--files lists them)
    ");
    let json = home.run(&["status", "--json"]);
    let read = json.json();
    assert_eq!(read["servesHere"], true);
    assert_eq!(read["companions"][0]["port"], port);
    assert_eq!(read["companions"][0]["reviews"], 1);
    assert_eq!(read["companions"][0]["keptBy"], serde_json::json!(["alongside review"]));
    assert_eq!(read["companions"][0]["agents"][0]["name"], "Gemini CLI");
    for shown in [&status, &json] {
        assert!(!(shown.all_output()).contains(&token));
    }
    assert!(home.run(&["status", "--token"]).out.contains(&token));
    let with = home.run(&["status", "--json", "--token"]).json();
    assert_eq!(with["companions"][0]["token"], token.as_str());

    drop(agent);
    // An agent that has left is listed for 1.5 s only, so the output that shows it is kept.
    let elsewhere = until("the agent to be away", || {
        let elsewhere = finish(home.alongside(&["status"]).current_dir(home.path("home")));
        elsewhere.out.contains("  agents: Gemini CLI (away)\n").then_some(elsewhere)
    })
    .await;
    assert_snapshot!(home.stable(elsewhere));
}

#[tokio::test]
async fn status_points_out_files_whose_companion_is_gone() {
    let home = Home::new();
    let folder = home.directory("tmp/gemini/ide");
    // A free port, on which no program listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let record = json!({ "port": port, "workspacePath": home.project, "authToken": "t", "ppid": 1 });
    std::fs::write(folder.join(format!("gemini-ide-server-1-{port}.json")), record.to_string()).unwrap();
    assert_snapshot!(home.prints(&["status"]));
}

#[tokio::test]
async fn a_frozen_companion_is_not_taken_for_gone() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("Waiting for proposals").await;
    let (host, _) = home.hosts()[0];
    send(host, rustix::process::Signal::STOP);
    // The commands run at the same time, because each of them waits for some seconds.
    let ran: [&[&str]; 4] = [&["status"], &["status", "--json"], &["env"], &["doctor", "--fix"]];
    let [status, json, env, _] = ran
        .map(|args| home.alongside(args))
        .map(|command| std::thread::spawn(|| finish(command)))
        .map(|ran| ran.join().unwrap());
    for before in ["process ", "kill -CONT ", "kill -KILL "] {
        home.name_number(before, host, "HOST");
    }
    assert_snapshot!(home.stable(status));
    let read = json.json();
    assert_eq!((&read["servesHere"], &read["companions"][0]["answers"]), (&json!(false), &json!(false)));
    assert_snapshot!(home.stable(env), @"
    --- errors:
    alongside: the companion that serves [PROJECT] does not answer
      hint: process [HOST] may be stopped (resume it: `kill -CONT [HOST]`) or hang (end it: `kill
      ↪ -KILL [HOST]`)
    --- exit code 1
    ");
    assert!(!find::all_records(&home.surroundings()).is_empty(), "its files stay");
}

#[tokio::test]
async fn run_starts_a_companion_that_ends_with_the_agent() {
    let home = Home::new();
    let script = "echo port=$GEMINI_CLI_IDE_SERVER_PORT qwen=$QWEN_CODE_IDE_SERVER_PORT no_proxy=$no_proxy; \
                  ls \"$TMPDIR/gemini/ide\"; exit 7";
    let ran = home.run(&["run", "sh", "-c", script]);
    assert_eq!(ran.status.code(), Some(7), "the agent's own exit code; {}", ran.err);
    let shown = ran.out;
    let port = shown.strip_prefix("port=").and_then(|rest| rest.split_whitespace().next()).unwrap();
    assert!(port.parse::<u16>().is_ok_and(|port| port > 0), "{shown}");
    assert!(shown.contains(&format!("qwen={port} no_proxy=127.0.0.1,localhost,::1\n")), "{shown}");
    assert!(shown.contains(&format!("-{port}.json")), "the files were there: {shown}");
    assert!(find::all_records(&home.surroundings()).is_empty(), "the files are gone");

    let killed = home.run(&["run", "--", "sh", "-c", "kill -TERM $$"]);
    assert_eq!(killed.status.code(), Some(143));
    // A name that PATH does not have starts no companion.
    let unknown = home.prints(&["run no-such-agent", "run ./no-such-agent"]);
    assert_snapshot!(home.stable(ran.err) + &unknown);
    assert!(find::all_records(&home.surroundings()).is_empty(), "also after that");
}

#[tokio::test]
async fn run_uses_a_running_companion() {
    let home = Home::new();
    let desk = home.review(&[]);
    let (port, token) = companion(&home).await;
    let script = "echo $GEMINI_CLI_IDE_SERVER_PORT $GEMINI_CLI_IDE_AUTH_TOKEN $GEMINI_CLI_IDE_PID; \
                  ls \"$HOME/.qwen/ide\"";
    let ran = home.run(&["run", "sh", "-c", script]);
    assert_eq!(ran.out, format!("{port} {token} {}\n{port}.lock\n", desk.pid()), "{}", ran.err);
    assert_eq!(ran.err, "", "nothing is started, so nothing is reported");
    assert_eq!(companion(&home).await.0, port, "it still runs");
}

#[tokio::test]
async fn status_marks_the_companion_that_env_uses() {
    let home = Home::new();
    for name in ["project/sub", "project/other"] {
        home.directory(name);
    }
    let mut first = home.review(&["sub"]);
    first.shows("alongside serves").await;
    let alone = home.run(&["status"]).out;
    assert!(!alone.contains("take"), "a single companion is not marked");
    assert!(!alone.contains("Claude Code"), "the person does not have it: {alone}");
    let mut second = home.review(&["other"]);
    second.shows("alongside serves").await;
    // The third desk joins the second companion and adds the whole project.
    let _third = home.serving().await;
    assert_eq!(home.hosts().len(), 2);
    // Both companions serve the lower directory.
    let home = home.inside("sub");
    let read = home.run(&["env"]).out;
    let taken = read.lines().find_map(|line| line.strip_prefix("export GEMINI_CLI_IDE_SERVER_PORT='"));
    let taken: u16 = taken.and_then(|line| line.strip_suffix('\'')).unwrap().parse().unwrap();
    let status = home.run(&["status"]).out;
    assert_eq!(status.matches(" - serves this directory").count(), 2, "{status}");
    assert_eq!(status.matches("env, run and stdio take this one").count(), 1, "{status}");
    let line = status.lines().find(|line| line.contains("take this one")).unwrap();
    assert!(line.contains(&format!("port {taken},")), "{line}; env took {taken}");
    let read = home.run(&["status", "--json"]).json();
    for companion in read["companions"].as_array().unwrap() {
        assert_eq!(companion["taken"], companion["port"] == taken, "{companion}");
    }
}

#[tokio::test]
async fn run_passes_signals_on() {
    let home = Home::new();
    let script = "trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    let mut ran = home.start(&mut home.alongside(&["run", "sh", "-c", script]));
    ran.shows("ready").await;
    ran.signal(rustix::process::Signal::TERM);
    ran.shows("caught").await;
    assert_eq!(ran.ends().code(), Some(5));
}

/// `alongside stdio` as an agent starts it, with the agent's side of the connection.
struct Bridge {
    child: Child,
    input: Option<ChildStdin>,
    told: mpsc::Receiver<Value>,
    /// Messages that came before the awaited ones: an outcome may come before the answer to `openDiff`.
    early: Vec<Value>,
}

impl Bridge {
    /// Starts the command and introduces an agent by this name.
    fn start(home: &Home, args: &[&str], name: &str) -> Self {
        let mut command: Command = home.alongside(&["stdio"]);
        let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, lines) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()).lines());
        let (tell, told) = mpsc::channel::<Value>();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = tell.send(serde_json::from_str(&line).unwrap());
            }
        });
        let mut bridge = Self { child, input, told, early: Vec::new() };
        bridge.send(json!({"jsonrpc":"2.0","id":1,"method":"initialize","params":{
            "protocolVersion":"2025-06-18","capabilities":{},
            "clientInfo":{"name":name,"version":"0.61.0"}}}));
        let welcome = bridge.hears("the welcome", |message| message["id"] == 1);
        assert_eq!(welcome["result"]["protocolVersion"], "2025-06-18");
        bridge.send(json!({"jsonrpc":"2.0","method":"notifications/initialized"}));
        bridge
    }

    fn send(&mut self, message: Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Waits for the next message of this kind and returns it. `what` names it in a failure.
    fn hears(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.early.iter().position(&is_it) {
            return self.early.remove(at);
        }
        loop {
            let message = self.told.recv_timeout(crate::support::DEADLINE).expect(what);
            if is_it(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    /// Proposes a text for a file.
    fn propose(&mut self, file: &str, text: &str) {
        self.send(json!({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{
            "name":"openDiff","arguments":{"filePath":file,"newContent":text}}}));
        let opened = self.hears("an answer", |message| message["id"] == 2 && message.get("method").is_none());
        assert_eq!(opened["result"]["content"], json!([]));
    }

    /// Waits for the acceptance of a proposal and returns its parameters.
    fn accepted(&mut self) -> Value {
        self.hears("the outcome", |message| message["method"] == "ide/diffAccepted")["params"].clone()
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Agents usually start at the top of a project, and people in one of its folders.
#[tokio::test]
async fn a_desk_in_a_folder_serves_the_repository_around_it() {
    let mut home = Home::new();
    let top = home.project.clone();
    std::fs::create_dir_all(top.join(".git")).unwrap();
    home.project = home.directory("project/src/deep");
    let roots = async |home: &Home| {
        companion(home).await;
        home.run(&["status", "--json"]).json()["companions"][0]["roots"].clone()
    };
    let mut desk = home.review(&[]);
    assert_eq!(roots(&home).await, json!([top]));
    desk.leaves();
    // A directory that the person names is itself the project.
    let _desk = home.review(&["."]);
    let narrow = until("the companion of the folder", || {
        let served = home.run(&["status", "--json"]).json()["companions"][0]["roots"].clone();
        (served == json!([home.project])).then_some(served)
    });
    narrow.await;
}

#[tokio::test]
async fn stdio_relays_to_the_running_companion() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    let (port, _) = companion(&home).await;
    let file = home.file("a.txt", "a\n");
    let mut bridge = Bridge::start(&home, &[], "my-client");
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(
        status["companions"][0]["agents"][0]["name"], "my-client",
        "the record it was found by does not say who it is"
    );
    bridge.propose(&file, "A\n");
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(bridge.accepted(), json!({ "filePath": file, "content": "A\n" }));
    assert_eq!(companion(&home).await.0, port);
    assert_eq!(find::all_records(&home.surroundings()).len(), 1, "no second server");
}

/// In a container, Gemini CLI starts the server that its discovery file names, and gives no name. An edit
/// that its hook proposes as well is asked only once.
#[tokio::test]
async fn an_agent_over_stdio_is_known_by_the_file_that_it_read() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    companion(&home).await;
    let stdio = found("gemini", &home.surroundings()).unwrap().record.stdio.unwrap();
    assert_eq!(stdio.args, ["stdio", "--agent", "gemini"]);
    let args: Vec<_> = stdio.args.iter().skip(1).map(String::as_str).collect();
    let mut bridge = Bridge::start(&home, &args, "stdio-client");
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(status["companions"][0]["agents"][0]["name"], "Gemini CLI");
    let file = home.file("a.txt", "a\n");
    let call = json!({ "file_path": file, "content": "A\n" });
    let call = input(&home.project, "BeforeTool", "write_file", &call);
    let hook = Hook::start(&home, &["gemini"], &call).await;
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(hook.answer().await["decision"], "allow");
    bridge.propose(&file, "A\n");
    assert_eq!(bridge.accepted(), json!({ "filePath": file, "content": "A\n" }));
}
