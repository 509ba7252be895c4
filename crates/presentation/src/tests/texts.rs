//! The texts of a plugin and of other desks, merged, in the editor's form.

use alongside_desk::Refusal;
use serde_json::json;

use super::Stage;
use crate::TextParams;

#[test]
fn a_text_is_set_and_the_answer_names_the_revision() {
    let mut stage = Stage::with("one\ntwo\n", "ONE\ntwo\n");
    let id = stage.send(1, "ONE\ntyped\n");
    stage.run();
    let told = stage.last("didChangeReview");
    assert_eq!(told["replacement"], json!({ "lines": { "start": 1, "end": 2 }, "text": "typed\n" }));
    assert_eq!(told["display"]["messages"], json!([]), "the person knows what they typed");
    assert_eq!(stage.answers[&id], (stage.heard.len(), Ok(2)), "the answer comes after the event");
    assert_eq!((&*stage.review.current, &*stage.newest.0), ("ONE\ntyped\n", "ONE\ntyped\n"));
}

#[test]
fn a_text_is_merged_with_the_changes_of_other_desks() {
    let mut stage = Stage::with("one\ntwo\nthree\n", "ONE\ntwo\nthree\n");
    stage.set("ONE\ntwo\nTHREE there\n");
    // The plugin has not received that change.
    let id = stage.send(1, "ONE here\ntwo\nthree\n");
    stage.run();
    let both = "ONE here\ntwo\nTHREE there\n";
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(3), both));
    assert_eq!(&*stage.review.current, both);
    // Based on the same revision still, the plugin types more before it shows the merged text.
    let id = stage.send(1, "ONE here!\ntwo\nthree\n");
    stage.run();
    let both = "ONE here!\ntwo\nTHREE there\n";
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(4), both));
    stage.set("ONE elsewhere\n");
    stage.run();
    assert_eq!(*stage.said(), json!(["notes.md: changed at another desk; this is how it stands now."]));
    assert_eq!(stage.newest.0, "ONE elsewhere\n");
}

#[test]
fn what_is_typed_before_the_answer_counts_from_the_text_that_was_sent() {
    for is_answered in [true, false] {
        let mut stage = Stage::with("one\ntwo\nthree\n", "ONE\ntwo\nthree\n");
        stage.set("ONE\ntwo\nTHREE there\n");
        stage.send(1, "ONE typed\ntwo\nthree\n");
        if is_answered {
            stage.run();
        }
        // The plugin has shown nothing of the other desk, and the person has undone.
        let id = stage.send(1, "ONE\ntwo\nthree\n");
        stage.run();
        assert!(stage.answer(id).is_ok());
        assert_eq!(&*stage.review.current, "ONE\ntwo\nTHREE there\n", "answered: {is_answered}");
    }
}

#[test]
fn a_person_may_type_on_and_on_before_the_plugin_shows_another_desk() {
    let mut stage = Stage::with("one\ntwo\n", "one\ntwo\n");
    stage.set("one\nTWO there\n");
    for count in 1..200 {
        let id = stage.send(1, &format!("{}\ntwo\n", "x".repeat(count)));
        stage.run();
        assert!(stage.answer(id).is_ok(), "{count}");
    }
    assert_eq!(*stage.review.current, *format!("{}\nTWO there\n", "x".repeat(199)));
}

#[test]
fn texts_have_no_mark_and_plain_line_ends_in_the_editor_only() {
    let mut stage = Stage::with("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n");
    let told = stage.last("didOpenReview");
    assert_eq!((&told["current"], &told["original"]), (&json!("ONE\ntwo\n"), &json!("one\ntwo\n")));
    let id = stage.send(1, "ONE\ntwo\nthree\n");
    stage.run();
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(2), "ONE\ntwo\nthree\n"));
    assert_eq!(&*stage.review.current, "\u{feff}ONE\r\ntwo\r\nthree\r\n");
}

#[test]
fn a_text_for_an_ended_review_or_an_unknown_revision_is_refused() {
    let mut stage = Stage::with("one\n", "ONE\n");
    for (revision, from) in [(9, 1), (1, 9)] {
        let params = json!({ "id": 1, "revision": revision, "from": from, "replacement": null });
        let id = stage.ask("alongside/setReviewText", &params);
        stage.run();
        assert_eq!(stage.answer(id), Err(Refusal::Stale { revision: 1 }));
    }
    let id = stage.ask("alongside/setReviewText", &json!({ "id": 7, "revision": 1, "from": 1 }));
    stage.run();
    assert_eq!(stage.answer(id), Err(Refusal::NoSuchReview));
    assert!(TextParams::read("alongside/setReviewText", &json!({ "id": 1, "from": "5" })).unwrap().is_err());
    assert!(TextParams::read("alongside/decideReview", &json!({ "id": 1, "revision": 1 })).is_none());
    let older = json!({ "id": 1, "revision": 1, "text": "typed", "decision": "accept" });
    assert!(TextParams::read("alongside/decideReview", &older).unwrap().is_err(), "no text is left out");
}
