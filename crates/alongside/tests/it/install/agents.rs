//! IDE mode in the settings of agents: `install` turns it on, and `uninstall` restores the settings.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use insta::assert_snapshot;

use crate::support::{Home, Running, mode_of, set_mode};

#[test]
fn ide_mode_is_switched_on_and_other_bytes_stay() {
    let home = Home::with_agent("gemini", "0.61.0");
    home.agent_program("qwen", "0.24.4");
    let gemini = "{\n  // key\n  \"mcpServers\": { \"x\": { \"env\": { \"KEY\": \"secret\" } } },\n\
                  \x20 \"ide\": { \"enabled\": false }\n}\n";
    let path = home.writes(".gemini/settings.json", gemini);
    set_mode(&path, 0o600);
    let before = home.all_files();

    home.record_list_row("Gemini CLI");
    home.run_recorded(&["install agent --yes"]);
    let on = gemini.replace("false", "true");
    let now = home.reads(".gemini/settings.json");
    assert_eq!(now.split_once(",\n  \"hooks\": {").map(|(before, _)| before), on.strip_suffix("\n}\n"));
    assert_eq!(mode_of(&path), 0o600);
    let copy = home.in_home(".gemini/settings.json.before-alongside");
    assert_eq!(mode_of(copy), 0o600);
    home.record_list_row("Qwen Code");
    home.run_recorded(&["install agents"]);

    // The agent changes its settings after the installation.
    let qwen = home.reads(".qwen/settings.json").replace("\n}\n", ",\n  \"$version\": 3\n}\n");
    home.writes(".qwen/settings.json", &qwen);
    home.succeeds(&["uninstall", "agent", "--yes"]);
    assert_eq!(home.reads(".gemini/settings.json"), gemini);
    assert_eq!(home.reads(".qwen/settings.json"), "{\n  \"$version\": 3\n}\n");
    fs::remove_file(home.in_home(".qwen/settings.json")).unwrap();
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[tokio::test]
async fn uninstall_leaves_no_copy_whatever_changed_since() {
    let home = Home::with_agent("gemini", "0.61.0");
    let theirs = "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}";
    home.writes(".gemini/settings.json", theirs);
    let mut said = BTreeSet::new();
    for what in ["gemini", "--all"] {
        home.succeeds(&["install", "gemini", "--yes"]);
        let off = home.reads(".gemini/settings.json").replace("true", "false");
        home.writes(".gemini/settings.json", &off);
        home.succeeds(&["install", "gemini", "--yes"]);
        said.insert(home.output_of(&["uninstall", what, "--yes"]));
        let rest = theirs.replace("{\"security", "{\n  \"security");
        let rest = format!("{},\n  \"ide\": {{\n    \"enabled\": false\n  }}\n}}", &rest[..rest.len() - 1]);
        assert_eq!(home.reads(".gemini/settings.json"), rest);
        assert!(!home.in_home(".gemini/settings.json.before-alongside").exists());
        home.writes(".gemini/settings.json", theirs);
    }
    assert_snapshot!(said.into_iter().collect::<String>());

    // The second change backs up a text that only the first change wrote.
    home.agent_program("qwen", "0.24.4");
    let before = home.all_files();
    let mut install = home.start_at_terminal(&["install", "qwen"]);
    install.shows("3  let me choose").await;
    install.shows("Number (Enter for 1): ").await;
    install.presses("3\n");
    for question in ["1 of 4: ", "2 of 4: ", "3 of 4: Review after", "4 of 4: Ask at your desk"] {
        install.shows(question).await;
        install.shows("[y/N] ").await;
        install.presses("y\n");
    }
    assert!(install.ends().success());
    home.succeeds(&["uninstall", "qwen", "--yes"]);
    assert_eq!(home.all_files(), before);
}

#[test]
fn uninstall_asks_nothing_where_nothing_changes() {
    let home = Home::with_agent("gemini", "0.61.0");
    home.writes(".gemini/settings.json", "{\"theme\": \"x\"}\n");
    let before = home.all_files();
    let mut said = BTreeSet::new();
    for what in ["--all", "gemini"] {
        home.succeeds(&["install", "gemini", "--yes"]);
        // The agent rewrites its settings without the key.
        home.writes(".gemini/settings.json", "{\"theme\": \"x\"}\n");
        let installed = home.all_files();
        let shown = home.output_of(&["uninstall", what, "--dry-run"]);
        assert_eq!(home.all_files(), installed);
        said.insert(shown + &home.output_of(&["uninstall", what]));
        assert_eq!(home.all_files(), before);
    }
    assert_snapshot!(said.into_iter().collect::<String>());
}

#[test]
fn broken_settings_of_one_agent_do_not_stop_the_other() {
    let home = Home::with_agent("gemini", "0.61.0");
    home.agent_program("qwen", "0.24.4");
    let broken = "{\n  \"ide\": { \"enabled\": false, },\n}\n";
    home.writes(".qwen/settings.json", broken);
    home.run_recorded(&["install agent --yes"]);
    assert_eq!(home.reads(".qwen/settings.json"), broken);
    assert!(home.reads(".gemini/settings.json").contains("true"));
    home.record_list_row("Qwen Code");
    assert_snapshot!(home.transcript());
}

#[test]
fn a_launched_agent_shows_its_release() {
    let home = Home::with_agent("gemini", "0.61.0");
    let script = home.path("lib/gemini/dist/cli.js");
    fs::remove_file(home.path("bin/gemini")).unwrap();
    home.program("gemini", &format!("exec node {} \"$@\"\n", script.display()));
    home.record_list_row("Gemini CLI");
    assert_snapshot!(home.transcript(), @"
    $ alongside install --list
    …
    Gemini CLI 0.61.0 IDE mode off: alongside install gemini
    …
    ");
}

#[test]
fn an_overriding_settings_file_is_reported() {
    let home = Home::with_agent("qwen", "0.24.4");
    home.file(".qwen/settings.json", r#"{"ide": {"enabled": false}}"#);
    assert_snapshot!(home.output_of(&["install", "qwen", "--yes"]));
}

#[test]
fn the_approval_mode_is_offered_and_not_changed_by_yes_alone() {
    let home = Home::with_agent("qwen", "0.24.4");
    let before = home.all_files();
    assert_snapshot!(home.output_of(&["install", "agent", "--dry-run"]));
    assert_eq!(home.all_files(), before);

    let said = home.succeeds(&["install", "agent", "--yes"]);
    assert!(!said.contains("edits without asking"), "the review is after each turn: {said}");
    assert!(!home.reads(".qwen/settings.json").contains("approvalMode"));

    // A mode that the person has chosen is named, and no other mode is offered.
    let home = Home::with_agent("qwen", "0.24.4");
    home.writes(
        ".qwen/settings.json",
        "{\"ide\": {\"enabled\": true}, \"tools\": {\"approvalMode\": \"yolo\"}}",
    );
    let said = home.succeeds(&["install", "agent", "--dry-run"]);
    assert!(said.contains("(approval mode \"yolo\")") && !said.contains("\"default\""), "{said}");
}

/// One answer chooses the parts, and one answer confirms the changes of all agents.
#[tokio::test]
async fn one_choice_sets_all_agents_up() {
    let home = Home::with_agent("gemini", "0.61.0");
    home.agent_program("qwen", "0.24.4");
    home.program("codex", "echo 'codex-cli 0.169.0'\n");
    let before = home.all_files();
    for (answers, code) in [(["4\n", ""], 1), (["1\n", "n\n"], 1), (["\n", "\n"], 1), (["\x03", ""], 130)] {
        let mut install = home.start_at_terminal(&["install", "agent"]);
        install.shows("Number (Enter for 1): ").await;
        install.presses(answers[0]);
        if !answers[1].is_empty() {
            install.shows("Make these changes? [y/N] ").await;
            install.presses(answers[1]);
            install.shows("nothing is changed").await;
            install.shows("run it again, and type y at this question, to make these changes").await;
        }
        assert_eq!(install.ends().code(), Some(code));
        assert_eq!(home.all_files(), before);
    }

    let mut recommended = home.start_at_terminal(&["install", "agent"]);
    let asked = recommended.shows("Number (Enter for 1): ").await;
    let shown = recommended.presses_and_shows("\n", "Make these changes? [y/N] ").await;
    assert!(shown.contains("turn gemini") && shown.contains("turn codex"), "{shown}");
    assert!(!shown.contains("hook gemini") && !shown.contains("approvalMode"), "{shown}");
    let files = "Files that change: ~/.codex/hooks.json, ~/.gemini/settings.json, ~/.qwen/settings.json";
    assert!(shown.contains(files), "{shown}");
    // Enter chooses the first option in the previous question, and makes no change in this one.
    assert!(shown.contains("y makes these changes; Enter makes none."), "{shown}");
    // The preview of the second change of a file starts from the text after the first change.
    let lines: Vec<_> = shown.lines().map(str::trim_end).collect();
    let begins = |old: &str| {
        let is_it = |pair: &&[&str]| pair[0].ends_with(old) && pair[1].ends_with(".qwen/settings.json");
        lines.windows(2).filter(is_it).count()
    };
    assert_eq!((begins("--- /dev/null"), begins(".qwen/settings.json")), (1, 1), "{shown}");
    let made = recommended.presses_and_shows("y\n", "Next, in your project: alongside run -- gemini").await;
    assert_eq!(recommended.ends().code(), Some(0));
    let [gemini, qwen, codex] =
        [".gemini/settings.json", ".qwen/settings.json", ".codex/hooks.json"].map(|file| home.reads(file));
    for (text, agent) in [(&gemini, "gemini"), (&qwen, "qwen"), (&codex, "codex")] {
        assert!(
            text.contains(&format!("turn {agent}")) && !text.contains(&format!("hook {agent}")),
            "{text}"
        );
        assert_eq!(text.contains("\"ide\""), agent != "codex", "{text}");
    }
    assert!(!qwen.contains("approvalMode"), "{qwen}");

    // An installed part is not offered.
    let mut both = home.start_at_terminal(&["install", "agent"]);
    let rest = both.shows("Number (Enter for 3): ").await;
    both.presses_and_shows("1\n", "Make these changes? [y/N] ").await;
    both.presses_and_shows("y\n", "Next, in your project: ").await;
    assert_eq!(both.ends().code(), Some(0));
    for (file, agent) in [(".gemini/settings.json", "gemini"), (".codex/hooks.json", "codex")] {
        let text = home.reads(file);
        assert!(text.contains(&format!("turn {agent}")) && text.contains(&format!("hook {agent}")), "{text}");
    }
    let mut all = home.start_at_terminal(&["install", "agent"]);
    let seen = all.shows("Next, in your project: alongside run -- gemini").await;
    assert!(!seen.contains("Number") && !seen.contains("[y/N]"), "{seen}");
    assert_eq!(all.ends().code(), Some(0));
    home.record_list_row("Qwen Code");
    home.succeeds(&["uninstall", "agent", "--yes"]);
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.stable([asked, made, rest].join("\n---\n")) + &home.transcript());
}

/// The second choice includes the hook that asks for a decision before each write.
#[tokio::test]
async fn the_second_choice_also_installs_the_hook_before_writes() {
    let home = Home::with_agent("qwen", "0.24.4");
    let mut install = home.start_at_terminal(&["install", "agent"]);
    install.shows("Number (Enter for 1): ").await;
    install.presses_and_shows("2\n", "Make these changes? [y/N] ").await;
    install.presses_and_shows("y\n", "Next, in your project: ").await;
    assert_eq!(install.ends().code(), Some(0));
    let qwen = home.reads(".qwen/settings.json");
    assert!(["\"ide\"", "turn qwen", "hook qwen"].iter().all(|part| qwen.contains(part)), "{qwen}");
    assert!(!qwen.contains("approvalMode"), "{qwen}");
}

#[tokio::test]
async fn a_person_who_chooses_is_asked_about_each_part() {
    let home = Home::with_agent("qwen", "0.24.4");
    let mut one = home.start_at_terminal(&["install", "qwen"]);
    one.shows("Number (Enter for 1): ").await;
    one.presses_and_shows("x\n", "Type a number from 1 to 4, or only Enter: ").await;
    one.presses_and_shows("3\n", "1 of 4: Switch on IDE mode in Qwen Code").await;
    one.presses("n\n");
    // Without IDE mode, the question about the approval mode makes no sense and is skipped. Hooks do not need
    // IDE mode.
    one.shows("3 of 4: Review after each turn of Qwen Code? [y/N] ").await;
    one.presses_and_shows("n\n", "4 of 4: Ask at your desk before each write of Qwen Code? [y/N] ").await;
    one.presses("n\n");
    assert_eq!(one.ends().code(), Some(1));

    home.agent_program("gemini", "0.61.0");
    let mut all = home.start_at_terminal(&["install", "agent"]);
    all.shows("Number (Enter for 1): ").await;
    all.presses("3\n");
    for (question, answer) in [
        ("1 of 7: Switch on IDE mode in Gemini CLI", "y\n"),
        ("2 of 7: Review after each turn of Gemini CLI", "y\n"),
        ("3 of 7: Ask at your desk before each write of Gemini CLI", "n\n"),
        ("4 of 7: Switch on IDE mode in Qwen Code", "y\n"),
        ("5 of 7: Make Qwen Code ask before it edits", "n\n"),
        ("6 of 7: Review after each turn of Qwen Code", "n\n"),
        ("7 of 7: Ask at your desk before each write of Qwen Code", "y\n"),
    ] {
        all.shows(question).await;
        all.shows("[y/N] ").await;
        all.presses(answer);
    }
    all.shows("Next, in your project: alongside run -- gemini (in an editor: alongside install)").await;
    assert_eq!(all.ends().code(), Some(0));
    let (gemini, qwen) = (home.reads(".gemini/settings.json"), home.reads(".qwen/settings.json"));
    assert!(gemini.contains("turn gemini") && !gemini.contains("hook gemini"), "{gemini}");
    assert!(qwen.contains("hook qwen") && !qwen.contains("turn qwen"), "{qwen}");

    // A single part is confirmed by one question, without a choice by number.
    let mut rest = home.start_at_terminal(&["install", "qwen"]);
    let seen = rest.shows("Review after each turn of Qwen Code? [y/N] ").await;
    assert!(!seen.contains("Number") && !seen.contains("1 of "), "{seen}");
    rest.presses_and_shows("y\n", "Next, in your project: ").await;
    assert_eq!(rest.ends().code(), Some(0));
}

#[tokio::test]
async fn run_and_review_say_that_ide_mode_is_off() {
    let home = Home::with_agent("gemini", "0.61.0");
    assert_snapshot!(home.output_of(&["run", "--no-desk", "gemini"]), @"
    --- errors:
    alongside: IDE mode is off in Gemini CLI 0.61.0, so it does not connect to alongside. `alongside
      ↪ install gemini` switches it on
    alongside: cannot start gemini: Exec format error
      hint: did you mean `alongside run -- gemini`?
    --- exit code 1
    ");
    assert!(!home.in_home(".gemini/settings.json").exists(), "nobody was there to agree");

    let mut review = home.start_at_terminal(&["review"]);
    review.shows("IDE mode is off in Gemini CLI: `alongside install agent` switches it on.").await;
    review.leaves();
}

/// By installing a hook, the person has chosen when to review.
#[test]
fn run_does_not_warn_of_an_approval_mode_beside_a_hook() {
    for hook in ["--hook", "--turns"] {
        let home = Home::with_agent("qwen", "0.24.4");
        home.writes(".qwen/settings.json", "{\"ide\": {\"enabled\": true}}\n");
        let warns = || {
            home.run_with_path(&["run", "--no-desk", "qwen"]).err.contains("Qwen Code edits without asking")
        };
        assert!(warns(), "without a hook");
        home.succeeds(&["install", "qwen", hook, "--yes"]);
        assert!(!warns(), "{hook}");
    }
}

#[tokio::test]
async fn the_desk_follows_the_settings_and_runs_no_agent_for_it() {
    let home = Home::new();
    let ran = home.path("ran");
    home.program("gemini", &format!("echo ran >> {}\necho 0.61.0\n", ran.display()));
    home.writes(".gemini/settings.json", "{\"ide\": {\"enabled\": true}}\n");
    let program = env!("CARGO_BIN_EXE_alongside");
    let desk = format!("/bin/stty rows 24 cols 80\nexec {program} --theme dark\n");
    home.program("desk", &desk);
    let mut command = home.command("setsid");
    home.with_path(&mut command);
    command.args(["--ctty", "desk"]).env("TERM", "xterm-256color");
    let mut desk = Running::at_terminal(&mut command);
    desk.shows("agent").await;
    // The desk has read the settings at its start.
    tokio::time::sleep(Duration::from_millis(500)).await;
    home.writes(".gemini/settings.json", "{\"ide\": {\"enabled\": false}}\n");
    desk.shows("Gemini").await;
    assert!(!ran.exists(), "the desk looks every few seconds");

    // The desk runs the agent's program for the preview of a change.
    desk.presses_and_shows("i", "enabled").await;
    assert!(ran.exists());
    home.writes(".gemini/settings.json", "{\"ide\": {\"enabled\": true}}\n");
    // The desk ignores keys that come before the screen is drawn.
    tokio::time::sleep(Duration::from_millis(200)).await;
    desk.presses_and_shows("y", "already.").await;
    desk.presses("q");
    assert!(desk.ends().success());
}
