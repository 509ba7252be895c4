//! Causes in the connection: the program that answers, and the way to it.

use super::support::{TestMachine, http, listener};

#[tokio::test]
async fn reports_a_wrong_token() {
    let (mut machine, _desk, mut record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    record.auth_token = Some("not the token of this companion".into());
    machine.set("GEMINI_CLI_IDE_PID", 4242);
    let file = machine.gemini_file(4242, record.port, &record);
    machine.is("wrong-token", &format!("rm {}", file.display()));
}

#[tokio::test]
async fn reports_a_file_without_token() {
    let (mut machine, _desk, mut record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    record.auth_token = None;
    machine.set("GEMINI_CLI_IDE_PID", 4242);
    machine.gemini_file(4242, record.port, &record);
    machine.is("no-token", "restart the companion");
}

#[test]
fn reports_a_silent_port() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let port = listener(|_| None);
    machine.gemini_file(1, port, &machine.theirs(port));
    machine.is("hangs", "restart the editor");
}

#[test]
fn reports_another_program_on_the_port() {
    let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
    let port = listener(|_| Some(http("200 OK", "<html>hello</html>")));
    let mut record = machine.theirs(port);
    record["ppid"] = std::process::id().into();
    machine.gemini_file(1, port, &record);
    machine.qwen_file(port, &record);
    let verdict = machine.is("not-a-companion", "update or restart");
    assert_eq!(verdict.ids(1)[0], "not-a-companion");
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
    machine.is("stranger", "rm ");
    let heard: Vec<String> = hears.try_iter().collect();
    assert!(!heard.is_empty() && !heard.concat().contains("5ec3e7"), "{heard:?}");
}

#[tokio::test]
async fn in_a_container_the_agent_dials_the_host() {
    let (mut machine, _desk, record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let ask = |machine: &TestMachine| machine.ask(&["--container", "yes"]);
    let verdict = ask(&machine);
    assert_eq!(verdict.ids(0)[0], "container-host", "{:#}", verdict.json);
    // It connects all the same: it starts the program that the file names.
    assert!(record.stdio.is_some());
    let cause = &verdict.json["agents"][0]["causes"][0];
    let fact = "it runs in a container, so it connects through `alongside stdio`, which it \
                starts by itself; nothing to do";
    assert_eq!((&cause["what"], &cause["weight"]), (&fact.into(), &"note".into()));
    assert_eq!(cause["cure"], serde_json::json!([]));
    assert_eq!((verdict.code, &verdict.json["agents"][0]["wouldConnect"]), (Some(0), &true.into()));
    let elsewhere = machine.ask(&["--container", "no"]);
    assert!(!elsewhere.ids(0).contains(&"container-host".into()), "{:#}", elsewhere.json);
    // With this it dials the companion itself.
    machine.set("REMOTE_CONTAINERS", 1);
    let verdict = ask(&machine);
    assert_eq!(
        (verdict.code, verdict.json["agents"][0]["port"].as_u64()),
        (Some(0), Some(record.port.into()))
    );
}

#[tokio::test]
async fn a_companion_that_no_program_carries_is_made_reachable() {
    let by_name = "'127.0.0.1 host.docker.internal' >> /etc/hosts";
    for (agent, wanted) in [("gemini 0.61.0", "REMOTE_CONTAINERS=1 gemini"), ("gemini 0.26.0", by_name)] {
        let machine = TestMachine::with(&[agent]);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        machine.gemini_file(machine.editor(), port, &machine.theirs(port));
        let verdict = machine.ask(&["--container", "yes"]);
        assert_eq!(verdict.ids(0)[0], "container-host", "{:#}", verdict.json);
        assert_eq!(verdict.code, Some(1), "{agent}");
        let cure = verdict.cure(0);
        assert!(cure.contains(wanted), "{agent}: {cure}");
    }
}

#[tokio::test]
async fn reports_a_proxy() {
    let (mut machine, _desk, record) = TestMachine::serving(&["gemini 0.26.0"]).await;
    machine.gemini_file(machine.editor(), record.port, &record);
    machine.set("HTTP_PROXY", "http://127.0.0.1:9");
    let verdict = machine.ask(&["--container", "yes"]);
    assert_eq!(verdict.ids(0)[0], "proxy", "{:#}", verdict.json);
    let cure = verdict.cure(0);
    assert!(cure.contains("NO_PROXY=") && cure.contains("host.docker.internal"), "{cure}");
    let outside = machine.ask(&[]);
    assert_eq!(outside.code, Some(0), "outside a container the loopback needs no proxy: {:#}", outside.json);
}
