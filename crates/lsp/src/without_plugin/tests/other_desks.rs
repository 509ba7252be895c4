//! Changes and refusals while another desk works on the same review.

use alongside_desk::Decision;

use super::deciding::looked_at;
use super::showing::NEW;
use super::*;

#[tokio::test(start_paused = true)]
async fn a_refusal_says_that_another_desk_changed_the_text() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    let reason = "Another desk changed this proposal since. Look at it again.";
    stage.choose(&own, 0, "alongside: Accept");
    let before = companion.review.revision;
    companion.change(&stage, |review| review.current = format!("{NEW}theirs\n").into());
    companion.serve(&mut stage).await;
    assert_eq!((companion.decided, &*stage.seen().said()), (None, reason));
    // The action that the person saw before that change does not count.
    let arguments = json!([{"review": 1, "revision": before, "although": false}]);
    stage.command(json!({"command": "alongside.accept", "arguments": arguments}));
    assert_eq!(stage.seen().said(), reason);
}

#[tokio::test(start_paused = true)]
async fn a_change_at_another_desk_is_told_once_and_typed_text_stays() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    let theirs = |text: &str| text.replace("five", "FIVE").into();
    stage.type_in(&own, "mine ", range((0, 0), (0, 0)));
    companion.change(&stage, |review| review.current = theirs(&review.current));
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    stage.type_in(&own, "FIVE", range((4, 0), (4, 4)));
    stage.reply(&seen.number("workspace/applyEdit"), json!({"applied": true}));
    let said = "notes.txt: changed at another desk; this is how it stands now.";
    assert!(stage.seen().said().ends_with(said));
    companion.serve(&mut stage).await;
    assert_eq!(&*companion.review.current, format!("mine {NEW}").replace("five", "FIVE"));
    stage.seen();
    for (text, is_told) in [("a\n", true), ("b\n", false)] {
        companion.change(&stage, |review| review.current = format!("{}{text}", review.current).into());
        stage.hear().await;
        let offered = stage.seen();
        if is_told {
            // Kate refuses edits while it runs no command.
            stage.reply(&offered.number("workspace/applyEdit"), json!({"applied": false}));
        }
        let said = format!("{}{}", offered.said(), stage.seen().said());
        assert_eq!(said.contains("at another desk; your next action on it shows that."), is_told, "{text}");
        assert!(offered.all("textDocument/publishDiagnostics").is_empty(), "the marks of before are right");
    }
}

#[tokio::test(start_paused = true)]
async fn text_that_the_companion_refuses_stays_and_the_message_says_why() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    companion.review.whole_file_only = Some("it is too large".into());
    for _ in 0..2 {
        stage.type_in(&own, "mine ", range((0, 0), (0, 0)));
        companion.serve(&mut stage).await;
    }
    let said = "Your text is only in this buffer. \
                This proposal can only be accepted or rejected as a whole: it is too large.";
    let seen = stage.seen();
    assert_eq!(seen.said(), said);
    assert!(seen.all("workspace/applyEdit").is_empty());
    assert_eq!(&*companion.review.current, NEW);
}

#[tokio::test(start_paused = true)]
async fn text_in_the_lines_of_another_desk_is_told_and_accepted_only_again() {
    let (mut stage, mut companion, own) = looked_at("helix").await;
    let theirs = |text: &str| text.replace("five", "five of theirs").into();
    companion.change(&stage, |review| review.current = theirs(&review.current));
    stage.hear().await;
    let offered = stage.seen().number("workspace/applyEdit");
    stage.reply(&offered, json!({"applied": false}));
    stage.seen();
    stage.type_in(&own, "mine ", range((4, 0), (4, 0)));
    companion.serve(&mut stage).await;
    assert_eq!(&*companion.review.current, NEW.replace("five", "mine five"));
    assert!(stage.seen().said().contains("replaced what another desk typed"));
    stage.choose(&own, 0, "alongside: Accept");
    companion.serve(&mut stage).await;
    assert!(stage.seen().said().contains("Accept again"));
    assert_eq!(companion.decided, None);
    stage.choose(&own, 0, "alongside: Accept");
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(Decision::Accept));
}

/// Kate takes edits only while one of its own commands runs.
#[tokio::test(start_paused = true)]
async fn an_action_from_before_another_desks_change_shows_that_change() {
    let (mut stage, mut companion, _) = looked_at("helix").await;
    let before = companion.review.revision;
    companion.change(&stage, |review| review.current = format!("{NEW}theirs\n").into());
    stage.hear().await;
    let offered = stage.seen().number("workspace/applyEdit");
    stage.reply(&offered, json!({"applied": false}));
    stage.seen();
    let arguments = json!([{"review": 1, "revision": before, "although": false}]);
    stage.command(json!({"command": "alongside.accept", "arguments": arguments}));
    let seen = stage.seen();
    assert!(seen.said().contains("Look at it again."));
    seen.number("workspace/applyEdit");
    assert_eq!(companion.decided, None);
}
