//! Causes in the agent: its release, its settings, and when it was started.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;

use super::support::TestMachine;
use crate::editor::{Editor, Process};
use crate::support::{files_below, until, write_program};

#[tokio::test]
async fn reports_settings_that_prevent_an_agents_connection_or_questions() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.24.4"]).await;
    let trust = r#"{ "ide": { "enabled": true }, "security": { "folderTrust": { "enabled": true } } }"#;
    let auto_edit = r#"{ "ide": { "enabled": true }, "general": { "defaultApprovalMode": "auto_edit" },
        "security": { "folderTrust": { "enabled": false } } }"#;
    for (agent, settings, remark) in [
        ("gemini", r#"{ "ide": { "enabled": false } }"#, "with IDE mode off"),
        ("gemini", r#"{ "ide": "#, "with settings that are cut off"),
        ("gemini", auto_edit, "in auto-edit mode"),
        ("gemini", trust, "where folders need trust"),
        ("qwen", r#"{ "ide": { "enabled": true } }"#, "in its own approval mode"),
    ] {
        machine.write(&format!("home/.{agent}/settings.json"), settings);
        machine.record_causes(&format!("{agent} # {remark}"));
    }
    let rules = json!({ machine.home.project.to_str().unwrap(): "DO_NOT_TRUST" });
    machine.write("home/.gemini/trustedFolders.json", &rules.to_string());
    machine.record_causes("gemini # where it does not trust the folder");
    std::fs::remove_file(machine.home.path("home/.qwen/settings.json")).unwrap();
    machine.record_causes("qwen # without settings");
    machine.record_report(&["qwen"]);
    assert_snapshot!(machine.home.transcript());
}

#[test]
fn reading_the_version_leaves_no_files() {
    let machine = TestMachine::with(&[]);
    // Like this script, agents write files whenever they start.
    let script = "#!/bin/sh\necho > \"${GEMINI_CLI_HOME:-$HOME/.gemini}/projects.json.$$.tmp\"\n\
                  echo > \"$TMPDIR/left\"; echo 0.61.0\n";
    write_program(&machine.home.path("bin/gemini"), script);
    write_program(&machine.home.path("bin/qwen"), "#!/bin/sh\necho 'qwen v0.5.2'\n");
    let files = || [files_below(machine.home.path("home")), files_below(machine.home.path("tmp"))];
    let before = files();
    let agents = &machine.run(&["--json"]).json()["agents"];
    assert_eq!([&agents[0]["version"], &agents[1]["version"]], ["0.61.0", "0.5.2"], "{agents:#}");
    assert_eq!(files(), before);
}

#[tokio::test]
async fn each_release_is_examined_by_its_abilities() {
    let releases = ["gemini 0.61.0", "gemini 0.1.9", "gemini 0.5.5", "gemini 0.6.1"];
    let (mut machine, _desk, record) = TestMachine::serving(&releases).await;
    machine.gemini_file(machine.editor(), record.port, &record);
    machine.record_causes("");
    machine.set("TERM_PROGRAM", "vscode");
    assert_snapshot!(machine.transcript_with("# in a terminal of VS Code"));
}

#[tokio::test]
async fn an_unknown_release_is_a_note() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 9.0.0"]).await;
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    gemini 9.0.0 connects (port [OURS])
      note unknown-release: Gemini CLI 9.0.0 is newer than 0.61.0, the newest release known here; the
      ↪ doctor treats it as that one
    ");
}

#[tokio::test]
async fn reports_only_agents_started_before_the_companion() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let agent = machine.starts("gemini", &machine.home.project).await;
    machine.home.name_number("process ", agent.pid(), "AGENT");
    // The system records start times in ticks of 10 ms.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let (_desk, _) = machine.companion().await;
    machine.record_causes("# with an agent from before the companion");
    let pid = agent.pid().to_string();
    let by_pid = machine.run(&["--pid", &pid, "--json"]);
    assert!(by_pid.out.contains("started-earlier"), "{}", by_pid.all_output());
    drop(agent);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let _agent = machine.starts("gemini", &machine.home.project).await;
    assert_snapshot!(machine.transcript_with("# with one from after it"), @"
    $ alongside doctor --json | causes # with an agent from before the companion
    gemini 0.61.0 connects (port [OURS])
      hinders started-earlier: process [AGENT] started before the companion; agents look for one only
      ↪ then
          restart the agent; `/ide enable` is enough if it knew a companion when it started
    $ alongside doctor --json | causes # with one from after it
    gemini 0.61.0 connects (port [OURS])
    ");
}

/// The command that connects a running agent is a different one in Claude Code.
#[tokio::test]
async fn claude_from_before_the_companion_is_told_to_connect() {
    let machine = TestMachine::with(&["claude 2.1.332"]);
    machine.settings("claude", &json!({}));
    let _agent = machine.starts("claude", &machine.home.project).await;
    // The system records start times in ticks of 10 ms.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let (_desk, _) = machine.companion().await;
    let locks = machine.home.path("home/.claude/ide");
    until("the lock", || files_below(&locks).first().cloned()).await;
    let told = machine.run(&["claude"]).out;
    assert!(told.contains("started before the companion, and is not connected"), "{told}");
    assert!(told.contains("type `/ide` in it, or restart it"), "{told}");
}

#[tokio::test]
async fn an_agent_of_another_companion_is_no_cause() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let (first, second) = (Process::open(), Process::open());
    let _editor = Editor::with_plugin(&machine.home, &first, &[&machine.home.project]);
    let _session = machine.home.agent().await;
    let _agent = machine.starts("gemini", &machine.home.project).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    // The directory around the project is a project of its own, whose companion serves the inner project too.
    let around = machine.home.project.parent().unwrap().to_owned();
    let _later = Editor::with_plugin(&machine.home, &second, &[&around]);
    until("two hosts", || (machine.home.hosts().len() == 2).then_some(())).await;
    let json = machine.run(&["--json"]).json();
    let ids: Vec<_> = json["agents"][0]["causes"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, ["several-companions"], "{json:#}");
}
