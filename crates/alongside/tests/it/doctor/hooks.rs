//! Causes in the hooks of agents. An agent connects even if its hook fails or is missing.

use std::path::Path;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{TestMachine, cause_lines};
use crate::support::write_program;

/// The path of alongside in the entries of hooks.
const PROGRAM: &str = env!("CARGO_BIN_EXE_alongside");

/// Returns the hooks of an agent's settings with one entry.
fn entry(event: &str, matcher: &str, command: &str, timeout: u64) -> Value {
    let hook = json!({ "type": "command", "name": "alongside", "command": command, "timeout": timeout });
    json!({ event: [{ "matcher": matcher, "hooks": [hook] }] })
}

/// Writes the settings of Gemini CLI with one entry of a hook.
fn set_gemini(machine: &TestMachine, matcher: &str, command: &str, timeout: u64) {
    machine.settings("gemini", &with_hooks(&entry("BeforeTool", matcher, command, timeout)));
}

/// Returns settings of Gemini CLI with IDE mode on, every folder trusted, and these hooks.
fn with_hooks(hooks: &Value) -> Value {
    let trusted = json!({ "folderTrust": { "enabled": false } });
    json!({ "ide": { "enabled": true }, "hooks": hooks, "security": trusted })
}

#[tokio::test]
async fn an_installed_hook_has_no_cause() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.record_report(&["gemini"]);
    machine.succeeds(&["install", "gemini", "--hook", "--yes"]);
    machine.record_causes("# with the hook");
    machine.record_report(&[]);
    assert_snapshot!(machine.home.transcript());
}

/// Qwen Code edits without asking by default. By installing a hook, the person has chosen when to review
/// edits.
#[tokio::test]
async fn an_approval_mode_is_no_fault_beside_a_working_hook() {
    let (machine, _desk, _record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    machine.settings("qwen", &json!({ "ide": { "enabled": true } }));
    let names_mode = || machine.run(&["qwen", "--json"]).out.contains("approval-mode");
    assert!(names_mode(), "without a hook");
    for hook in ["--hook", "--turns"] {
        machine.succeeds(&["install", "qwen", hook, "--yes"]);
        assert!(!names_mode(), "with {hook}");
        machine.succeeds(&["uninstall", "qwen", "--yes"]);
        machine.settings("qwen", &json!({ "ide": { "enabled": true } }));
    }
    machine.succeeds(&["install", "qwen", "--hook", "--yes"]);
    machine.home.file(".qwen/settings.json", r#"{ "disableAllHooks": true }"#);
    assert!(names_mode(), "with the hook switched off");
}

#[tokio::test]
async fn reports_what_keeps_a_hook_from_its_work() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.24.4"]).await;
    let other = machine.home.directory("other").join("alongside");
    write_program(&other, "#!/bin/sh\n");
    let (all, own, other) = ("write_file|replace", Path::new(PROGRAM), other.as_path());
    for (remark, matcher, program, timeout) in [
        ("for one of two tools", "replace", own, 3_600_000),
        ("that may take 30 s", all, own, 30_000),
        ("of a program that is gone", all, Path::new("/gone/alongside"), 3_600_000),
        ("of another program", all, other, 3_600_000),
    ] {
        set_gemini(&machine, matcher, &format!("{} hook gemini", program.display()), timeout);
        machine.record_causes(&format!("gemini # with a hook {remark}"));
    }

    set_gemini(&machine, all, &format!("{PROGRAM} hook gemini"), 3_600_000);
    for settings in [r#"{ "hooksConfig": { "disabled": ["alongside"] } }"#, "{"] {
        machine.home.file(".gemini/settings.json", settings);
        machine.record_causes(&format!("gemini # where the project has {settings}"));
    }

    let command = format!("{PROGRAM} hook qwen");
    let hooks = entry("PreToolUse", "^(write_file|edit|notebook_edit)$", &command, 60_000);
    let tools = json!({ "approvalMode": "default" });
    machine.settings("qwen", &json!({ "ide": { "enabled": true }, "tools": tools, "hooks": hooks }));
    assert_snapshot!(machine.transcript_with("qwen # with one of two hooks"));
}

#[test]
fn codex_says_whether_it_trusts_the_hook() {
    let machine = TestMachine::with(&[]);
    machine.record_causes("codex");
    let mut hooks = entry("PreToolUse", "apply_patch", &format!("{PROGRAM} hook codex"), 3600);
    hooks["PermissionRequest"] = hooks["PreToolUse"].clone();
    let file = machine.write("home/.codex/hooks.json", &json!({ "hooks": hooks }).to_string());
    assert_snapshot!(asked_for_trust(
        &machine,
        &file,
        &format!("{PROGRAM} hook codex"),
        "# with a hook, where Codex"
    ));
}

/// Returns the findings about a hook in a file, for each answer of Codex to the question which hooks it
/// trusts.
fn asked_for_trust(machine: &TestMachine, file: &Path, command: &str, remark: &str) -> String {
    let program = machine.home.path("bin/codex");
    let listed = |status: &str, enabled: bool| {
        json!([{ "command": command, "sourcePath": file, "enabled": enabled,
            "trustStatus": status }])
    };
    for (what, hooks) in [
        ("trusts it", listed("trusted", true)),
        ("does not trust it", listed("untrusted", true)),
        ("has switched it off", listed("trusted", false)),
        ("does not list it", json!([])),
    ] {
        let answer = json!({ "id": 1, "result": { "data": [{ "hooks": hooks }] } });
        let script = "#!/bin/sh\nread -r hello; echo '{\"id\":0,\"result\":{}}'\nread -r ready; read -r \
                      list\necho '{\"method\":\"x\"}'\n";
        write_program(&program, &format!("{script}echo '{answer}'\nread -r end\n"));
        machine.record_causes(&format!("{remark} {what}"));
    }
    write_program(&program, "#!/bin/sh\nexit 1\n");
    machine.transcript_with("codex # where it does not answer")
}

/// With two entries, the person would be asked twice about each edit.
#[tokio::test]
async fn a_hook_that_is_there_twice_is_named() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let mut hooks = entry("BeforeTool", "write_file|replace", &format!("{PROGRAM} hook gemini"), 3_600_000);
    let own = hooks["BeforeTool"].as_array_mut().unwrap();
    own.push(own[0].clone());
    machine.settings("gemini", &with_hooks(&hooks));
    assert_snapshot!(machine.transcript_with("gemini"));
}

#[tokio::test]
async fn other_hooks_on_the_same_tools_are_named() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let own = format!("{PROGRAM} hook gemini");
    let sets = |matcher: Option<&str>, command: &str| {
        let mut other = json!({ "hooks": [{ "type": "command", "command": command }] });
        if let Some(matcher) = matcher {
            other["matcher"] = matcher.into();
        }
        let mut hooks = entry("BeforeTool", "write_file|replace", &own, 3_600_000);
        hooks["BeforeTool"].as_array_mut().unwrap().push(other);
        machine.settings("gemini", &with_hooks(&hooks));
    };
    let names_another = || machine.run(&["gemini", "--json"]).out.contains("hook-other-hook");
    for matcher in [None, Some(""), Some("*"), Some(".*"), Some("replace"), Some("^write_.*$"), Some("(")] {
        sets(matcher, "format-code --now");
        assert!(names_another(), "{matcher:?}");
    }
    machine.record_causes("gemini # beside a formatter");
    for matcher in [Some("run_shell_command"), Some("^file$")] {
        sets(matcher, "audit");
        assert!(!names_another(), "{matcher:?}");
    }
    let theirs = json!({ "BeforeTool": [{ "matcher": "replace", "hooks": [{ "command": "theirs" }] }] });
    machine.home.file(".gemini/settings.json", &json!({ "hooks": theirs }).to_string());
    machine.record_causes("gemini # beside one of the project");
    // Without alongside's hook, no hook accepts an edit.
    machine.settings("gemini", &json!({ "ide": { "enabled": true } }));
    assert!(!names_another());
    assert_snapshot!(machine.home.transcript(), @r#"
    $ alongside doctor --json gemini | causes # beside a formatter
    gemini 0.61.0 connects (port [OURS])
    hook of gemini: [HOME]/.gemini/settings.json
      note hook-fails-open: if the hook dies, is late or cannot start, Gemini CLI makes the change
      ↪ without a review
      note hook-other-hook: Gemini CLI also runs format-code --now before the same tools
      ↪ ([HOME]/.gemini/settings.json): if that changes the text, its text may be written instead of
      ↪ yours
          if it changes files, take it out of [HOME]/.gemini/settings.json, or run it after the tools
    $ alongside doctor --json gemini | causes # beside one of the project
    gemini 0.61.0 connects (port [OURS])
    hook of gemini: [HOME]/.gemini/settings.json
      note hook-fails-open: if the hook dies, is late or cannot start, Gemini CLI makes the change
      ↪ without a review
      note hook-other-hook: Gemini CLI also runs theirs before the same tools
      ↪ ([PROJECT]/.gemini/settings.json): if that changes the text, its text may be written instead
      ↪ of yours
          if it changes files, take it out of [PROJECT]/.gemini/settings.json, or run it after the
      ↪ tools
    "#);
}

#[tokio::test]
async fn a_hook_that_does_not_find_the_companion_is_reported() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    set_gemini(&machine, "write_file|replace", &format!("{PROGRAM} hook gemini"), 3_600_000);
    let elsewhere = machine.home.directory("elsewhere/alongside");
    machine.set("ALONGSIDE_RUNTIME_DIR", elsewhere.display());
    assert_snapshot!(machine.transcript_with("gemini # with a hook that looks elsewhere"), @r#"
    $ alongside doctor --json gemini | causes # with a hook that looks elsewhere
    gemini 0.61.0 connects (port [OURS])
    hook of gemini: [HOME]/.gemini/settings.json
      hinders hook-finds-no-companion: alongside (port [OURS], [PROJECT]) serves this directory, but
      ↪ the hook does not find it in [BASE]/elsewhere/alongside: changes without a question come to no
      ↪ desk
          hooks ask companions of alongside only: end its editors and desks, and start them again
      ↪ without ALONGSIDE_RUNTIME_DIR; or in another terminal:
          alongside
      note hook-fails-open: if the hook dies, is late or cannot start, Gemini CLI makes the change
      ↪ without a review
    "#);
}

/// The desks of the killed companion are stopped: they hold its port, but do not start it again.
#[tokio::test]
async fn a_companion_that_nobody_starts_again_is_reported() {
    let (machine, mut desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    desk.shows("alongside serves").await;
    set_gemini(&machine, "write_file|replace", &format!("{PROGRAM} hook gemini"), 3_600_000);
    desk.signal(Signal::STOP);
    machine.home.kill_hosts();
    let json = machine.run(&["gemini", "--json"]).json();
    let cause = &json["hooks"][0]["causes"][0];
    let listed = format!("hook:\n  {} {}:", cause["weight"].as_str().unwrap(), cause["id"].as_str().unwrap());
    assert_snapshot!(listed, @r"
    hook:
      hinders hook-companion-restarts:
    ");
}

/// The consequence depends on the agent's release and on the entry in its settings.
#[test]
fn the_consequence_of_a_dead_hook_is_told_for_each_release() {
    let machine = TestMachine::with(&["claude 2.1.332"]);
    machine.succeeds(&["install", "claude", "--hook", "--yes"]);
    let settings = machine.home.path("home/.claude/settings.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    let package = machine.home.path("lib-bin/node_modules/@anthropic-ai/claude-code/package.json");
    let mut old: Value = serde_json::from_str(&text).unwrap();
    let hook = &mut old["hooks"]["PreToolUse"][0]["hooks"][0];
    hook["command"] = format!("{PROGRAM} hook claude").into();
    hook.as_object_mut().unwrap().remove("onFailure");
    let mut changed = old.clone();
    changed["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = format!("nice {PROGRAM} hook claude").into();

    let mut told = String::new();
    for (remark, version, entry) in [
        ("as installed", "2.1.332", &text),
        ("in a release that overlooks the entry", "2.1.294", &text),
        ("in an unknown release", "next", &text),
        ("with the entry of an older alongside", "2.1.332", &old.to_string()),
        ("with words of the person", "2.1.332", &changed.to_string()),
    ] {
        let json = json!({ "name": "@anthropic-ai/claude-code", "version": version });
        std::fs::write(&package, json.to_string()).unwrap();
        std::fs::write(&settings, entry).unwrap();
        let json = machine.run(&["claude", "--json"]).json();
        told += &format!("{remark}\n{}", cause_lines(&json["hooks"][0]["causes"]));
    }
    assert_snapshot!(machine.home.stable(told));
}

/// Writes settings of Gemini CLI with entries of turn hooks, each an event and a command.
fn set_turns(machine: &TestMachine, entries: &[(&str, &str)], more: &Value) {
    let mut hooks = json!({});
    for (event, command) in entries {
        let hook = json!({ "type": "command", "command": command, "timeout": 10_000 });
        let groups = hooks[*event].as_array().cloned().unwrap_or_default();
        hooks[*event] = groups.into_iter().chain([json!({ "hooks": [hook] })]).collect();
    }
    let mut settings = with_hooks(&hooks);
    for (key, value) in more.as_object().unwrap() {
        settings[key] = value.clone();
    }
    machine.settings("gemini", &settings);
}

#[tokio::test]
async fn reports_what_keeps_turns_from_being_noted() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let other = machine.home.directory("other").join("alongside");
    write_program(&other, "#!/bin/sh\n");
    let own = format!("{PROGRAM} turn gemini");
    let other = format!("{} turn gemini", other.display());
    let (begin, end) = ("BeforeAgent", "AfterAgent");
    let gone = "/gone/alongside turn gemini";
    let disabled = json!({ "hooksConfig": { "disabled": ["alongside-turn"] } });
    for (remark, entries, more) in [
        ("without the end", vec![(begin, &*own)], json!({})),
        ("of a program that is gone", vec![(begin, gone), (end, gone)], json!({})),
        ("of another program", vec![(begin, &*other), (end, &*other)], json!({})),
        ("that are there twice", vec![(begin, &*own), (end, &*own), (end, &*own)], json!({})),
        ("beside a hook of somebody else", vec![(begin, &*own), (end, &*own), (end, "notify")], json!({})),
        ("that are switched off", vec![(begin, &*own), (end, &*own)], disabled),
    ] {
        set_turns(&machine, &entries, &more);
        machine.record_causes(&format!("gemini # with entries {remark}"));
    }
    set_turns(&machine, &[(begin, &own), (end, &own)], &json!({}));
    let settings = machine.home.path("home/.gemini/settings.json");
    let short = std::fs::read_to_string(&settings).unwrap().replace("10000", "2000");
    std::fs::write(&settings, short).unwrap();
    assert_snapshot!(machine.transcript_with("gemini # with entries that may take 2 s"));
}

#[test]
fn codex_says_whether_it_trusts_the_hook_of_turns() {
    let machine = TestMachine::with(&[]);
    let command = format!("{PROGRAM} turn codex");
    let entry = json!([{ "hooks": [{ "type": "command", "command": command, "timeout": 10 }] }]);
    let hooks = json!({ "hooks": { "UserPromptSubmit": entry, "Stop": entry } });
    let file = machine.write("home/.codex/hooks.json", &hooks.to_string());
    assert_snapshot!(asked_for_trust(&machine, &file, &command, "codex # where Codex"));
}
