//! IDE mode in the agents' own settings: switched on, and back again.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use insta::assert_snapshot;

use crate::support::{Home, Running};

#[test]
fn ide_mode_is_switched_on_and_other_bytes_stay() {
    let home = Home::new();
    home.agent_program("gemini", "0.61.0");
    home.agent_program("qwen", "0.24.4");
    let gemini = "{\n  // key\n  \"mcpServers\": { \"x\": { \"env\": { \"KEY\": \"secret\" } } },\n\
                  \x20 \"ide\": { \"enabled\": false }\n}\n";
    let path = home.writes(".gemini/settings.json", gemini);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let before = home.everything();

    home.lists("Gemini CLI");
    home.plays(&["install agent --yes"]);
    assert_eq!(home.reads(".gemini/settings.json"), gemini.replace("false", "true"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let copy = home.in_home(".gemini/settings.json.before-alongside");
    assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o777, 0o600);
    home.lists("Qwen Code");
    home.plays(&["install agents"]);

    // The agent writes its own settings.
    let qwen = home.reads(".qwen/settings.json").replace("\n}\n", ",\n  \"$version\": 3\n}\n");
    home.writes(".qwen/settings.json", &qwen);
    home.succeeds(&["uninstall", "agent", "--yes"]);
    assert_eq!(home.reads(".gemini/settings.json"), gemini);
    assert_eq!(home.reads(".qwen/settings.json"), "{\n  \"$version\": 3\n}\n");
    fs::remove_file(home.in_home(".qwen/settings.json")).unwrap();
    assert_eq!(home.everything(), before);
    assert_snapshot!(home.played());
}

#[tokio::test]
async fn uninstall_leaves_no_copy_whatever_changed_since() {
    let home = Home::new();
    home.agent_program("gemini", "0.61.0");
    let theirs = "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}";
    home.writes(".gemini/settings.json", theirs);
    let mut said = BTreeSet::new();
    for what in ["gemini", "--all"] {
        home.succeeds(&["install", "gemini", "--yes"]);
        let off = home.reads(".gemini/settings.json").replace("true", "false");
        home.writes(".gemini/settings.json", &off);
        home.succeeds(&["install", "gemini", "--yes"]);
        said.insert(home.says(&["uninstall", what, "--yes"]));
        assert_eq!(home.reads(".gemini/settings.json"), off);
        assert!(!home.in_home(".gemini/settings.json.before-alongside").exists());
        home.writes(".gemini/settings.json", theirs);
    }
    assert_snapshot!(said.into_iter().collect::<String>());

    // The second change makes a copy of what only the first one wrote.
    home.agent_program("qwen", "0.24.4");
    let before = home.everything();
    let mut install = home.asks(&["install", "qwen"]);
    for question in ["1 of 3: ", "2 of 3: ", "3 of 3: Install the hook"] {
        install.shows(question).await;
        install.shows("[y/N] ").await;
        install.presses("y\n");
    }
    assert!(install.ends().success());
    home.succeeds(&["uninstall", "qwen", "--yes"]);
    assert_eq!(home.everything(), before);
}

#[test]
fn uninstall_asks_nothing_where_nothing_changes() {
    let home = Home::new();
    home.agent_program("gemini", "0.61.0");
    home.writes(".gemini/settings.json", "{\"theme\": \"x\"}\n");
    let before = home.everything();
    let mut said = BTreeSet::new();
    for what in ["--all", "gemini"] {
        home.succeeds(&["install", "gemini", "--yes"]);
        // The agent writes its own settings without the key.
        home.writes(".gemini/settings.json", "{\"theme\": \"x\"}\n");
        let installed = home.everything();
        let shown = home.says(&["uninstall", what, "--dry-run"]);
        assert_eq!(home.everything(), installed);
        said.insert(shown + &home.says(&["uninstall", what]));
        assert_eq!(home.everything(), before);
    }
    assert_snapshot!(said.into_iter().collect::<String>());
}

#[test]
fn broken_settings_of_one_agent_do_not_stop_the_other() {
    let home = Home::new();
    home.agent_program("gemini", "0.61.0");
    home.agent_program("qwen", "0.24.4");
    let broken = "{\n  \"ide\": { \"enabled\": false, },\n}\n";
    home.writes(".qwen/settings.json", broken);
    home.plays(&["install agent --yes"]);
    assert_eq!(home.reads(".qwen/settings.json"), broken);
    assert!(home.reads(".gemini/settings.json").contains("true"));
    home.lists("Qwen Code");
    assert_snapshot!(home.played());
}

#[test]
fn a_launched_agent_shows_its_release() {
    let home = Home::new();
    home.agent_program("gemini", "0.61.0");
    let script = home.path("lib/gemini/dist/cli.js");
    fs::remove_file(home.path("bin/gemini")).unwrap();
    home.program("gemini", &format!("exec node {} \"$@\"\n", script.display()));
    home.lists("Gemini CLI");
    assert_snapshot!(home.played(), @"
    $ alongside install --list
    …
    Gemini CLI 0.61.0 IDE mode off: alongside install gemini
    …
    ");
}

#[test]
fn an_overriding_settings_file_is_reported() {
    let home = Home::new();
    home.agent_program("qwen", "0.24.4");
    home.file(".qwen/settings.json", r#"{"ide": {"enabled": false}}"#);
    assert_snapshot!(home.says(&["install", "qwen", "--yes"]));
}

#[test]
fn the_approval_mode_is_offered_but_no_yes_of_a_script_changes_it() {
    let home = Home::new();
    home.agent_program("qwen", "0.24.4");
    let before = home.everything();
    assert_snapshot!(home.says(&["install", "agent", "--dry-run"]));
    assert_eq!(home.everything(), before);

    let said = home.succeeds(&["install", "agent", "--yes"]);
    assert!(said.contains("start it as `qwen --approval-mode default`"), "{said}");
    assert!(!home.reads(".qwen/settings.json").contains("approvalMode"));

    // The person's own choice is no default: it is named, and nothing is offered.
    home.writes(
        ".qwen/settings.json",
        "{\"ide\": {\"enabled\": true}, \"tools\": {\"approvalMode\": \"yolo\"}}",
    );
    let said = home.succeeds(&["install", "agent", "--dry-run"]);
    assert!(said.contains("(approval mode \"yolo\")") && !said.contains("\"default\""), "{said}");
}

#[tokio::test]
async fn several_questions_have_numbers() {
    let home = Home::new();
    home.agent_program("qwen", "0.24.4");
    let mut one = home.asks(&["install", "qwen"]);
    one.shows("1 of 3: Switch on IDE mode in Qwen Code").await;
    one.presses("n\n");
    // The hook needs no IDE mode; a question about the approval mode would make no sense.
    one.shows("3 of 3: Install the hook in Qwen Code? [y/N] ").await;
    one.presses("n\n");
    assert_eq!(one.ends().code(), Some(1));

    home.agent_program("gemini", "0.61.0");
    let mut all = home.asks(&["install", "agent"]);
    for question in [
        "1 of 5: Switch on IDE mode in Gemini CLI",
        "2 of 5: Install the hook in Gemini CLI",
        "3 of 5: Switch on IDE mode in Qwen Code",
    ] {
        all.shows(question).await;
        all.shows("[y/N] ").await;
        all.presses("y\n");
    }
    all.shows("4 of 5: Make Qwen Code ask before it edits? [y/N] ").await;
    all.presses("n\n");
    all.shows("5 of 5: Install the hook in Qwen Code? [y/N] ").await;
    all.presses("y\n");
    all.shows("Next, in your project: alongside run -- gemini (in an editor: alongside install)").await;
    assert_eq!(all.ends().code(), Some(0));

    // With the hook, changes come to the desk in every mode: no question is left.
    let mut rest = home.asks(&["install", "agent"]);
    let seen = rest.shows("Next, in your project: alongside run -- gemini").await;
    assert!(!seen.contains("[y/N]"), "{seen}");
    assert_eq!(rest.ends().code(), Some(0));

    // Without the hook, both questions come again.
    home.does(&["uninstall", "qwen", "--yes"]);
    home.does(&["install", "qwen", "--yes"]);
    let mut one = home.asks(&["install", "agent"]);
    let seen = one.shows("Make Qwen Code ask before it edits? [y/N] ").await;
    assert!(seen.contains("1 of 2: Make Qwen Code ask"), "{seen}");
    one.presses("n\n");
    one.shows("2 of 2: Install the hook in Qwen Code? [y/N] ").await;
    one.presses("n\n");
    assert_eq!(one.ends().code(), Some(0));
}

#[tokio::test]
async fn run_and_review_say_that_ide_mode_is_off() {
    let home = Home::new();
    home.agent_program("gemini", "0.61.0");
    assert_snapshot!(home.says(&["run", "--no-desk", "gemini"]), @"
    --- errors:
    alongside: IDE mode is off in Gemini CLI 0.61.0, so it does not connect to alongside. `alongside
      ↪ install gemini` switches it on
    alongside: cannot start gemini: Exec format error (os error 8)
      hint: did you mean `alongside run -- gemini`?
    --- exit code 1
    ");
    assert!(!home.in_home(".gemini/settings.json").exists(), "nobody was there to agree");

    let mut review = home.asks(&["review"]);
    review.shows("IDE mode is off in Gemini CLI: `alongside install agent` switches it on.").await;
    review.leaves();
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
    // The look at the start is over.
    tokio::time::sleep(Duration::from_millis(500)).await;
    home.writes(".gemini/settings.json", "{\"ide\": {\"enabled\": false}}\n");
    desk.shows("Gemini").await;
    assert!(!ran.exists(), "the desk looks every few seconds");

    // The program runs for a change that the person wants to see.
    desk.presses("i");
    desk.shows("enabled").await;
    assert!(ran.exists());
    home.writes(".gemini/settings.json", "{\"ide\": {\"enabled\": true}}\n");
    // A key that comes before the screen is drawn is ignored.
    tokio::time::sleep(Duration::from_millis(200)).await;
    desk.presses("y");
    desk.shows("already.").await;
    desk.presses("q");
    assert!(desk.ends().success());
}
