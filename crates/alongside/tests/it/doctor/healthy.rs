//! Healthy terminals, and the command itself: its exit codes, `--fix`, and harmless output.

use insta::assert_snapshot;
use serde_json::json;

use super::support::{TestMachine, dead_port};
use crate::support::{files_below, until};

#[tokio::test]
async fn a_healthy_terminal_raises_no_alarm() {
    let (machine, _desk, record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.24.4"]).await;
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.code, Some(0), "{:#}", verdict.json);
    for agent in [0, 1] {
        assert_eq!(verdict.ids(agent), Vec::<String>::new(), "{:#}", verdict.json);
        assert_eq!(verdict.json["agents"][agent]["wouldConnect"], true);
        assert_eq!(verdict.json["agents"][agent]["port"], record.port);
    }
    assert_eq!(verdict.of_ourselves(), Vec::<String>::new(), "{:#}", verdict.json);

    let said = machine.run(&[]);
    assert!(said.out.contains(&format!("(port {}, ", record.port)), "{}", said.out);
    assert_snapshot!(machine.home.stable(said));
    let told = machine.run(&["gemini", "--verbose"]).out;
    for step in ["taken for the editor", "gemini/ide/gemini-ide-server-", "a companion answers, with diffs"] {
        assert!(told.contains(step), "no {step:?} in {told}");
    }
}

#[tokio::test]
async fn subdirectories_and_links_are_healthy_too() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    std::fs::create_dir(machine.home.project.join("src")).unwrap();
    std::os::unix::fs::symlink(&machine.home.project, machine.home.path("link")).unwrap();
    for dir in ["project/src", "link", "link/src/"] {
        let dir = machine.home.path("").join(dir);
        let verdict = machine.ask(&["--dir", dir.to_str().unwrap()]);
        assert_eq!((verdict.code, verdict.ids(0)), (Some(0), vec![]), "{:#}", verdict.json);
    }
}

#[tokio::test]
async fn the_doctor_ends_its_session() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.ask(&[]);
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
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.of_ourselves(), ["broken-own-settings"], "{:#}", verdict.json);
    assert_eq!(verdict.code, Some(1), "no companion would start");
    assert_snapshot!(machine.home.stable(machine.run(&[])));
}

#[test]
fn without_an_agent_there_is_nothing_to_examine() {
    let machine = TestMachine::with(&[]);
    assert_snapshot!(machine.home.stable(machine.run(&[])), @"
    --- errors:
    alongside: no agent is in PATH, so there is nothing to examine; name one: alongside doctor gemini
    --- exit code 2
    ");
    // A named agent is examined as if it were installed.
    let verdict = machine.ask(&["qwen"]);
    assert_eq!((verdict.code, verdict.ids(0)), (Some(1), vec!["no-companion".into()]), "{:#}", verdict.json);
    // 1 would say that something is wrong with an agent.
    assert_snapshot!(machine.home.stable(machine.run(&["vim"])), @"
    --- errors:
    alongside: no agent is called vim
      hint: name one of: gemini, qwen, llxprt, ola, bob, hopcode, claude, opencode, codex
    --- exit code 2
    ");
}

#[tokio::test]
async fn fix_removes_only_our_stale_files() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let stale = json!({ "port": dead_port(), "workspacePath": machine.home.project, "authToken": "t",
        "writer": "alongside" });
    let swept = machine.gemini_file(1, 1, &stale);
    let (_desk, _) = machine.companion().await;
    until("the companion to sweep, as each does once", || (!swept.exists()).then_some(())).await;
    let living = machine.record().await;
    let before = files_below(&machine.home.path("tmp"));
    let ours = machine.gemini_file(1, 1, &stale);
    let lock = machine.qwen_file(1, &stale);
    let theirs = machine.gemini_file(2, 2, &machine.theirs(dead_port()));

    let verdict = machine.ask(&[]);
    assert_eq!(verdict.of_ourselves(), ["stale-files-of-ours"]);
    let mended = machine.ask(&["--fix"]);
    assert_eq!(mended.json["mended"].as_array().unwrap().len(), 2, "{:#}", mended.json);
    assert_eq!(mended.of_ourselves(), Vec::<String>::new());
    assert!(!ours.exists() && !lock.exists() && theirs.exists());
    assert!(before.iter().all(|file| file.exists()), "files of running companions stay");
    assert_eq!(machine.record().await.port, living.port);
    assert_eq!(machine.ask(&["--fix"]).json["mended"], json!([]));
    assert!(machine.run(&["--fix"]).out.starts_with("nothing to remove: "));
}

#[tokio::test]
async fn what_is_said_is_short_and_harmless() {
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
