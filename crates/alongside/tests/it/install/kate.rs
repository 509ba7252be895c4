//! The server in Kate's settings: where it goes, and what is left of it.

use insta::assert_snapshot;

use crate::support::Home;

const KATE: &str = "echo 'kate 26.08.2'\n";
const SETTINGS: &str = ".config/kate/lspclient/settings.json";

#[test]
fn kate_gets_a_server_once_and_loses_it() {
    let home = Home::with_program("kate", KATE);
    let before = home.everything();
    assert!(home.succeeds(&["install", "kate", "--dry-run"]).contains("one server for a document"));
    home.plays(&["install kate --yes --language Python"]);
    let settings: serde_json::Value = serde_json::from_str(&home.reads(SETTINGS)).unwrap();
    assert_eq!(settings["servers"]["~alongside"]["command"][1], "lsp");
    assert_eq!(settings["servers"]["python"]["use"], "~alongside");

    home.changes_nothing(&["install kate"]);
    home.lists("Kate");
    home.succeeds(&["uninstall", "kate", "--yes"]);
    assert_eq!(home.everything(), before);
    assert_snapshot!(home.played());
}

#[test]
fn a_mistyped_language_is_refused_and_an_unknown_one_doubted() {
    let home = Home::with_program("kate", KATE);
    let before = home.everything();
    home.plays(&["pyhton", "C++", ""].map(|name| format!("install kate --yes --language {name}")));
    assert_snapshot!(home.played());
    assert_eq!(home.everything(), before);
    let shown = home.succeeds(&["install", "kate", "--dry-run", "--language", "brainfuck"]);
    assert!(shown.contains("alongside serves it anyway, if Kate has"), "{shown}");
    home.writes(SETTINGS, "{ \"servers\": { \"pyhton\": {}, \"markdown\": { \"use\": \"mine\" } } }\n");
    let shown = home.succeeds(&["install", "kate", "--dry-run", "--language", "pyhton"]);
    assert!(shown.contains("Markdown keeps the server") && !shown.contains("serves it anyway"), "{shown}");
}

#[test]
fn settings_of_the_person_stay() {
    let home = Home::with_program("kate", KATE);
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
    let home = Home::with_program("kate", KATE);
    home.writes(SETTINGS, "{ \"servers\": \n");
    let before = home.everything();
    assert_snapshot!(home.says(&["install", "kate", "--yes"]), @"
    --- errors:
    alongside: cannot read [HOME]/.config/kate/lspclient/settings.json: Expected value after colon in
      ↪ object property on line 2 column 1
      hint: correct it in Kate: Settings → Configure Kate → LSP Client → User Server Settings
    --- exit code 1
    ");
    assert_eq!(home.everything(), before);
}
