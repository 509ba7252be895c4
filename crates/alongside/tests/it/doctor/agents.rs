//! Causes in the agent: its release, its settings, and when it was started.

use serde_json::json;

use super::support::{TestMachine, without_tools};
use crate::editor::{Editor, Process};
use crate::support::{files_below, until};

#[tokio::test]
async fn reports_ide_mode_off() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.settings("gemini", &json!({ "ide": { "enabled": false } }));
    let verdict = machine.is("ide-mode-off", "alongside install agent");
    let said = verdict.what();
    assert!(said.contains(".gemini/settings.json)"), "{said}");
}

#[tokio::test]
async fn reports_ide_mode_off_by_default() {
    let (machine, _desk, _record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    std::fs::remove_file(machine.home.path("home/.qwen/settings.json")).unwrap();
    let verdict = machine.is("ide-mode-off", "alongside install agent");
    assert_eq!(verdict.json["agents"][0]["wouldConnect"], false);
}

#[tokio::test]
async fn reports_unreadable_settings() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.write("home/.gemini/settings.json", "{ \"ide\": ");
    let verdict = machine.is("broken-settings", "settings.json");
    assert_eq!(verdict.ids(0), ["broken-settings"], "its content is unknown");
}

#[tokio::test]
async fn gemini_in_auto_edit_mode_is_a_note() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.settings(
        "gemini",
        &json!({ "ide": { "enabled": true }, "general": { "defaultApprovalMode": "auto_edit" },
        "security": { "folderTrust": { "enabled": false } } }),
    );
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.ids(0), ["approval-mode"], "{:#}", verdict.json);
    assert_eq!(verdict.json["agents"][0]["wouldConnect"], true, "it connects all the same");
    assert_eq!(verdict.code, Some(0), "the person chose that mode");
    let file = machine.home.path("home/.gemini/settings.json");
    let for_good =
        format!("for good: \"general\": {{ \"defaultApprovalMode\": \"default\" }} in {}", file.display());
    let cure = &verdict.json["agents"][0]["causes"][0]["cure"];
    assert_eq!(cure[1], "gemini --approval-mode default", "{:#}", verdict.json);
    assert_eq!(cure[2], for_good.as_str(), "{:#}", verdict.json);
}

#[tokio::test]
async fn reports_default_approval_mode_of_qwen() {
    let (machine, _desk, _record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    machine.settings("qwen", &json!({ "ide": { "enabled": true } }));
    let verdict = machine.is("approval-mode", "qwen --approval-mode default");
    assert_eq!(verdict.json["agents"][0]["causes"][0]["weight"], "hinders", "it is the default");
    let cure = &verdict.json["agents"][0]["causes"][0]["cure"];
    assert_eq!((&cure[2], &cure[3]), (&"for good:".into(), &"alongside install qwen".into()), "{cure}");
}

#[tokio::test]
async fn reports_an_untrusted_folder() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.settings(
        "gemini",
        &json!({ "ide": { "enabled": true }, "security": { "folderTrust": { "enabled": true } } }),
    );
    let rules = json!({ machine.home.project.to_str().unwrap(): "DO_NOT_TRUST" });
    machine.write("home/.gemini/trustedFolders.json", &rules.to_string());
    machine.is("untrusted-folder", "/permissions");
}

#[tokio::test]
async fn an_undecided_folder_is_a_note() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.settings(
        "gemini",
        &json!({ "ide": { "enabled": true }, "security": { "folderTrust": { "enabled": true } } }),
    );
    let verdict = machine.ask(&[]);
    assert_eq!((verdict.ids(0), verdict.code), (vec!["undecided-folder".into()], Some(0)), "only a note");
}

#[tokio::test]
async fn reading_the_version_leaves_no_files() {
    let machine = TestMachine::with(&[]);
    // Agents write such files whenever they start.
    let script =
        "#!/bin/sh\necho > \"$HOME/.gemini/projects.json.$$.tmp\"; echo > \"$TMPDIR/left\"; echo 0.61.0\n";
    machine.program(
        &machine.home.path("bin/gemini"),
        &script.replace("$HOME/.gemini", "${GEMINI_CLI_HOME:-$HOME/.gemini}"),
    );
    let files = || [files_below(&machine.home.path("home")), files_below(&machine.home.path("tmp"))];
    let before = files();
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.json["agents"][0]["version"], "0.61.0", "{:#}", verdict.json);
    assert_eq!(files(), before);
}

#[tokio::test]
async fn reports_a_release_without_ide_mode() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.1.9"]).await;
    machine.is("old-agent", "npm install -g @google/gemini-cli");
}

#[tokio::test]
async fn reports_a_release_that_needs_vscode() {
    let (machine, _desk, record) = TestMachine::serving(&["gemini 0.6.1"]).await;
    machine.gemini_file(machine.editor(), record.port, &record);
    machine.is("needs-vscode-terminal", "TERM_PROGRAM=vscode gemini");
}

#[tokio::test]
async fn reports_a_release_that_sends_no_token() {
    let (mut machine, _desk, record) = TestMachine::serving(&["gemini 0.5.5"]).await;
    machine.gemini_file(machine.editor(), record.port, &record);
    machine.set("TERM_PROGRAM", "vscode");
    machine.is("sends-no-token", "npm install -g @google/gemini-cli");
}

#[tokio::test]
async fn an_unknown_release_is_a_note() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 9.0.0"]).await;
    let verdict = machine.ask(&[]);
    assert_eq!((verdict.ids(0), verdict.code), (vec!["unknown-release".into()], Some(0)));
    assert_eq!(verdict.json["agents"][0]["wouldConnect"], true);
}

#[tokio::test]
async fn reports_an_agent_started_before_the_companion() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let agent = machine.starts_gemini(&machine.home.project).await;
    // The system records start times in ticks of 10 ms.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let (_desk, _) = machine.companion().await;
    let verdict = machine.is("started-earlier", "/ide enable");
    let said = verdict.what();
    assert!(said.contains(&agent.pid().to_string()), "{said}");
}

#[tokio::test]
async fn an_agent_of_another_companion_is_fine() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let (first, second) = (Process::open(), Process::open());
    let _editor = Editor::with_plugin(&machine.home, &first, &[&machine.home.project]);
    let _session = machine.home.agent().await;
    let _agent = machine.starts_gemini(&machine.home.project).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    // The directory around the project is another one, and serves the project as well.
    let around = machine.home.project.parent().unwrap().to_owned();
    let _later = Editor::with_plugin(&machine.home, &second, &[&around]);
    until("two hosts", || (machine.home.hosts().len() == 2).then_some(())).await;
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.ids(0), ["several-companions"], "{:#}", verdict.json);
}

#[tokio::test]
async fn an_agent_started_later_is_fine() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let _agent = machine.starts_gemini(&machine.home.project).await;
    let verdict = machine.ask(&[]);
    assert_eq!((verdict.ids(0), verdict.code), (vec![], Some(0)), "{:#}", verdict.json);
}

#[tokio::test]
async fn reports_a_companion_without_diffs() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let port = super::support::listener(without_tools);
    machine.gemini_file(1, port, &machine.theirs(port));
    machine.is("no-diffs", "use alongside");
}

#[tokio::test]
async fn two_releases_are_examined_separately() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.install("other-bin", "gemini", "0.1.9");
    let (_desk, _) = machine.companion().await;
    let mut command = machine.home.alongside(&["doctor", "--json", "--container", "no"]);
    let path = format!("{}:{}", machine.path_variable(), machine.home.path("other-bin").display());
    let json = crate::support::finish(command.env("PATH", path)).json();
    let said =
        |at: usize| (json["agents"][at]["version"].clone(), json["agents"][at]["wouldConnect"].clone());
    assert_eq!(
        [said(0), said(1)],
        [("0.61.0".into(), true.into()), ("0.1.9".into(), false.into())],
        "{json:#}"
    );
}

#[tokio::test]
async fn a_launcher_without_package_prints_its_version() {
    let machine = TestMachine::with(&[]);
    machine.program(&machine.home.path("bin/qwen"), "#!/bin/sh\necho 'qwen v0.5.2'\n");
    let (_desk, _) = machine.companion().await;
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.json["agents"][0]["version"], "0.5.2", "{:#}", verdict.json);
}
