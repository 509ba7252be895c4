//! The hooks in the settings of agents: `install` adds them after a consent, and `uninstall` removes them.

use std::fs;

use insta::assert_snapshot;

use super::machine::NEOVIM;
use crate::support::{Home, finish, write_file};

/// The agents, each with its file of hooks below the home directory.
const FILES: [(&str, &str); 4] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
];

/// Returns the end of the command in an agent's entry, with its quotation mark. For Claude Code, which
/// refuses a change if its hook fails, and for Codex, which shows an exit code, a guard surrounds the
/// command.
fn command(agent: &str) -> String {
    let line = format!("{} hook {agent}", env!("CARGO_BIN_EXE_alongside"));
    match agent {
        "claude" => format!("exec {line}; else echo "),
        "codex" => format!("; fi' {line}\""),
        _ => format!("\"command\": \"{line}\""),
    }
}

/// Returns the command of the entries that record turns.
fn of_turns(agent: &str) -> String {
    let line = format!("{} turn {agent}\"", env!("CARGO_BIN_EXE_alongside"));
    if agent == "codex" { format!("; fi' {line}") } else { format!("\"command\": \"{line}") }
}

#[test]
fn a_hook_is_installed_once_and_removed_again() {
    for (agent, file) in FILES {
        for theirs in [None, Some("{\n  // mine\n  \"x\": 1\n}\n")] {
            let home = Home::new();
            if let Some(text) = theirs {
                home.writes(file, text);
            }
            let before = home.all_files();
            let shown = home.succeeds(&["install", agent, "--dry-run"]);
            assert!(shown.contains("elsewhere nothing changes."), "{shown}");
            assert!(
                shown.lines().any(|line| line.starts_with('+') && line.contains(&command(agent))),
                "{shown}"
            );
            assert_eq!(home.all_files(), before);

            let said = home.succeeds(&["install", agent, "--yes", "--hook"]);
            assert!(said.contains("runs the hook from its next start."), "{said}");
            assert_eq!(said.contains("(\"Hooks need review\")"), agent == "codex", "{said}");
            assert!(said.contains("notes its turns from its next start."), "{said}");
            let text = home.reads(file);
            assert!(text.contains(&command(agent)) && text.contains(&of_turns(agent)), "{text}");
            assert_eq!(text.contains("// mine"), theirs.is_some(), "{text}");
            let installed = home.all_files();
            let again = home.succeeds(&["install", agent, "--yes", "--hook"]);
            assert!(again.contains("the hook is installed; nothing to do."), "{again}");
            assert!(again.contains("its turns are noted; nothing to do."), "{again}");
            assert_eq!(home.all_files(), installed);

            // The agent changes its settings after the installation.
            if theirs.is_some() {
                home.writes(file, &text.replace("// mine", "// still mine"));
            }
            home.succeeds(&["uninstall", agent, "--yes"]);
            if let Some(text) = theirs {
                assert_eq!(home.reads(file), text.replace("// mine", "// still mine"));
                home.writes(file, text);
            }
            assert_eq!(home.all_files(), before, "{agent}");
        }
    }
}

#[test]
fn yes_alone_adds_no_hook_before_writes_but_updates_one() {
    let home = Home::with_agent("gemini", "0.61.0");
    home.run_recorded(&["install agent --yes"]);
    let text = home.reads(".gemini/settings.json");
    assert!(text.contains(&of_turns("gemini")) && !text.contains(&command("gemini")), "{text}");

    home.succeeds(&["install", "agent", "--yes", "--hook"]);
    let text = home.reads(".gemini/settings.json");
    assert!(text.contains("\"name\": \"alongside\"") && text.contains("3600000"), "{text}");
    assert!(text.contains("\"name\": \"alongside-turn\"") && text.contains("10000"), "{text}");
    let own = command("gemini");
    let old = text.replace(&own, "\"command\": \"/old/alongside hook gemini\"").replace("3600000", "60000");
    let old = old.replace(&of_turns("gemini"), "\"command\": \"/old/alongside turn gemini\"");
    assert_ne!(old, text);
    home.writes(".gemini/settings.json", &old);
    home.succeeds(&["install", "agent", "--yes"]);
    assert_eq!(home.reads(".gemini/settings.json"), text);
    home.record_list_row("Gemini CLI");
    assert_snapshot!(home.transcript());
}

/// Codex asks for trust in each command line, not in a program.
#[test]
fn codex_asks_again_about_an_entry_of_an_older_version() {
    let home = Home::new();
    let said = home.succeeds(&["install", "codex", "--yes", "--hook"]);
    assert!(said.contains("Codex asks at its next start") && !said.contains("asks again"), "{said}");
    let text = home.reads(".codex/hooks.json");
    let plain = |line: &str| match line.split_once("; fi' ") {
        Some((_, ours)) => format!("\"command\": \"{ours}\n"),
        None => format!("{line}\n"),
    };
    let old: String = text.lines().map(plain).collect();
    assert_eq!(old.matches("/bin/sh").count() + text.matches("/bin/sh").count(), 4, "{text}");
    home.writes(".codex/hooks.json", &old);
    let doctor = home.run_with_path(&["doctor", "codex"]).all_output();
    assert!(doctor.contains("hooks.json") && !doctor.contains("lacks the hook"), "{doctor}");
    let shown = home.succeeds(&["install", "codex", "--hook", "--dry-run"]);
    assert!(shown.contains("Codex asks again whether to trust the hook, and skips it until then"), "{shown}");
    let said = home.succeeds(&["install", "codex", "--yes"]);
    assert!(said.contains("Codex asks again at its next start whether to trust the hook"), "{said}");
    for agent in [command("codex"), of_turns("codex")] {
        assert_eq!(home.reads(".codex/hooks.json").matches(&agent).count(), 2, "{agent}");
    }
    home.writes(".codex/hooks.json", &old);
    home.succeeds(&["uninstall", "codex", "--yes"]);
    assert!(
        !home.in_home(".codex/hooks.json").exists() || !home.reads(".codex/hooks.json").contains("alongside")
    );
}

#[test]
fn uninstalling_names_the_trust_that_codex_keeps() {
    let home = Home::new();
    let said = home.succeeds(&["install", "codex", "--yes", "--hook"]);
    assert!(said.contains("unless it trusts this very entry from before"), "{said}");
    let hooks = home.in_home(".codex/hooks.json");
    let record = format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n", hooks.display());
    let kept = home.writes(".codex/config.toml", &record);
    let said = home.run_with_path(&["uninstall", "codex", "--yes"]).all_output();
    let named = "keeps its own record in ~/.codex/config.toml that you trusted the hook";
    assert!(said.contains(named), "{said}");
    assert!(!hooks.exists());
    assert_eq!(fs::read_to_string(kept).unwrap(), record);
}

#[tokio::test]
async fn at_a_terminal_codex_gets_its_hooks_after_a_yes() {
    let home = Home::with_program("codex", "echo 'codex-cli 0.169.0'\n");
    let before = home.all_files();
    home.run_recorded(&["install codex"]);
    home.record_list_row("Codex");
    for (answer, code) in [("n\n", 1), ("\x03", 130)] {
        let mut install = home.start_at_terminal(&["install", "codex"]);
        install.shows("1  recommended: review after each turn").await;
        install.shows("Number (Enter for 1): ").await;
        install.presses_and_shows("2\n", "Make these changes? [y/N] ").await;
        install.presses(answer);
        assert_eq!(install.ends().code(), Some(code));
        assert_eq!(home.all_files(), before);
    }
    let mut install = home.start_at_terminal(&["install", "agent"]);
    install.shows("Number (Enter for 1): ").await;
    install.presses_and_shows("2\n", "Make these changes? [y/N] ").await;
    let said = install.presses_and_shows("y\n", "Next, in your project").await;
    assert_eq!(said.matches("Hooks need review").count(), 1, "{said}");
    assert!(install.ends().success());
    let text = home.reads(".codex/hooks.json");
    assert!(text.contains(&command("codex")) && text.contains(&of_turns("codex")), "{text}");
    home.succeeds(&["uninstall", "agent", "--yes"]);
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[test]
fn a_project_gets_a_hook_of_its_own() {
    for (agent, file, note) in [
        ("claude", ".claude/settings.local.json", "for you alone"),
        ("codex", ".codex/hooks.json", "everyone who works on the project"),
        ("gemini", ".gemini/settings.json", "everyone who works on the project"),
        ("qwen", ".qwen/settings.json", "everyone who works on the project"),
    ] {
        let home = Home::new();
        let before = home.all_files();
        let path = home.project.join(file);
        let text = || fs::read_to_string(&path).unwrap();
        let said = home.succeeds(&["install", agent, "--project", "--hook"]);
        assert!(said.contains(note) && !said.contains("IDE mode"), "{said}");
        assert!(text().contains(&command(agent)) && !text().contains(&of_turns(agent)), "{}", text());
        let said = home.succeeds(&["install", agent, "--project", "--turns"]);
        assert!(said.contains(note), "{said}");
        assert!(text().contains(&command(agent)) && text().contains(&of_turns(agent)), "{}", text());
        home.succeeds(&["uninstall", agent, "--yes"]);
        assert!(!path.parent().unwrap().exists());
        assert_eq!(home.all_files(), before);

        let mut inside = home.alongside(&["install", agent, "--project", "--hook"]);
        home.with_path(&mut inside);
        let output = finish(inside.current_dir(home.path("home")));
        assert!(output.all_output().contains("home directory, not a project"), "{}", output.all_output());
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(home.all_files(), before);
    }
}

#[test]
fn a_hook_that_no_list_names_is_removed_too() {
    for (agent, file) in FILES {
        for what in [agent, "agent", "--all"] {
            let home = Home::new();
            let theirs = r#"{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [] }] } }"#;
            home.writes(file, theirs);
            home.succeeds(&["install", agent, "--hook", "--yes"]);
            fs::remove_file(home.in_home(".local/state/alongside/installed.json")).unwrap();
            // Without the list of installed parts, IDE mode would stay on.
            let with_hook = home.reads(file);
            assert!(with_hook.contains(&command(agent)) && with_hook.contains(&of_turns(agent)));
            let said = home.succeeds(&["uninstall", what, "--yes"]);
            assert!(!home.reads(file).contains("alongside") && home.reads(file).contains("Bash"), "{said}");
            let rest = home.run_with_path(&["uninstall", agent, "--yes"]);
            assert!(rest.all_output().contains("nothing was installed for"), "{}", rest.all_output());
        }
    }
}

#[test]
fn editors_and_broken_files_get_no_hook() {
    let home = Home::with_program("nvim", NEOVIM);
    home.run_recorded(&["install neovim --hook"]);

    let path = home.writes(".codex/hooks.json", "{\n  \"hooks\": [],,\n}\n");
    let before = home.all_files();
    home.run_recorded(&["install codex --hook"]);
    write_file(&path, "{\"hooks\": []}\n");
    home.run_recorded(&["install codex --hook"]);
    write_file(&path, "{\n  \"hooks\": [],,\n}\n");
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[test]
fn an_entry_that_the_person_changed_is_kept_shown_and_removed() {
    let own = env!("CARGO_BIN_EXE_alongside");
    for line in [
        format!("{own} hook claude --timeout 120"),
        format!("nice {own} hook claude"),
        format!("env MINE=1 {own} hook claude"),
    ] {
        let home = Home::new();
        let before = home.all_files();
        home.succeeds(&["install", "claude", "--hook", "--yes"]);
        let text = home.reads(".claude/settings.json").replace(&format!("{own} hook claude"), &line);
        assert!(text.contains(&line), "{text}");
        home.writes(".claude/settings.json", &text);
        let again = home.succeeds(&["install", "claude", "--hook", "--yes"]);
        assert!(again.contains("the hook is installed; nothing to do."), "{again}");
        assert_eq!(home.reads(".claude/settings.json"), text);
        let doctor = home.run_with_path(&["doctor", "claude"]).all_output();
        assert!(!doctor.contains("hook-") && !doctor.contains("cut off"), "{doctor}");
        let said = home.succeeds(&["uninstall", "claude", "--yes", "--verbose"]);
        assert!(said.lines().any(|shown| shown.starts_with('-') && shown.contains(&line)), "{said}");
        assert_eq!(home.all_files(), before);
    }
}

#[test]
fn the_hook_goes_where_the_agent_reads_it() {
    // The file has a byte-order mark and the key `hooks` twice, of which Claude Code reads the second.
    let home = Home::with_agent("claude", "2.1.332");
    let theirs = "\u{feff}{\"hooks\": {\"Stop\": []}, \"hooks\": {\"PreToolUse\": []}}\n";
    home.writes(".claude/settings.json", theirs);
    home.succeeds(&["install", "claude", "--hook", "--yes"]);
    let text = home.reads(".claude/settings.json");
    let json: serde_json::Value = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap()).unwrap();
    assert!(json["hooks"]["PreToolUse"][0]["hooks"][0]["command"].is_string(), "{text}");
    home.record_list_row("Claude Code");
    home.succeeds(&["uninstall", "claude", "--yes"]);
    assert_eq!(home.reads(".claude/settings.json"), theirs);

    // Gemini CLI does not read a file with a byte-order mark.
    let path = home.writes(".gemini/settings.json", "\u{feff}{}\n");
    home.run_recorded(&["install gemini --hook --yes"]);
    assert_eq!(fs::read_to_string(path).unwrap(), "\u{feff}{}\n");
    assert_snapshot!(home.transcript());
}

#[test]
fn the_preview_names_other_hooks_on_the_same_tools() {
    let home = Home::new();
    let theirs = r#"{"hooks": {"PreToolUse": [
        {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier --write"}]},
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "audit"}]}
    ]}}"#;
    home.writes(".claude/settings.json", theirs);
    let said = home.run_with_path(&["install", "claude", "--hook", "--dry-run"]).all_output();
    let line = said.lines().find(|line| line.contains("another hook")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("prettier --write") && line.contains(".claude/settings.json"), "{line}");
    assert_eq!(said.matches("another hook").count(), 1, "{said}");
}

/// The entry of an older version does not refuse a change if the hook fails. `install --yes` updates it.
#[test]
fn install_makes_an_older_entry_of_claude_code_refuse() {
    let home = Home::with_agent("claude", "2.1.332");
    let file = ".claude/settings.json";
    let before = home.all_files();
    home.succeeds(&["install", "claude", "--yes", "--hook"]);
    let text = home.reads(file);
    let own = env!("CARGO_BIN_EXE_alongside");
    assert!(text.contains("\"onFailure\": \"block\"") && text.contains("systemMessage"), "{text}");
    let mut old: serde_json::Value = serde_json::from_str(&text).unwrap();
    let hook = &mut old["hooks"]["PreToolUse"][0]["hooks"][0];
    hook["command"] = format!("{own} hook claude").into();
    hook.as_object_mut().unwrap().remove("onFailure");
    home.writes(file, &serde_json::to_string_pretty(&old).unwrap());
    home.succeeds(&["install", "agent", "--yes"]);
    let new: serde_json::Value = serde_json::from_str(&home.reads(file)).unwrap();
    assert_eq!(new, serde_json::from_str::<serde_json::Value>(&text).unwrap());
    home.succeeds(&["uninstall", "agent", "--yes"]);
    assert_eq!(home.all_files(), before);
}

/// These are the entries that an earlier docs/turns.md told people to write by hand.
#[test]
fn entries_added_by_hand_are_taken_over_and_removed() {
    let home = Home::with_agent("claude", "2.1.332");
    let file = ".claude/settings.json";
    let by_hand = r#"{"hooks": {
        "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "alongside turn claude" }] }],
        "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] },
            { "hooks": [{ "type": "command", "command": "alongside turn claude" }] }]}}"#;
    home.writes(file, by_hand);
    let said = home.succeeds(&["install", "agent", "--yes"]);
    assert!(said.contains("another hook runs at the same events") && said.contains("mine"), "{said}");
    let text = home.reads(file);
    assert_eq!(text.matches(&of_turns("claude")).count(), 3, "{text}");
    assert!(text.contains("StopFailure") && !text.contains("\"alongside turn"), "{text}");
    home.succeeds(&["uninstall", "claude", "--yes"]);
    assert!(home.reads(file).contains("mine") && !home.reads(file).contains("alongside"));
}

/// A release that does not know an event ignores the whole file.
#[test]
fn an_older_claude_code_gets_only_the_events_that_it_knows() {
    for (version, has_it) in [("2.1.77", false), ("2.1.78", true)] {
        let home = Home::with_agent("claude", version);
        home.succeeds(&["install", "claude", "--yes"]);
        let text = home.reads(".claude/settings.json");
        assert!(text.contains("\"Stop\"") && text.contains("StopFailure") == has_it, "{version}: {text}");
        let doctor = home.run_with_path(&["doctor", "claude"]).all_output();
        assert!(!doctor.contains("lacks the hook"), "{doctor}");
    }
}

#[test]
fn a_program_that_an_update_removes_is_installed_with_a_warning() {
    let home = Home::with_agent("claude", "2.1.332");
    let program = home.directory("_npx/1f/bin").join("alongside");
    let own = env!("CARGO_BIN_EXE_alongside");
    fs::hard_link(own, &program).or_else(|_| fs::copy(own, &program).map(drop)).unwrap();
    let mut command = home.command(&program);
    home.with_path(&mut command);
    command.args(["install", "claude", "--hook", "--yes"]);
    let ran = finish(command);
    assert!(ran.err.contains("/_npx/1f/bin/alongside, and agents then write without a review"), "{ran}");
    assert!(ran.err.contains("npm install --global alongside"), "{ran}");
    assert!(!home.succeeds(&["install", "claude", "--hook", "--yes"]).contains("npm install"));
}
