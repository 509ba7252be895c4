//! Causes in the connection: the program that answers, and the network on the way to it.

use insta::assert_snapshot;

use super::support::{TestMachine, http, listener, without_tools};

#[tokio::test]
async fn reports_a_wrong_token_and_none() {
    let (mut machine, _desk, mut record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.set("GEMINI_CLI_IDE_PID", 4242);
    for token in [Some("not the token of this companion".to_owned()), None] {
        record.auth_token = token;
        machine.gemini_file(4242, record.port, &record);
        machine.record_causes("");
    }
    assert_snapshot!(machine.home.transcript());
}

#[test]
fn reports_programs_that_answer_otherwise() {
    type Answer = fn(&str) -> Option<String>;
    let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
    let programs: [(&str, Answer); 3] = [
        ("gemini # where the program on the port is silent", |_| None),
        ("# where it serves pages", |_| Some(http("200 OK", "<html>hello</html>"))),
        ("gemini # where it has no tools", without_tools),
    ];
    for (line, answer) in programs {
        let port = listener(answer);
        let mut record = machine.theirs(port);
        record["ppid"] = std::process::id().into();
        let files = [machine.gemini_file(1, port, &record), machine.qwen_file(port, &record)];
        machine.record_causes(line);
        files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }
    assert_snapshot!(machine.home.transcript());
}

#[test]
fn another_program_has_the_port_of_a_companion_of_ours() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let (heard, hears) = std::sync::mpsc::channel();
    let port = listener(move |request| {
        heard.send(request.to_owned()).ok();
        Some(http("200 OK", "{}"))
    });
    let mut record = machine.theirs(port);
    record["writer"] = "alongside".into();
    record["authToken"] = "5ec3e75ec3e75ec3e7.gemini".into();
    machine.gemini_file(1, port, &record);
    assert_snapshot!(machine.transcript_with(""));
    let heard: Vec<String> = hears.try_iter().collect();
    assert!(!heard.is_empty() && !heard.concat().contains("5ec3e7"), "{heard:?}");
}

#[tokio::test]
async fn an_agent_in_a_container_connects_to_the_host() {
    let (mut machine, _desk, record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    // The agent connects nevertheless, by the program that the discovery file names.
    assert!(record.stdio.is_some());
    machine.record_causes("--container yes");
    machine.record_causes("--container no");
    machine.set("REMOTE_CONTAINERS", 1);
    let transcript =
        machine.transcript_with("--container yes # with REMOTE_CONTAINERS it dials the companion itself");
    assert_snapshot!(transcript, @"
    $ alongside doctor --json --container yes | causes
    gemini 0.61.0 connects (port [OURS])
      note container-host: it runs in a container, so it connects through `alongside stdio`, which it
      ↪ starts by itself; nothing to do
    $ alongside doctor --json --container no | causes
    gemini 0.61.0 connects (port [OURS])
    $ alongside doctor --json --container yes | causes # with REMOTE_CONTAINERS it dials the companion itself
    gemini 0.61.0 connects (port [OURS])
    ");
}

#[tokio::test]
async fn reports_how_to_reach_a_companion_without_a_stdio_program() {
    let machine = TestMachine::with(&["gemini 0.61.0", "gemini 0.26.0"]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    machine.gemini_file(machine.editor(), port, &machine.theirs(port));
    assert_snapshot!(machine.transcript_with("--container yes"));
}

#[tokio::test]
async fn reports_a_proxy() {
    let (mut machine, _desk, record) = TestMachine::serving(&["gemini 0.26.0"]).await;
    machine.gemini_file(machine.editor(), record.port, &record);
    machine.set("HTTP_PROXY", "http://127.0.0.1:9");
    machine.record_causes("--container yes");
    assert_snapshot!(machine.transcript_with("# outside a container, where the loopback needs no proxy"));
}
