//! A plugin that shows texts side by side, and so gets them exact.

use alongside_desk::{Event, Hunk, HunkState, Review};
use serde_json::{Value, json};

use super::Stage;

#[test]
fn a_plugin_that_shows_texts_side_by_side_gets_them_exact_with_the_words() {
    let mut stage = Stage::of_exact_texts("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n");
    let told = stage.last("didOpenReview");
    assert_eq!(told["current"], "\u{feff}ONE\r\ntwo\r\n");
    assert_eq!(
        (&told["display"]["name"], &told["display"]["size"]),
        (&json!("notes.md"), &json!("1 change"))
    );
    assert_eq!(told["display"]["messages"], json!(["notes.md: Gemini CLI proposes 1 change"]));
    assert_eq!(told["display"].get("diff"), None, "the plugin shows the texts");
    stage.review.stale = true;
    stage.set("\u{feff}two\r\n");
    stage.run();
    let told = stage.last("didChangeReview");
    let replacement = json!({ "lines": { "start": 0, "end": 2 }, "text": "\u{feff}two\r\n" });
    assert_eq!(told["replacement"], replacement);
    let stale = "The file changed on disk; accepting undoes that change.";
    let note = json!({ "text": stale, "brief": "changed on disk", "warning": true });
    assert_eq!(told["display"]["notes"], json!([note]));
}

#[test]
fn exact_texts_are_merged_byte_for_byte() {
    let mut stage = Stage::of_exact_texts("\u{feff}one\r\ntwo\r\n", "\u{feff}ONE\r\ntwo\r\n");
    stage.set("\u{feff}ONE\r\ntwo there");
    // In the editor there is no mark any more, and another line end.
    let id = stage.send(1, "ONE\ntwo\r\n");
    stage.run();
    assert_eq!((stage.answer(id), &*stage.newest.0), (Ok(3), "ONE\ntwo there"));
    assert_eq!(&*stage.review.current, "ONE\ntwo there");
}

#[test]
fn a_plugin_that_shows_texts_side_by_side_gets_what_one_does_not_see_there() {
    let mut stage = Stage::of_exact_texts("    one\ntwo\n", "\tone\ntwo\n");
    let range = |end: u32| {
        let at = |character: u32| json!({ "line": 0, "character": character });
        json!([{ "start": at(0), "end": at(end) }])
    };
    let unseen = "Hard to see: a tab in place of blanks.";
    let blanks = json!({ "removed": range(4), "added": range(1) });
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["hunks"], json!([{ "hunk": 0, "unseen": unseen, "blanks": blanks }]));
    assert_eq!((&display["unseen"], &display["empties"]), (&json!(unseen), &json!(false)));

    stage.review.hunks[0].state = HunkState::Dropped;
    stage.set("    one\ntwo\n");
    stage.run();
    let display = &stage.last("didChangeReview")["display"];
    assert_eq!((&display["hunks"], &display["unseen"]), (&json!([]), &Value::Null), "it is not written");

    stage.review.hunks[0].state = HunkState::Edited;
    stage.review.hunks[0].current = (0..3).into();
    stage.set("more\n    one\nmore\ntwo\n");
    stage.run();
    let display = &stage.last("didChangeReview")["display"];
    assert_eq!(display["hunks"], json!([{ "hunk": 0, "differs": [0, 2] }]));
    stage.set("");
    stage.run();
    assert_eq!(stage.last("didChangeReview")["display"]["empties"], true);

    let review = Review { remark: Some("It goes.".into()), ..stage.review.clone() };
    stage.events.push_back(Event::Opened(review));
    stage.run();
    assert_eq!(stage.last("didOpenReview")["display"]["empties"], false, "the remark says so");
}

#[test]
fn a_long_edited_hunk_is_not_compared_at_each_key() {
    let mut stage = Stage::of_exact_texts("one\n", "two\n");
    for (lines, is_compared) in [(1000, true), (1001, false)] {
        stage.review.hunks[0].state = HunkState::Edited;
        stage.review.hunks[0].current = (0..lines).into();
        stage.set(&"typed\n".repeat(lines));
        stage.run();
        let hunks = &stage.last("didChangeReview")["display"]["hunks"];
        assert_eq!(hunks[0]["differs"].is_array(), is_compared, "{lines}");
    }
}

#[test]
fn the_places_in_a_hunk_follow_it_down_the_text() {
    let mut stage = Stage::of_exact_texts("x\n    one\n", "x\n\tone\n");
    stage.review.hunks[0] =
        Hunk { original: (1..2).into(), proposed: (1..2).into(), current: (3..4).into(), ..Hunk::default() };
    stage.set("a\nb\nx\n\tone\n");
    stage.run();
    let blanks = &stage.last("didChangeReview")["display"]["hunks"][0]["blanks"];
    assert_eq!(
        (&blanks["removed"][0]["start"]["line"], &blanks["added"][0]["start"]["line"]),
        (&json!(1), &json!(3))
    );
}
