//! Decisions on the text that the person sees, and the flush before the editor ends.

use alongside_desk::{Decision, Refusal, ReviewId};
use serde_json::json;

use super::Stage;
use crate::Effect;

#[test]
fn a_decision_is_made_on_the_text_that_the_person_sees() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.set("ONE there\ntoo\n");
    let id = stage.accept(1, "ONE\nhere\n");
    stage.run();
    assert!(matches!(stage.answer(id), Err(Refusal::Stale { .. })));
    assert_eq!(*stage.newest.0, *stage.review.current);
    assert_eq!(stage.decided, None, "the person has not seen the merged text");

    let (revision, seen) = (stage.review.revision, stage.review.current.to_string() + "seen\n");
    let id = stage.accept(revision, &seen);
    stage.run();
    assert_eq!(stage.decided, Some((revision + 1, Decision::Accept)));
    assert_eq!(*stage.review.current, *seen);
    assert!(stage.answer(id).is_ok());
    let said = &stage.last("didCloseReview")["display"]["messages"];
    assert_eq!(*said, json!(["notes.md: accepted; Gemini CLI writes it."]));
}

#[test]
fn a_file_that_has_changed_is_accepted_only_by_who_knows() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.review.stale = true;
    stage.set("ONE\n");
    stage.run();
    let id = stage.accept(1, "ONE\n");
    stage.run();
    assert_eq!((stage.answer(id), stage.decided), (Err(Refusal::Stale { revision: 2 }), None));
    stage.accept(2, "ONE\n");
    stage.run();
    assert_eq!(stage.decided, Some((2, Decision::Accept)));
}

#[test]
fn a_text_that_nobody_edited_is_accepted_byte_for_byte() {
    for (original, proposed) in [("one\ntwo\r\n", "ONE\r\ntwo\r\n"), ("one\r\ntwo\r\n", "ONE\r\ntwo\r\n")] {
        let mut stage = Stage::with(original, proposed);
        stage.set("one\ntwo\r\n");
        stage.run();
        let shown = stage.newest.0.clone();
        stage.accept(2, &shown);
        stage.run();
        assert_eq!((stage.decided, &*stage.review.current), (Some((2, Decision::Accept)), "one\ntwo\r\n"));
    }
}

#[test]
fn a_flush_waits_for_the_last_text() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.send(1, "typed\n");
    assert!(matches!(stage.calls.front(), Some(Effect::SendText(..))) && stage.calls.len() == 1);
    assert_eq!(stage.presentation.on_flushed(ReviewId(1)), [], "the text is on its way");
    stage.run();
    assert!(stage.flushed && &*stage.review.current == "typed\n");
}

#[test]
fn a_flush_after_a_decision_is_answered() {
    let mut stage = Stage::with("one\n", "ONE\n");
    stage.accept(1, "ONE\n");
    let effects = stage.presentation.on_flushed(ReviewId(1));
    stage.relay(effects);
    stage.run();
    assert!(stage.flushed && stage.decided.is_some());
}
