//! Causes in the hooks of agents. A hook that fails, or is none, is no reason why an agent does not connect.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::support::{TestMachine, Verdict};

const OWN: &str = env!("CARGO_BIN_EXE_alongside");

fn entry(event: &str, matcher: &str, command: &str, timeout: u64) -> Value {
    let hook = json!({ "type": "command", "name": "alongside", "command": command, "timeout": timeout });
    json!({ event: [{ "matcher": matcher, "hooks": [hook] }] })
}

/// The doctor's words about the hook of an agent.
fn hook_of<'v>(verdict: &'v Verdict, agent: &str) -> &'v Value {
    let hooks = verdict.json["hooks"].as_array().unwrap();
    let found = hooks.iter().find(|hook| hook["agent"] == agent);
    found.unwrap_or_else(|| panic!("no hook of {agent}: {:#}", verdict.json))
}

fn ids(verdict: &Verdict, agent: &str) -> Vec<String> {
    let causes = hook_of(verdict, agent)["causes"].as_array().unwrap();
    causes.iter().map(|cause| cause["id"].as_str().unwrap().to_owned()).collect()
}

/// The settings of Gemini CLI with an entry of ours.
fn set_gemini(machine: &TestMachine, matcher: &str, command: &str, timeout: u64) {
    let hooks = entry("BeforeTool", matcher, command, timeout);
    machine.settings(
        "gemini",
        &json!({ "ide": { "enabled": true }, "hooks": hooks,
        "security": { "folderTrust": { "enabled": false } } }),
    );
}

#[tokio::test]
async fn an_installed_hook_raises_no_alarm() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    assert_snapshot!(machine.home.stable(machine.run(&["gemini"])), @"
    ✓ Gemini CLI 0.61.0 would connect to alongside (port [PORT], [PROJECT])

    - no hook in Gemini CLI: changes without a question come to no desk (`alongside install gemini`)
    ");
    let mut install = machine.home.alongside(&["install", "gemini", "--hook", "--yes"]);
    let installed = crate::support::finish(install.env("PATH", machine.path_variable()));
    assert!(installed.status.success(), "{}", installed.said());

    let verdict = machine.ask(&[]);
    assert_eq!(verdict.code, Some(0), "{:#}", verdict.json);
    assert_eq!(ids(&verdict, "gemini"), Vec::<String>::new(), "{:#}", verdict.json);
    let file = machine.home.path("home/.gemini/settings.json");
    assert_eq!(hook_of(&verdict, "gemini")["files"], json!([file]));
    assert_snapshot!(machine.home.stable(machine.run(&[])), @"
    ✓ Gemini CLI 0.61.0 would connect to alongside (port [PORT], [PROJECT])

    ✓ Gemini CLI has the hook ([HOME]/.gemini/settings.json)
    - a hook that is killed, or that cannot start, lets the change through without a review
    ");
}

#[test]
fn reports_what_keeps_a_hook_from_its_work() {
    let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
    let (all, own) = ("write_file|replace", format!("{OWN} hook gemini"));
    let own = own.as_str();
    let other = machine.home.directory("other").join("alongside");
    machine.program(&other, "#!/bin/sh\n");
    let other = format!("{} hook gemini", other.display());
    let other = other.as_str();
    for (matcher, command, timeout, id, words) in [
        ("replace", own, 3_600_000, "hook-matcher", "\"write_file|replace\""),
        (all, own, 30_000, "hook-timeout", "cut off after 30 s"),
        (all, "/gone/alongside hook gemini", 3_600_000, "hook-program-missing", "/gone/alongside"),
        (all, other, 3_600_000, "hook-other-program", OWN),
    ] {
        set_gemini(&machine, matcher, command, timeout);
        let verdict = machine.ask(&["gemini"]);
        assert_eq!(ids(&verdict, "gemini"), [id], "{:#}", verdict.json);
        let cause = &hook_of(&verdict, "gemini")["causes"][0];
        assert!(cause["what"].as_str().unwrap().contains(words), "{cause:#}");
        assert_eq!(cause["cure"][0], "alongside install gemini --hook", "{cause:#}");
    }

    set_gemini(&machine, all, own, 3_600_000);
    machine.home.file(".gemini/settings.json", r#"{ "hooksConfig": { "disabled": ["alongside"] } }"#);
    assert_eq!(ids(&machine.ask(&["gemini"]), "gemini"), ["hook-switched-off"]);
    machine.home.file(".gemini/settings.json", "{");
    assert_eq!(ids(&machine.ask(&["gemini"]), "gemini"), ["hook-settings-broken"]);

    let command = format!("{OWN} hook qwen");
    let hooks = entry("PreToolUse", "^(write_file|edit|notebook_edit)$", &command, 60_000);
    machine.settings("qwen", &json!({ "ide": { "enabled": true }, "hooks": hooks }));
    let verdict = machine.ask(&["qwen"]);
    assert_eq!(ids(&verdict, "qwen"), ["hook-incomplete"], "{:#}", verdict.json);
}

#[test]
fn codex_says_whether_it_trusts_the_hook() {
    let machine = TestMachine::with(&[]);
    let verdict = machine.ask(&["codex"]);
    assert_eq!((verdict.code, ids(&verdict, "codex")), (Some(0), vec![]), "{:#}", verdict.json);

    let mut hooks = entry("PreToolUse", "apply_patch", &format!("{OWN} hook codex"), 3600);
    hooks["PermissionRequest"] = hooks["PreToolUse"].clone();
    let file = machine.write("home/.codex/hooks.json", &json!({ "hooks": hooks }).to_string());
    let program = machine.home.path("bin/codex");
    let answers = |listed: &Value| {
        let answer = json!({ "id": 1, "result": { "data": [{ "hooks": listed }] } });
        let script = "#!/bin/sh\nread -r hello; echo '{\"id\":0,\"result\":{}}'\nread -r ready; read -r \
                      list\necho '{\"method\":\"x\"}'\n";
        machine.program(&program, &format!("{script}echo '{answer}'\nread -r end\n"));
    };
    let listed = |status: &str, enabled: bool| {
        json!([{ "command": format!("{OWN} hook codex"), "sourcePath": file, "enabled": enabled,
            "trustStatus": status }])
    };
    for (hooks, ids_then) in [
        (listed("trusted", true), vec![]),
        (listed("untrusted", true), vec!["hook-untrusted"]),
        (listed("trusted", false), vec!["hook-disabled"]),
        (json!([]), vec!["hook-not-read"]),
    ] {
        answers(&hooks);
        let verdict = machine.ask(&[]);
        assert_eq!(ids(&verdict, "codex"), ids_then, "{:#}", verdict.json);
        assert_eq!(verdict.code, Some(0), "{:#}", verdict.json);
    }
    machine.program(&program, "#!/bin/sh\nexit 1\n");
    assert_eq!(ids(&machine.ask(&["codex"]), "codex"), ["hook-trust-unknown"]);
}
