//! The finish: the one write to a project.

use std::sync::atomic::Ordering;

use alongside_desk::UndoneFile;

use super::commenting::add;
use super::*;

fn undone(path: &str) -> UndoneFile {
    UndoneFile { path: path.into(), ..UndoneFile::default() }
}

#[tokio::test(start_paused = true)]
async fn a_finish_writes_exactly_what_is_marked_and_nothing_before() {
    let stage = Stage::of(&[("a.txt", "1\n2\n3\n4\n5\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]).await;
    stage.source.remember("new.txt", None);
    let before =
        [("a.txt", "ONE\n2\n3\n4\nFIVE\n"), ("b.txt", "B\n"), ("c.txt", "C\n"), ("new.txt", "new\n")];
    for (name, text) in before {
        stage.write(name, text);
    }
    let (mut desk, turn) = stage.looks().await;
    let review = desk.open(&turn, "a.txt").await;
    desk.keep(&review, &[1], false).await.unwrap();
    for name in ["b.txt", "new.txt"] {
        let turn = desk.turns().pop().unwrap();
        desk.mark(&turn, name, true).await.unwrap();
    }
    let turn = desk.turns().pop().unwrap();
    for (name, text) in before {
        assert_eq!(stage.read(name), text, "marks write nothing");
    }
    let mut other = stage.desk();
    let revision = desk.finish(&turn).await.unwrap();
    let files = vec![undone("a.txt"), undone("b.txt"), undone("new.txt")];
    assert_eq!(desk.finished(), [TurnFinished { turn: turn.id, files, ..TurnFinished::default() }]);
    let list = desk.turns().pop().unwrap();
    assert_eq!((list.revision, list.files.len()), (revision, 0), "what stays is the next baseline");
    assert_eq!(stage.read("a.txt"), "ONE\n2\n3\n4\n5\n");
    assert_eq!((stage.read("b.txt"), stage.read("c.txt")), ("b\n".to_owned(), "C\n".to_owned()));
    assert!(!stage.path("new.txt").exists());
    other.settle().await;
    assert_eq!(other.turns().last(), Some(&list));
    assert_eq!(other.finished(), []);
    assert_eq!(other.finish(&turn).await, Err(Refusal::NoSuchTurn), "it was made on the old list");
}

#[tokio::test(start_paused = true)]
async fn a_remark_alone_leaves_the_list_that_a_person_confirms() {
    let stage = Stage::changed().await;
    let (mut desk, turn) = stage.looks().await;
    let turn = desk.list_with_mark(&turn, "a.txt").await;
    // The next prompt comes while the person reads what a finish does.
    stage.source.say("A turn of Codex has no end yet.", "");
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.settle().await;
    let told = desk.turns().pop().expect("the remark is told");
    assert_eq!(
        (told.revision, &*told.remarks),
        (turn.revision, &["A turn of Codex has no end yet.".into()][..])
    );
    let after = desk.finish(&turn).await.unwrap();
    assert!(after > turn.revision);
    assert_eq!(stage.read("a.txt"), "1\n2\n3\n4\n5\n");

    // Another file, other words or another reader are something else to confirm.
    let mut last = after;
    let mut rises = |told: Turn| std::mem::replace(&mut last, told.revision) < told.revision;
    stage.write("a.txt", "ONE\n");
    assert!(rises(desk.look().await));
    let turn = desk.turns().pop().unwrap();
    desk.ask(add(&turn, Some(0), None, "why?")).await.unwrap();
    assert!(rises(desk.turns().pop().unwrap()));
    stage.source.say("A turn of Codex has no end yet.", "Codex");
    assert!(rises(desk.look().await));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_an_editor_holds_unsaved_is_not_undone_and_keeps_its_mark() {
    let stage = Stage::of(&[("a.txt", "a\n"), ("b.txt", "b\n")]).await;
    stage.write("a.txt", "A\n");
    stage.write("b.txt", "B\n");
    let (mut desk, turn) = stage.looks().await;
    let turn = desk.list_with_mark(&turn, "a.txt").await;
    let turn = desk.list_with_mark(&turn, "b.txt").await;
    let path = crate::real_path::resolve(&stage.path("a.txt")).to_str().unwrap().to_owned();
    stage.story.report(open(&path, true)).await;
    desk.finish(&turn).await.unwrap();
    let refused = Some("an editor holds unsaved changes to it".to_owned());
    let files = vec![UndoneFile { refused, ..undone("a.txt") }, undone("b.txt")];
    assert_eq!(desk.finished(), [TurnFinished { turn: turn.id, files, ..TurnFinished::default() }]);
    assert_eq!((stage.read("a.txt"), stage.read("b.txt")), ("A\n".to_owned(), "b\n".to_owned()));
    assert_eq!(marked(&desk.turns()[0]), [("a.txt", Marked::Whole)]);
    assert_eq!(stage.source.finished.load(Ordering::SeqCst), 0, "the review goes on");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_has_changed_since_it_was_opened_is_not_undone() {
    let stage = Stage::changed().await;
    let (mut desk, turn) = stage.looks().await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[0]).await;
    stage.write("a.txt", "ONE\nTWO\n3\n4\nFIVE\n");
    desk.finish(&turn).await.unwrap();
    assert_eq!(desk.finished()[0].files[0].refused.as_deref(), Some("it has changed"));
    assert_eq!(stage.read("a.txt"), "ONE\nTWO\n3\n4\nFIVE\n");
}

#[tokio::test(start_paused = true)]
async fn one_finish_at_a_time_and_nothing_is_marked_meanwhile() {
    let stage = Stage::changed().await;
    let (mut one, mut two) = (stage.desk(), stage.desk());
    let turn = one.look().await;
    let review = two.open(&turn, "a.txt").await;
    let turn = one.list_with_mark(&turn, "a.txt").await;
    stage.source.hold(true);
    let finish = one.desk.send(finish_of(&turn));
    let meanwhile = |refused: Result<u64, Refusal>| matches!(refused, Err(Refusal::Other { .. }));
    assert!(meanwhile(two.finish(&turn).await));
    assert!(meanwhile(two.mark(&turn, "a.txt", false).await));
    let review = Review { revision: review.revision + 1, ..review };
    assert!(meanwhile(two.keep(&review, &[0], true).await));
    stage.source.hold(false);
    let revision = finish.await.unwrap().unwrap().revision;
    two.settle().await;
    let list = two.turns().pop().unwrap();
    assert_eq!((list.revision, list.files.len()), (revision, 0));
    assert_eq!(two.finish(&turn).await, Err(Refusal::NoSuchTurn));
    assert_eq!(two.finish(&list).await, Ok(revision), "nothing is marked, and nothing happens");
    assert_eq!(stage.read("a.txt"), "1\n2\n3\n4\n5\n");
}

#[tokio::test(start_paused = true)]
async fn the_marks_of_written_files_are_gone_without_a_remark() {
    let stage = Stage::changed().await;
    let mut desk = stage.desk();
    let turn = desk.look_since(Some("HEAD")).await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[0]).await;
    desk.finish(&turn).await.unwrap();
    desk.hear_all().await;
    let shown = desk.opened().pop().expect("what is left of an open file is shown anew");
    assert_eq!(
        (&*shown.review.current, states(&shown.review)),
        ("1\n2\n3\n4\nFIVE\n", vec![HunkState::Kept])
    );
    let list = desk.look_since(Some("HEAD")).await;
    assert_eq!((marked(&list), list.remarks.len()), (vec![("a.txt", Marked::Nothing)], 0));
    assert_eq!(stage.source.finished.load(Ordering::SeqCst), 0, "a baseline of one's own moves none");
}

#[tokio::test(start_paused = true)]
async fn a_look_during_a_finish_waits_for_its_end() {
    let stage = Stage::changed().await;
    let (mut one, mut two) = (stage.desk(), stage.desk());
    let turn = one.look().await;
    let turn = one.list_with_mark(&turn, "a.txt").await;
    stage.source.hold(true);
    let look = two.desk.send(Request::ReviewTurn { directory: None, since: None });
    while stage.source.looks.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    let finish = one.desk.send(finish_of(&turn));
    stage.source.hold(false);
    let (finished, looked) = (finish.await.unwrap().unwrap(), look.await.unwrap().unwrap());
    assert_eq!(finished.revision, looked.revision);
    two.hear();
    assert_eq!(two.turns().pop().unwrap().files, []);
}
