//! Hovers on a proposal and the original of one: the text that a proposal removes.

use std::fs;

use alongside_desk::Closing;

use super::companion::Companion;
use super::showing::{NEW, OLD, proposed};
use super::*;

/// Returns the value of the hover at a line; empty without one.
fn hover(stage: &mut Stage, uri: &str, line: u32) -> String {
    let answered =
        stage.ask("textDocument/hover", json!({"textDocument": {"uri": uri}, "position": at(line, 0)}));
    assert!(answered);
    let seen = stage.seen();
    let contents = &seen.result()["contents"];
    let is_plain = stage.desk.editor.client().capabilities["textDocument"]["hover"].is_object();
    let kind = if is_plain { "plaintext" } else { "markdown" };
    assert!(contents.is_null() || contents["kind"] == kind, "{contents}");
    contents["value"].as_str().unwrap_or_default().to_owned()
}

async fn shown(editor: &str, old: &str, new: &str) -> (Stage, Companion, String) {
    let mut stage = Stage::new(editor, &[]);
    stage.open("notes.txt", old);
    let mut companion = Companion::proposes(&mut stage, "notes.txt", old, new).await;
    let own = stage.show_proposal(new);
    companion.serve(&mut stage).await;
    (stage, companion, own)
}

/// Returns the marks since the last look, with their ranges.
fn marks(stage: &Stage, uri: &str) -> Vec<(Value, String)> {
    let seen = stage.seen();
    let all = seen.all("textDocument/publishDiagnostics");
    let last = all.into_iter().rfind(|marks| marks["uri"] == uri).expect("it was marked");
    let mark = |mark: &Value| (mark["range"].clone(), mark["message"].as_str().unwrap().to_owned());
    last["diagnostics"].as_array().unwrap().iter().map(mark).collect()
}

#[tokio::test(start_paused = true)]
async fn a_deleted_change_marks_no_other_line_as_edited() {
    let (mut stage, mut companion, own) = shown("helix", OLD, NEW).await;
    stage.seen();
    stage.type_in(&own, "", range((1, 0), (2, 0)));
    companion.serve(&mut stage).await;
    let deleted = (range((1, 0), (1, 0)), "deleted above; proposed: TWO".to_owned());
    assert_eq!(marks(&stage, &own)[0], deleted);
    for line in [0, 1] {
        assert_eq!(stage.titles(&own, line)[0], "alongside: Drop this change and your edit of it");
        assert!(hover(&mut stage, &own, line).contains("deleted by you"), "line {line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hover_shows_the_whole_diff_and_the_state() {
    let old = "one\ntwo\nthree\nfour\nfive\n";
    let (mut stage, mut companion, own) = shown("helix", old, "one\nTWO\n2\nfour\nfive\n").await;
    let diff = "```diff\n@@ -2,2 +2,2 @@\n-two\n-three\n+TWO\n+2\n```";
    for line in [1, 2] {
        let kept = "**Change 1 of 1: kept.** Drop it with `space a`, or type your own text.";
        assert_eq!(hover(&mut stage, &own, line), format!("{kept}\n\n{diff}"), "line {line}");
    }
    assert_eq!(hover(&mut stage, &own, 0), "The next change (1 of 1) is at line 2.");
    assert_eq!(hover(&mut stage, &own, 4), "The last change (1 of 1) is at line 2.");
    stage.type_in(&own, "Zwei", range((1, 0), (1, 3)));
    companion.serve(&mut stage).await;
    let edited = "**Change 1 of 1: edited by you.** \
        Drop it or take the agent's text with `space a`; both drop your edit.";
    let yours = "```diff\n@@ -2,2 +2,2 @@\n-two\n-three\n+Zwei\n+2\n```";
    let said = hover(&mut stage, &own, 1);
    assert!(said.starts_with(&format!("{edited}\n\n{yours}")), "{said}");
    companion.change(&stage, |review| review.current = old.into());
    companion.serve(&mut stage).await;
    let dropped = "**Change 1 of 1: dropped.** Keep it with `space a`.";
    assert_eq!(hover(&mut stage, &own, 1), format!("{dropped}\n\n{diff}"));
}

#[tokio::test(start_paused = true)]
async fn removed_lines_show_beside_where_they_were() {
    let (mut stage, _, own) = shown("helix", "one\ntwo\nthree\nfour\nfive\n", "one\nfour\nfive\n").await;
    assert_eq!(marks(&stage, &own), [(range((1, 0), (1, 0)), "removed above: two  +1 more".into())]);
    let diff = "```diff\n@@ -2,2 +1,0 @@\n-two\n-three\n```";
    for line in [0, 1] {
        assert!(hover(&mut stage, &own, line).ends_with(diff), "line {line}");
    }
    assert_eq!(hover(&mut stage, &own, 2), "The last change (1 of 1) is at line 2.");
    assert_eq!(stage.titles(&own, 0)[0], "alongside: Drop this change");
    // At the end of the file there is no line after.
    let (mut stage, _, own) = shown("helix", "one\ntwo\n", "one\n").await;
    assert_eq!(marks(&stage, &own), [(range((0, 3), (0, 3)), "removed below: two".into())]);
    assert!(hover(&mut stage, &own, 0).ends_with("-two\n```"));
}

#[tokio::test(start_paused = true)]
async fn a_hover_is_plain_where_the_editor_reads_no_markdown() {
    let capabilities = json!({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}});
    let mut stage = Stage::introduced(json!({"capabilities": capabilities}));
    stage.open("notes.txt", OLD);
    let mut companion = Companion::proposes(&mut stage, "notes.txt", OLD, NEW).await;
    let own = stage.show_proposal(NEW);
    companion.serve(&mut stage).await;
    let said = "Change 1 of 2: kept. Drop it with a code action, or type your own text.";
    assert_eq!(hover(&mut stage, &own, 1), format!("{said}\n\n@@ -2 +2 @@\n-two\n+TWO"));
}

#[tokio::test(start_paused = true)]
async fn other_documents_have_no_hover() {
    let (mut stage, companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    let target = stage.uri("notes.txt");
    assert_eq!(
        (hover(&mut stage, &target, 2), hover(&mut stage, "file:///elsewhere", 0)),
        Default::default()
    );
    companion.close(&stage, Closing::Rejected, true);
    stage.hear().await;
    assert_eq!(hover(&mut stage, &own, 1), "", "the review has ended");
    assert_eq!(hover(&mut stage, &target, 1), "", "and its announcement is gone");
}

#[tokio::test(start_paused = true)]
async fn the_announcement_shows_the_diff_on_hover() {
    let (mut stage, _) = proposed("helix").await;
    let target = stage.uri("notes.txt");
    let heading = "**Proposed here: 2 changes. Open the proposal with `space a`.**";
    let diff = "```diff\n@@ -2 +2 @@\n-two\n+TWO\n@@ -6,0 +7 @@\n+seven\n```";
    assert_eq!(hover(&mut stage, &target, 1), format!("{heading}\n\n{diff}"));
    let old: String = (0..24).map(|line| format!("{line}\n")).collect();
    let new: String =
        (0..24).map(|line| format!("{line}{}\n", if line % 2 == 0 { "!" } else { "" })).collect();
    let mut stage = Stage::new("helix", &[]);
    stage.open("long.txt", &old);
    Companion::proposes(&mut stage, "long.txt", &old, &new).await;
    let target = stage.uri("long.txt");
    let said = hover(&mut stage, &target, 0);
    assert!(said.ends_with("+18!\n```\n\n… 2 more changes in the proposal"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn only_helix_tells_its_cursor_by_a_hover() {
    for (editor, line) in [("helix", json!(2)), ("Visual Studio Code", Value::Null)] {
        let mut stage = Stage::new(editor, &[]);
        stage.open("notes.txt", OLD);
        stage.reported();
        let target = stage.uri("notes.txt");
        hover(&mut stage, &target, 2);
        assert_eq!(stage.active()["cursor"]["line"], line, "{editor}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_original_is_a_file_where_editors_show_files() {
    let (mut stage, mut companion, own) = shown("helix", OLD, NEW).await;
    for _ in 0..2 {
        stage.choose(&own, 3, "alongside: Show the original");
        let seen = stage.seen();
        let path = crate::uri::to_path(seen.one("window/showDocument")["uri"].as_str().unwrap()).unwrap();
        assert!(path.ends_with("original/notes.txt") && stage.desk.owns_path(&path), "{}", path.display());
        assert_eq!(fs::read_to_string(&path).unwrap(), OLD);
        assert!(fs::metadata(&path).unwrap().permissions().readonly());
        stage.tell("didOpen", json!({"textDocument": {"uri": uri(&path), "text": OLD}}));
    }
    assert_ne!(stage.active()["path"], "original/notes.txt", "it is no context");
    stage.command(json!({"command": "alongside.reject"}));
    companion.serve(&mut stage).await;
    assert!(companion.decided.is_some(), "a command there is about its review");
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    assert_eq!(fs::read_dir(stage.dir.path().join("own")).unwrap().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_original_is_a_document_of_ours_where_editors_know_those() {
    let mut stage = Stage::introduced(json!({"capabilities": {
        "window": {"showDocument": {"support": true}}, "workspace": {"textDocumentContent": {}},
    }}));
    stage.open("notes.txt", OLD);
    Companion::proposes(&mut stage, "notes.txt", OLD, NEW).await;
    stage.command(json!({"command": "alongside.original"}));
    let shown = stage.seen().one("window/showDocument")["uri"].clone();
    assert_eq!(shown, "alongside:/original/1/notes.txt");
    stage.ask("workspace/textDocumentContent", json!({"uri": shown}));
    assert_eq!(stage.seen().result()["text"], OLD);
}

#[tokio::test(start_paused = true)]
async fn no_name_makes_an_editor_open_another_original() {
    let mut stage = Stage::introduced(json!({"capabilities": {
        "window": {"showDocument": {"support": true}}, "workspace": {"textDocumentContent": {}},
    }}));
    let name = "http:::127.0.0.1:9:x?y#z.md";
    stage.open(name, OLD);
    Companion::proposes(&mut stage, name, OLD, NEW).await;
    stage.command(json!({"command": "alongside.original"}));
    let shown = stage.seen().one("window/showDocument")["uri"].clone();
    assert_eq!(shown, "alongside:/original/1/http:::127.0.0.1:9:x%3Fy%23z.md");
    stage.ask("workspace/textDocumentContent", json!({"uri": shown}));
    assert_eq!(stage.seen().result()["text"], OLD);
}

#[tokio::test(start_paused = true)]
async fn an_original_without_a_way_to_show_it_is_named() {
    let (mut stage, _, own) = shown("Kate", OLD, NEW).await;
    assert!(!stage.titles(&own, 1).iter().any(|title| title.contains("original")));
    stage.command(json!({"command": "alongside.original"}));
    let said = with_slashes(&stage.seen().said());
    assert!(said.contains("/own/1-0-1/original/notes.txt to see the original."), "{said}");
}
