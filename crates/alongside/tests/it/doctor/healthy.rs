//! Terminals without a cause, and the command itself: its exit codes, `--fix`, and harmless output.

use insta::assert_snapshot;
use serde_json::json;

use super::support::{DEAD, TestMachine, dead_port};
use crate::support::{files_below, until};

#[tokio::test]
async fn a_healthy_terminal_has_no_cause() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.24.4"]).await;
    machine.record_causes("");
    machine.record_report(&[]);
    machine.home.directory("project/src");
    std::os::unix::fs::symlink(&machine.home.project, machine.home.path("link")).unwrap();
    for directory in ["project/src", "link", "link/src/"] {
        machine.record_causes(&format!("gemini --dir {}", machine.home.path(directory).display()));
    }
    assert_snapshot!(machine.home.transcript());
    let told = machine.run(&["gemini", "--verbose"]).out;
    for step in ["taken for the editor", "gemini/ide/gemini-ide-server-", "a companion answers, with diffs"] {
        assert!(told.contains(step), "no {step:?} in {told}");
    }
}

#[tokio::test]
async fn the_doctor_ends_its_session() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.run(&[]);
    until("the session of the doctor to end", || {
        let status = machine.home.run(&["status", "--json"]);
        let read: serde_json::Value = serde_json::from_str(&status.out).ok()?;
        (read["companions"][0]["agents"] == json!([])).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_mistake_in_the_settings_is_reported() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.home.settings("[context]\nenabeld = true\n");
    machine.record_causes("");
    machine.record_report(&[]);
    assert_snapshot!(machine.home.transcript());
}

#[tokio::test]
async fn a_mistake_in_project_settings_is_reported_and_not_a_failure() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.home.file(".alongside.toml", "[context]\nenabeld = true\n");
    assert_snapshot!(machine.transcript_with(""));
}

#[test]
fn without_an_agent_there_is_nothing_to_examine() {
    let machine = TestMachine::with(&[]);
    machine.record_report(&[]);
    // A named agent is examined as if it were installed.
    machine.record_causes("qwen");
    // Exit code 1 would mean that an agent has a cause.
    machine.record_report(&["vim"]);
    assert_snapshot!(machine.home.transcript());
}

#[tokio::test]
async fn fix_removes_only_our_stale_files() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let stale = json!({ "port": dead_port(), "workspacePath": machine.home.project, "authToken": "t",
        "writer": "alongside" });
    let swept = machine.gemini_file(DEAD, 1, &stale);
    let (_desk, _) = machine.companion().await;
    until("the companion to sweep, as each does once", || (!swept.exists()).then_some(())).await;
    let living = machine.record().await;
    let before = files_below(machine.home.path("tmp"));
    let ours = machine.gemini_file(DEAD, 1, &stale);
    let lock = machine.qwen_file(1, &stale);
    let theirs = machine.gemini_file(DEAD, 2, &machine.theirs(dead_port()));

    machine.record_causes("");
    let mended = machine.run(&["--fix", "--json"]).json();
    assert_eq!(mended["mended"].as_array().unwrap().len(), 2, "{mended:#}");
    assert_eq!(mended["alongside"], json!([]));
    assert!(!ours.exists() && !lock.exists() && theirs.exists());
    assert!(before.iter().all(|file| file.exists()), "files of running companions stay");
    assert_eq!(machine.record().await.port, living.port);
    assert_eq!(machine.run(&["--fix", "--json"]).json()["mended"], json!([]));
    machine.record_report(&["--fix"]);
    assert_snapshot!(machine.home.transcript());
}

#[tokio::test]
async fn the_report_is_short_and_harmless() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let odd = machine.home.directory("project/a \u{1b}[31mb");
    let mut record = machine.theirs(dead_port());
    record["workspacePath"] = odd.to_str().unwrap().into();
    record["ideInfo"]["displayName"] = "\u{1b}[2J".into();
    machine.gemini_file(2, 2, &record);
    for args in
        [&["--dir", odd.to_str().unwrap(), "--verbose"][..], &["--dir", odd.to_str().unwrap(), "--json"]]
    {
        let said = machine.run(args).out;
        assert!(!said.contains('\u{1b}'), "{said:?}");
    }
}
