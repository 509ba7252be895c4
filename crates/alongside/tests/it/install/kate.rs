//! Installs the language server into Kate's settings, and removes it.

use insta::assert_snapshot;

use crate::support::Home;

/// A script that answers as Kate 26.08.2 does.
const KATE_PROGRAM: &str = "echo 'kate 26.08.2'\n";
/// The file with Kate's language servers, below the home directory.
const SETTINGS: &str = ".config/kate/lspclient/settings.json";

#[test]
fn install_adds_one_server_and_uninstall_removes_it() {
    let home = Home::with_program("kate", KATE_PROGRAM);
    let before = home.all_files();
    assert!(home.succeeds(&["install", "kate", "--dry-run"]).contains("one server for a document"));
    home.run_recorded(&["install kate --yes --language Python"]);
    let settings: serde_json::Value = serde_json::from_str(&home.reads(SETTINGS)).unwrap();
    assert_eq!(settings["servers"]["~alongside"]["command"][1], "lsp");
    assert_eq!(settings["servers"]["python"]["use"], "~alongside");

    home.changes_nothing(&["install kate"]);
    home.record_list_row("Kate");
    home.succeeds(&["uninstall", "kate", "--yes"]);
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[test]
fn a_mistyped_language_is_refused_and_an_unknown_one_warned_about() {
    let home = Home::with_program("kate", KATE_PROGRAM);
    let before = home.all_files();
    home.run_recorded(&["pyhton", "C++", ""].map(|name| format!("install kate --yes --language {name}")));
    assert_snapshot!(home.transcript());
    assert_eq!(home.all_files(), before);
    let shown = home.succeeds(&["install", "kate", "--dry-run", "--language", "brainfuck"]);
    assert!(shown.contains("alongside serves it anyway, if Kate has"), "{shown}");
    // A language that the person has configured counts as known.
    home.writes(SETTINGS, "{ \"servers\": { \"pyhton\": {}, \"markdown\": { \"use\": \"mine\" } } }\n");
    let shown = home.succeeds(&["install", "kate", "--dry-run", "--language", "pyhton"]);
    assert!(shown.contains("Markdown keeps the server") && !shown.contains("serves it anyway"), "{shown}");
}

#[test]
fn uninstall_keeps_later_edits_of_the_person() {
    let home = Home::with_program("kate", KATE_PROGRAM);
    let mine = "{\n  \"servers\": {\n    \"rust\": { \"command\": [\"mine\"] }\n  }\n}\n";
    home.writes(SETTINGS, mine);
    home.succeeds(&["install", "kate", "--yes"]);
    let changed = home.reads(SETTINGS).replace("mine", "other");
    home.writes(SETTINGS, &changed);
    home.succeeds(&["uninstall", "kate", "--yes"]);
    assert_eq!(home.reads(SETTINGS), mine.replace("mine", "other"));
}

#[test]
fn settings_that_are_not_valid_are_left_alone() {
    let home = Home::with_program("kate", KATE_PROGRAM);
    home.writes(SETTINGS, "{ \"servers\": \n");
    let before = home.all_files();
    assert_snapshot!(home.output_of(&["install", "kate", "--yes"]), @"
    --- errors:
    alongside: cannot read [HOME]/.config/kate/lspclient/settings.json: Expected value after colon in
      ↪ object property on line 2 column 1
      hint: correct it in Kate: Settings → Configure Kate → LSP Client → User Server Settings
    --- exit code 1
    ");
    assert_eq!(home.all_files(), before);
}
