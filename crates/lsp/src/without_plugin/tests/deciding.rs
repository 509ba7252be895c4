//! Accepting, rejecting, keeping and dropping: only by the person, and only what they saw.

use std::time::Duration;

use alongside_desk::{Closing, Decision};
use tokio::time::Instant;

use super::companion::Companion;
use super::showing::{NEW, OLD, proposed};
use super::*;
use crate::without_plugin::messages;

/// Returns a review whose proposal is open in the editor.
pub(super) async fn looked_at(editor: &str) -> (Stage, Companion, String) {
    let (mut stage, mut companion) = proposed(editor).await;
    let own = stage.show_proposal(NEW);
    companion.serve(&mut stage).await;
    stage.seen();
    (stage, companion, own)
}

#[tokio::test(start_paused = true)]
async fn accepting_returns_to_the_file() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.choose(&own, 0, "alongside: Accept");
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Accept));
    let seen = stage.seen();
    assert!(seen.said().contains("accepted; Gemini CLI writes it"), "{}", seen.said());
    assert_eq!(seen.one("window/showDocument")["uri"], stage.uri("notes.txt"));
    assert_eq!(seen.result(), &Value::Null, "the command gets an answer");
}

#[tokio::test(start_paused = true)]
async fn the_last_edits_are_accepted_too() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.type_in(&own, "Typed ", range((0, 0), (0, 0)));
    stage.type_in(&own, "too ", range((0, 6), (0, 6)));
    stage.command(json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Accept));
    assert_eq!(&*companion.review.current, format!("Typed too {NEW}"));
}

#[tokio::test(start_paused = true)]
async fn dropping_changes_the_editor_and_is_no_edit() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.choose(&own, 1, "alongside: Drop this change");
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    let edit = &seen.one("workspace/applyEdit")["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"], json!({"uri": own, "version": 1}));
    assert_eq!(edit["edits"], json!([{"range": range((1, 0), (1, 3)), "newText": "two"}]));
    stage.type_in(&own, "two", range((1, 0), (1, 3)));
    stage.reply(&seen.number("workspace/applyEdit"), json!({"applied": true}));
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    assert_eq!(seen.marks(&own), ["1 dropped; proposed: TWO", "6 added"]);
    assert!(seen.all("workspace/applyEdit").is_empty());
    assert_eq!(companion.edits, 0);
    assert_eq!(stage.titles(&own, 1)[0], "alongside: Keep this change");
    assert_eq!(stage.titles(&own, 1)[1], "alongside: Accept (1 of 2 changes)");
}

#[tokio::test(start_paused = true)]
async fn accepting_no_change_says_so_and_fits() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    companion.change(&stage, |review| review.current = OLD.into());
    companion.serve(&mut stage).await;
    let title = "alongside: Accept (no change is kept: reject it instead)";
    assert_eq!(stage.titles(&own, 1)[1], title);
    // With the shortest name of a file, as other reviews wait, it fits into the menu, too.
    assert!(title.len() + " a-very-…-name.rs".chars().count() <= 76);
}

#[tokio::test(start_paused = true)]
async fn actions_on_an_edited_change_say_that_the_edit_goes() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.type_in(&own, "mine", range((1, 0), (1, 3)));
    companion.serve(&mut stage).await;
    let titles = stage.titles(&own, 1);
    assert_eq!(titles[0], "alongside: Drop this change and your edit of it");
    assert_eq!(titles[5], "alongside: Take the agent's text (drops your edit)");
    assert!(!titles.iter().any(|title| title.contains("Keep")), "{titles:?}");
    stage.ask("textDocument/codeLens", json!({"textDocument": {"uri": own}}));
    assert_eq!(stage.seen().result()[2]["command"]["title"], "Drop this change and your edit of it");

    stage.choose(&own, 1, "alongside: Take the agent's text");
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    assert_eq!(seen.said(), "Your edit is no longer in the proposal. Undo brings it back.");
    let mut offered = seen.number("workspace/applyEdit");
    for (command, before, after) in [("undo", "TWO", "mine"), ("redo", "mine", "TWO")] {
        // The editor does what the command before asked for.
        let end = u32::try_from(if before == "TWO" { 4 } else { 3 }).unwrap();
        stage.type_in(&own, before, range((1, 0), (1, end)));
        stage.reply(&offered, json!({"applied": true}));
        assert_eq!(companion.review.current.lines().nth(1), Some(before));
        stage.command(json!({"command": format!("alongside.{command}")}));
        companion.serve(&mut stage).await;
        assert_eq!(companion.review.current.lines().nth(1), Some(after), "{command}");
        let seen = stage.seen();
        assert_eq!(seen.said(), "");
        offered = seen.number("workspace/applyEdit");
    }
}

#[tokio::test(start_paused = true)]
async fn lines_that_only_the_person_changed_have_one_action() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.type_in(&own, "mine\n", range((4, 0), (4, 0)));
    companion.serve(&mut stage).await;
    let titles = stage.titles(&own, 4);
    assert_eq!(titles[0], "alongside: Take out what you typed here");
    assert_eq!(titles.len(), 5, "{titles:?}");
}

#[tokio::test(start_paused = true)]
async fn the_places_of_the_first_actions_stay() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    let begins = |title: &str| title.split(&[' ', ':', '('][..]).nth(2).unwrap().to_owned();
    let expect = |stage: &mut Stage, line: u32, first: &str| {
        let titles: Vec<String> = stage.titles(&own, line).iter().map(|title| begins(title)).collect();
        assert_eq!(titles[..4], [first, "Accept", "Reject", "Show"], "line {line}");
    };
    expect(&mut stage, 0, "Next");
    expect(&mut stage, 1, "Drop");
    companion.change(&stage, |review| review.current = OLD.into());
    companion.serve(&mut stage).await;
    stage.reply(&stage.seen().number("workspace/applyEdit"), json!({"applied": true}));
    expect(&mut stage, 0, "Next");
    expect(&mut stage, 1, "Keep");
}

#[tokio::test(start_paused = true)]
async fn doubts_must_be_accepted_explicitly() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    let before = stage.titles(&own, 0);
    companion.change(&stage, |review| review.dirty = true);
    companion.serve(&mut stage).await;
    let title =
        stage.titles(&own, 0).into_iter().find(|title| title.starts_with("alongside: Accept")).unwrap();
    assert!(title.contains("although") && title.ends_with("notes.txt has unsaved changes"), "{title}");
    assert!(before.contains(&"alongside: Accept".to_owned()));
    // An action from before the change does not count.
    let arguments = json!([{"review": 1, "revision": 1, "although": false}]);
    stage.command(json!({"command": "alongside.accept", "arguments": arguments}));
    companion.serve(&mut stage).await;
    assert!(stage.seen().said().contains("Look at the proposal again"));
    stage.command(json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    assert!(stage.seen().said().contains("Run the command again"));
    assert_eq!(companion.decided, None);
    stage.choose(&own, 0, "alongside: Accept although");
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Accept));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_shown_and_the_command_answered() {
    let (mut stage, mut companion, own) = looked_at("Neovim").await;
    stage.choose(&own, 0, "alongside: Accept");
    // The file changes in between.
    companion.change(&stage, |review| review.stale = true);
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    assert_eq!(
        seen.said(),
        "notes.txt: changed on disk; accepting undoes that change.\n\
         The file itself has changed since. Look at the proposal again."
    );
    assert!(seen.all("window/showMessage").iter().all(|message| message["type"] == 2));
    assert_eq!((companion.decided, seen.result()), (None, &Value::Null));
}

#[tokio::test(start_paused = true)]
async fn text_that_the_editor_lacks_is_not_accepted() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    companion.change(&stage, |review| review.current = "elsewhere\n".into());
    companion.serve(&mut stage).await;
    stage.reply(&stage.seen().number("workspace/applyEdit"), json!({"applied": false}));
    stage.seen();
    stage.command(json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    assert_eq!(companion.decided, None);
    assert_eq!(seen.said(), messages::CHANGED_ELSEWHERE, "the offer is on its way");
    // A command allows another offer, because some editors take edits only then.
    stage.type_in(&own, "elsewhere\n", range((0, 0), (7, 0)));
    stage.reply(&seen.number("workspace/applyEdit"), json!({"applied": true}));
    stage.command(json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Accept));
}

/// Kate answers an offer at once, and sends the text half a second later.
#[tokio::test(start_paused = true)]
async fn a_text_that_the_editor_sends_after_its_answer_counts_as_shown() {
    let (mut stage, mut companion, own) = looked_at("Kate").await;
    stage.choose(&own, 6, "alongside: Drop this change");
    companion.serve(&mut stage).await;
    stage.reply(&stage.seen().number("workspace/applyEdit"), json!({"applied": true}));
    stage.command(json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Accept));
}

#[tokio::test(start_paused = true)]
async fn marks_have_the_lines_of_a_text_that_comes_after_the_answer() {
    let (mut stage, mut companion, own) = looked_at("Kate").await;
    companion.change(&stage, |review| review.current = format!("a longer first line\n{NEW}").into());
    companion.serve(&mut stage).await;
    stage.reply(&stage.seen().number("workspace/applyEdit"), json!({"applied": true}));
    companion.serve(&mut stage).await;
    stage.seen();
    stage.type_in(&own, "a longer first line\n", range((0, 0), (0, 0)));
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    let marks = &seen.one("textDocument/publishDiagnostics")["diagnostics"];
    assert_eq!(marks[0]["range"], range((0, 0), (0, 19)), "{marks}");
}

#[tokio::test(start_paused = true)]
async fn deciding_on_a_new_file_goes_back_to_where_the_person_was() {
    let mut stage = Stage::new("helix", &[]);
    stage.open("other.txt", OLD);
    let mut companion = Companion::proposes(&mut stage, "new.txt", "", NEW).await;
    stage.choose(&stage.uri("other.txt"), 0, "Review: ");
    stage.reply(&stage.seen().number("window/showDocument"), json!({"success": true}));
    let own = stage.show_proposal(NEW);
    stage.command(json!({"command": "alongside.next"}));
    stage.choose(&own, 0, "alongside: Accept");
    stage.seen();
    companion.serve(&mut stage).await;
    assert_eq!(stage.seen().one("window/showDocument")["uri"], stage.uri("other.txt"));
}

#[tokio::test(start_paused = true)]
async fn closing_the_proposal_rejects_it_after_500_ms() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    let start = Instant::now();
    let closes = stage.desk.reviews.iter().find_map(|waiting| waiting.document.phase.deadline());
    assert_eq!(closes, Some(start + Duration::from_millis(500)));
    stage.wait();
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Reject));
}

#[tokio::test(start_paused = true)]
async fn reopening_edits_and_shutdown_prevent_rejection() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.tell("didOpen", json!({"textDocument": {"uri": own, "text": NEW}}));
    stage.wait();
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, None);

    stage.type_in(&own, "mine ", range((1, 0), (1, 0)));
    companion.serve(&mut stage).await;
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.wait();
    companion.serve(&mut stage).await;
    let said = stage.seen().said();
    assert!(said.contains("It still waits"), "{said}");
    assert_eq!(companion.decided, None);
    // The file has the edits.
    stage.command(json!({"command": "alongside.review"}));
    let seen = stage.seen();
    let path = crate::uri::to_path(seen.one("window/showDocument")["uri"].as_str().unwrap()).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), *companion.review.current);

    let (mut stage, mut companion, own) = looked_at("helix").await;
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.desk.shut_down(&stage.io);
    stage.wait();
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, None);
}

#[tokio::test(start_paused = true)]
async fn editors_with_prompts_ask_before_rejecting() {
    let (mut stage, mut companion, own) = looked_at("Visual Studio Code").await;
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.wait();
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, None);
    let seen = stage.seen();
    assert_eq!(seen.one("window/showMessageRequest")["actions"][0]["title"], "Let it wait");
    stage.reply(&seen.number("window/showMessageRequest"), json!({"title": "Reject"}));
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Reject));
}

#[tokio::test(start_paused = true)]
async fn a_returning_companion_repeats_its_review() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    companion.close(&stage, Closing::Interrupted, false);
    companion.serve(&mut stage).await;
    assert!(stage.seen().said().contains("interrupted"));
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    // The companion repeats the review.
    let (mut stage, companion, own) = looked_at("helix").await;
    let review = companion.review.clone();
    let mut again = Companion::opens(&mut stage, review).await;
    stage.type_in(&own, "x", range((0, 0), (0, 0)));
    again.serve(&mut stage).await;
    assert_eq!(&*again.review.current, format!("x{NEW}"));
}

#[tokio::test(start_paused = true)]
async fn the_first_action_on_a_whole_file_decides_nothing() {
    let mut stage = Stage::new("helix", &[]);
    stage.open("notes.txt", OLD);
    let file = stage.path("notes.txt").to_str().unwrap().to_owned();
    let mut review = Companion::review(1, alongside_desk::Agent::default(), file, OLD, NEW);
    review.whole_file_only = Some("it is too large".into());
    review.hunks.clear();
    let mut companion = Companion::opens(&mut stage, review).await;
    let own = stage.show_proposal(NEW);
    let titles = stage.titles(&own, 1);
    assert_eq!(titles[0], "alongside: Go to the first line (only the whole file counts)");
    assert_eq!(titles[1..3], ["Accept", "Reject"].map(|title| format!("alongside: {title}")));
    stage.choose(&own, 1, "alongside: Go to");
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, None);
    assert_eq!(stage.seen().one("window/showDocument")["selection"]["start"], at(0, 0));
}
