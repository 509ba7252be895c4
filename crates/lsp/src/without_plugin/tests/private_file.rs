//! The private file of a proposal as editors open it, save it and read it again.

use std::fs;

use alongside_desk::Closing;

use super::showing::{NEW, OLD, proposed};
use super::*;

#[tokio::test(start_paused = true)]
async fn an_opened_proposal_names_the_keys_in_one_line() {
    for (editor, said) in [
        ("helix", "space a: drop, accept, reject; space k: the diff; ]d: the next change"),
        ("Visual Studio Code", ""),
    ] {
        let (mut stage, _) = proposed(editor).await;
        stage.seen();
        stage.show_proposal(NEW);
        assert_eq!(stage.seen().said(), said, "{editor}");
        assert!(said.len() <= 80);
    }
}

#[tokio::test(start_paused = true)]
async fn saving_a_proposal_says_that_it_accepts_nothing() {
    let explained =
        |key: &str| format!("Saving accepts nothing, and closing rejects the proposal. {key} decides.");
    for (editor, said) in [
        ("helix", [explained("space a"), explained("space a")]),
        // It may save by itself.
        ("Visual Studio Code", [format!("alongside: {}", explained("A code action")), String::new()]),
    ] {
        let (mut stage, mut companion) = proposed(editor).await;
        let own = stage.show_proposal(NEW);
        stage.seen();
        for said in said {
            stage.tell("didSave", json!({"textDocument": {"uri": own}}));
            assert_eq!(stage.seen().said(), said, "{editor}");
        }
        companion.serve(&mut stage).await;
        assert_eq!(companion.decided, None);
        stage.tell("didSave", json!({"textDocument": {"uri": stage.uri("notes.txt")}}));
        assert_eq!(stage.seen().said(), "");
    }
    let (mut stage, mut companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    stage.type_in(&own, "mine ", range((0, 0), (0, 0)));
    companion.serve(&mut stage).await;
    stage.seen();
    stage.tell("didSave", json!({"textDocument": {"uri": own}}));
    assert_eq!(stage.seen().said(), "Saving accepts nothing, and the proposal waits. space a decides.");
}

#[tokio::test(start_paused = true)]
async fn the_file_of_an_open_proposal_holds_its_text_where_editors_reload_on_request() {
    for editor in ["helix", "Visual Studio Code"] {
        let (mut stage, mut companion) = proposed(editor).await;
        let own = stage.show_proposal(NEW);
        let path = crate::uri::to_path(&own).unwrap();
        let time = || fs::metadata(&path).unwrap().modified().unwrap();
        let before = time();
        stage.type_in(&own, "mine ", range((0, 0), (0, 0)));
        companion.serve(&mut stage).await;
        let on_disk = |text: String| match editor {
            "helix" => text,
            _ => NEW.to_owned(),
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), on_disk(format!("mine {NEW}")), "{editor}");
        stage.type_in(&own, "and more ", range((0, 5), (0, 5)));
        companion.close(&stage, Closing::Accepted, true);
        stage.hear().await;
        let said = stage.seen().said();
        assert_eq!(said.contains("writes it (:rl shows it)."), editor == "helix", "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), on_disk(format!("mine and more {NEW}")), "{editor}");
        assert_eq!(time(), before, "an editor that looks at the time would save no more");
    }
}

/// `:rl` reads only the file in front: where another one is in front, it would show nothing new.
#[tokio::test(start_paused = true)]
async fn an_accept_names_the_command_for_the_file_in_front() {
    for (place, remedy) in
        [("own", ":rl shows it"), ("notes.txt", ":rl shows it"), ("other.txt", "open it and :rl")]
    {
        let (mut stage, companion) = proposed("helix").await;
        stage.open("other.txt", OLD);
        if place == "own" {
            stage.show_proposal(NEW);
        } else {
            stage.titles(&stage.uri(place), 0);
        }
        stage.seen();
        companion.close(&stage, Closing::Accepted, true);
        stage.hear().await;
        let seen = stage.seen();
        assert!(seen.said().ends_with(&format!("writes it ({remedy}).")), "{place}: {}", seen.said());
        assert_eq!(seen.all("window/showDocument").len(), usize::from(place == "own"), "{place}");
    }
    let (mut stage, mut companion) = proposed("helix").await;
    companion.change(&stage, |review| review.dirty = true);
    companion.serve(&mut stage).await;
    stage.show_proposal(NEW);
    stage.seen();
    companion.close(&stage, Closing::Accepted, true);
    stage.hear().await;
    assert!(stage.seen().said().ends_with("(:rl shows it, drops unsaved text)."));
}

#[tokio::test(start_paused = true)]
async fn saving_an_ended_proposal_never_looks_like_success() {
    let (mut stage, mut companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    stage.type_in(&own, "mine ", range((0, 0), (0, 0)));
    companion.serve(&mut stage).await;
    companion.close(&stage, Closing::Accepted, true);
    stage.hear().await;
    assert_eq!(stage.seen().marks(&own), ["0 this review has ended"]);
    let save = |stage: &mut Stage| {
        stage.tell("didSave", json!({"textDocument": {"uri": own}}));
        stage.seen().said()
    };
    // Edits from before the end are in the file; saving only makes the buffer clean.
    let harmless = "This review has ended: saving the proposal changes nothing.";
    assert_eq!(save(&mut stage), harmless);
    let typed = "This review has ended. Saving moves your text to `alongside drafts`.";
    let kept = "This review has ended. Your text is in drafts: run `alongside drafts`.";
    assert!(typed.len() <= 80 && kept.len() <= 80);
    stage.type_in(&own, "late", range((3, 0), (3, 0)));
    let seen = stage.seen();
    assert_eq!(seen.said(), typed);
    let late = "3 this review has ended; text typed here goes to drafts";
    assert_eq!(seen.marks(&own), ["0 this review has ended", late]);
    for _ in 0..2 {
        assert_eq!(save(&mut stage), kept);
        assert_eq!(stage.drafts.texts(), [format!("mine {}", NEW.replace("three\n", "three\nlate"))]);
    }
    stage.type_in(&own, "", range((3, 0), (3, 4)));
    assert_eq!(save(&mut stage), harmless);
    assert_eq!(stage.drafts.texts(), Vec::<String>::new());
    // Without saving.
    stage.type_in(&own, "later", range((3, 0), (3, 0)));
    stage.desk.shut_down(&stage.io);
    assert_eq!(stage.seen().marks(&own), Vec::<String>::new());
    assert_eq!(stage.drafts.texts(), [format!("mine {}", NEW.replace("three\n", "three\nlater"))]);
}

#[tokio::test(start_paused = true)]
async fn closing_an_ended_proposal_keeps_late_text_among_the_drafts() {
    let (mut stage, mut companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    companion.serve(&mut stage).await;
    companion.close(&stage, Closing::Accepted, true);
    stage.hear().await;
    stage.type_in(&own, "late ", range((0, 0), (0, 0)));
    stage.seen();
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    assert_eq!(stage.seen().said(), "This review has ended. Your text is in drafts: run `alongside drafts`.");
    assert_eq!(stage.drafts.texts(), [format!("late {NEW}")]);
}

/// Kate collects keys before it sends them.
#[tokio::test(start_paused = true)]
async fn text_that_is_saved_and_closed_before_it_is_sent_is_an_edit() {
    let (mut stage, mut companion) = proposed("Kate").await;
    let own = stage.show_proposal(NEW);
    let path = crate::uri::to_path(&own).unwrap();
    fs::write(&path, format!("mine {NEW}")).unwrap();
    stage.tell("didSave", json!({"textDocument": {"uri": own}}));
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    companion.serve(&mut stage).await;
    assert_eq!(&*companion.review.current, format!("mine {NEW}"));
    stage.wait();
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, None, "a proposal with edits waits");
}
