//! Causes in a terminal: stale variables, and the programs in PATH.

use super::support::{TestMachine, dead_port, listener};

#[tokio::test]
async fn reports_variables_of_a_companion_that_is_gone() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["qwen 0.12.0"]).await;
    let port = dead_port();
    machine.qwen_file(port, &machine.theirs(port));
    machine.set("QWEN_CODE_IDE_SERVER_PORT", port);
    machine.is("stale-variables", "unset QWEN_CODE_IDE_SERVER_PORT");
}

#[tokio::test]
async fn stale_variables_are_a_note_if_the_agent_connects() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let port = dead_port();
    machine.set("GEMINI_CLI_IDE_SERVER_PORT", port);
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.ids(0), ["stale-variables-beside"], "{:#}", verdict.json);
    let cause = &verdict.json["agents"][0]["causes"][0];
    assert_eq!(cause["cure"][0], "unset GEMINI_CLI_IDE_SERVER_PORT");
    assert_eq!((&verdict.json["agents"][0]["wouldConnect"], verdict.code), (&true.into(), Some(0)));
}

#[tokio::test]
async fn reports_variables_of_another_project() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["qwen 0.12.0"]).await;
    let port = listener(|_| None);
    let mut record = machine.theirs(port);
    record["workspacePath"] = "/elsewhere".into();
    machine.qwen_file(port, &record);
    machine.set("QWEN_CODE_IDE_SERVER_PORT", port);
    machine.set("QWEN_CODE_IDE_WORKSPACE_PATH", "/elsewhere");
    machine.is("variables-elsewhere", "unset QWEN_CODE_IDE_SERVER_PORT QWEN_CODE_IDE_WORKSPACE_PATH");
}

#[test]
fn reports_variables_without_editor_name() {
    let mut machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.set("GEMINI_CLI_IDE_SERVER_PORT", listener(super::support::without_tools));
    let project = machine.home.project.display().to_string();
    machine.set("GEMINI_CLI_IDE_WORKSPACE_PATH", project);
    machine.is("variables-alone", "TERM_PROGRAM=vscode gemini");
}

#[tokio::test]
async fn reports_alongside_missing_in_path() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let mut command = machine.home.alongside(&["doctor", "--json", "--container", "no"]);
    let output = crate::support::finish(command.env("PATH", machine.home.path("bin")));
    let json = output.json();
    assert_eq!(json["alongside"][0]["id"], "alongside-not-in-path", "{json:#}");
    assert_eq!(output.status.code(), Some(0), "agents are not affected");
}

#[tokio::test]
async fn reports_two_versions_of_alongside() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.program(&machine.home.path("bin/alongside"), "#!/bin/sh\necho alongside 0.0.1\n");
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.of_ourselves(), ["two-alongsides"], "{:#}", verdict.json);
}

#[test]
fn reports_an_agent_outside_of_path() {
    let machine = TestMachine::with(&[]);
    machine.home.directory("home/.npm-global/bin");
    machine.install("home/.npm-global/bin", "gemini", "0.61.0");
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.ids(0), ["no-companion", "agent-not-in-path"], "{:#}", verdict.json);
}

#[test]
fn reports_a_program_that_an_adapter_needs() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.program(&machine.home.path("bin/kak"), "#!/bin/sh\nexit 255\n");
    let path = format!("{}:/usr/bin:/bin", machine.path_variable());
    let mut install = machine.home.alongside(&["install", "kakoune", "--yes"]);
    let installed = crate::support::finish(install.env("PATH", path));
    assert!(installed.status.success(), "{}", installed.err);
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.of_ourselves(), ["adapter-needs-program"], "{:#}", verdict.json);
    assert_eq!(verdict.json["alongside"][0]["cure"][0], "cargo install kak-lsp");
    machine.program(&machine.home.path("bin/kak-lsp"), "#!/bin/sh\n");
    assert_eq!(machine.ask(&[]).of_ourselves(), Vec::<String>::new());
}

#[test]
fn reports_an_outdated_adapter() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.program(&machine.home.path("bin/nvim"), "#!/bin/sh\necho 'NVIM v0.10.4'\n");
    let path = format!("{}:/usr/bin:/bin", machine.path_variable());
    let mut install = machine.home.alongside(&["install", "neovim", "--yes"]);
    let installed = crate::support::finish(install.env("PATH", path));
    assert!(installed.status.success(), "{}", installed.err);
    assert_eq!(machine.ask(&[]).of_ourselves(), Vec::<String>::new(), "a new installation is up to date");

    let package = machine.home.path("home/.local/share/nvim/site/pack/alongside/start/alongside");
    machine.program(&package.join("plugin/alongside.lua"), "-- as an older version had it\n");
    let verdict = machine.ask(&[]);
    assert_eq!(verdict.of_ourselves(), ["old-adapter"], "{:#}", verdict.json);
    assert_eq!(verdict.json["alongside"][0]["cure"][0], "alongside install neovim");
}
